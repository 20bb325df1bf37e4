//! What the suite is judged by stands still.

mod frozen;
