//! Nothing: this package's test is `it`.
