//! YAML to a tree. The one place that names the YAML crate.

use crate::diagnostic::Position;
use crate::tree::Node;

/// The text is not YAML.
#[derive(Debug)]
pub struct SyntaxError {
    /// What the parser says.
    pub message: String,
    /// Where, if it knows.
    pub at: Option<Position>,
}

/// Reads a text that the index let through.
pub fn parse(text: &str) -> Result<Node, SyntaxError> {
    serde_yaml::from_str(text).map_err(|error| {
        let at = error.location().map(|location| Position { line: location.line(), column: location.column() });
        let message = error.to_string();
        // The message ends in the place, which is shown anyway.
        let message = match (message.rfind(" at line "), at) {
            (Some(end), Some(_)) => message[..end].to_owned(),
            _ => message,
        };
        SyntaxError { message, at }
    })
}
