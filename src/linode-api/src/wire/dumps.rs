//! JSON as the live API prints it: like Python's `json.dumps`, with `", "` and `": "` between, and ASCII alone.
//!
//! Separators are recorded. That other characters are escaped is Python's default, and *unknown* of the API.

use serde::Serialize;
use serde_json::ser::Formatter;
use std::io;

/// Prints a value.
pub fn dumps(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(128);
    write(&mut bytes, value);
    bytes
}

/// Prints a value behind what is there.
pub fn write(into: &mut Vec<u8>, value: &impl Serialize) {
    let mut serializer = serde_json::Serializer::with_formatter(into, Python);
    if let Err(error) = value.serialize(&mut serializer) {
        unreachable!("memory takes all that is written, and every map here has strings as keys: {error}");
    }
}

struct Python;

impl Formatter for Python {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if fragment.is_ascii() {
            return writer.write_all(fragment.as_bytes());
        }
        for char in fragment.chars() {
            match char.is_ascii() {
                true => write!(writer, "{char}")?,
                false => {
                    for unit in char.encode_utf16(&mut [0; 2]) {
                        write!(writer, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        Ok(())
    }
}
