//! What tests and the program that holds our designs to the real provider share.

pub mod conformance;
