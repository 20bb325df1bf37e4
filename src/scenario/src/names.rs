//! The names that other crates know.

/// The names that a scenario may use, given by the caller so that this crate imports none of those that own them.
///
/// An empty list means that names of this kind are not checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// Designs of the provider.
    pub designs: &'a [&'a str],
    /// Invariants.
    pub invariants: &'a [&'a str],
    /// Instance types.
    pub types: &'a [&'a str],
    /// Labels of the provider by which pods choose, each with the values that machines have; none where no machine has
    /// the label.
    pub labels: &'a [(String, Vec<String>)],
    /// Regions.
    pub regions: &'a [&'a str],
    /// Regions that have LKE.
    pub lke_regions: &'a [&'a str],
    /// Regions that have LKE Enterprise.
    pub enterprise_regions: &'a [&'a str],
    /// Figures of a run, as paths into its JSON: `api.calls`. One that ends in `.*` allows any name below it.
    pub figures: &'a [&'a str],
    /// Hard cases that a run counts.
    pub sometimes: &'a [&'a str],
    /// What can be set under `provider`, by design.
    pub settings: &'a [(&'a str, Vec<&'a str>)],
    /// The designs that will run, whatever the scenario and its clusters name.
    pub running: &'a [&'a str],
    /// The design that runs where nothing names one.
    pub usual_design: Option<&'a str>,
}
