//! How long things took, one by one: what quantiles over many runs are made of.

/// The times of one run, each in virtual milliseconds and sorted. What never finished counts as the horizon.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lasted {
    /// From each NodeClaim's creation to its providerID.
    pub launch_ms: Vec<u64>,
    /// How many of these did launch.
    pub launched: u64,
    /// From each NodeClaim's creation to its ready node.
    pub ready_ms: Vec<u64>,
    /// How many of these became ready.
    pub readied: u64,
    /// From the first NodeClaim's creation to the last ready node; the horizon from there where one never became ready.
    pub makespan_ms: u64,
}
