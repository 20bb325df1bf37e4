//! Segments of a path, in which a tag may have any character.

use std::fmt::Write;

/// Writes a segment as Go's `url.PathEscape` does.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => escaped.push(byte.into()),
            b'-' | b'_' | b'.' | b'~' | b'$' | b'&' | b'+' | b':' | b'=' | b'@' => escaped.push(byte.into()),
            other => {
                let _ = write!(escaped, "%{other:02X}");
            }
        }
    }
    escaped
}

/// Reads a segment; none where it is no text.
pub fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                bytes.push((digit()? * 16 + digit()?) as u8);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).ok()
}
