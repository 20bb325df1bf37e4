//! YAML to a tree. The one place that names the YAML crate.

use crate::diagnostic::Position;
use crate::tree::Node;
use serde::Deserialize;

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
    serde_yaml::from_str(text).map_err(in_words)
}

/// Reads the documents of a text that the index let through.
pub fn parse_documents(text: &str) -> Result<Vec<Node>, SyntaxError> {
    serde_yaml::Deserializer::from_str(text).map(|document| Node::deserialize(document).map_err(in_words)).collect()
}

fn in_words(error: serde_yaml::Error) -> SyntaxError {
    let at = error.location().map(|location| Position { line: location.line(), column: location.column() });
    let message = error.to_string();
    // The message ends in the place, which is shown anyway.
    let message = match (message.rfind(" at line "), at) {
        (Some(end), Some(_)) => message[..end].to_owned(),
        _ => message,
    };
    SyntaxError { message, at }
}
