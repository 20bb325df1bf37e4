//! A comparison beside an earlier one: a budget check for a pull request.
//!
//! The same seeds of the same scenario are paired, so that two versions of one design differ by what changed and not by
//! luck.

use crate::comparing::Differ;
use crate::document::{Called, Compared, DesignMeasured, ScenarioCompared};
use crate::figure::FIGURES;
use lkesim_judge::outcome::Quantity;

/// An earlier comparison.
pub struct Baseline {
    earlier: Compared,
}

/// Why a document is no baseline of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotComparable(pub String);

/// A figure that changed for better or worse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regression {
    /// The scenario.
    pub scenario: String,
    /// The design.
    pub design: String,
    /// The figure.
    pub figure: String,
    /// Its mean in the baseline.
    pub before: Quantity,
    /// By how much it is more.
    pub change: Quantity,
    /// Whether it is worse.
    pub is_worse: bool,
}

impl Baseline {
    /// A baseline that was read.
    pub fn new(earlier: Compared) -> Baseline {
        Baseline { earlier }
    }

    /// The figures of the verdict that changed, in each scenario and design that both have.
    ///
    /// # Errors
    /// If the two have no scenario and design in common, or other seeds.
    pub fn against(&self, compared: &Compared) -> Result<Vec<Regression>, NotComparable> {
        if self.earlier.start_seed != compared.start_seed {
            let (earlier, start) = (self.earlier.start_seed, compared.start_seed);
            return Err(NotComparable(format!("it begins with seed {earlier}, this comparison with {start}")));
        }
        let mut common = Vec::new();
        for scenario in &compared.scenarios {
            for design in &scenario.designs {
                let earlier = self.earlier.scenarios.iter().find(|earlier| is_same(earlier, scenario));
                let earlier = earlier.and_then(|one| one.designs.iter().find(|other| other.design == design.design));
                common.extend(earlier.map(|earlier| (scenario, earlier, design)));
            }
        }
        if common.is_empty() {
            return Err(NotComparable("it has no scenario and design in common with this comparison".to_owned()));
        }
        let deciding = FIGURES.iter().filter(|figure| figure.decides).count();
        let mut differ = Differ::new((common.len() * deciding) as u64, smallest_ppm(compared));
        let changed =
            common.into_iter().flat_map(|(scenario, before, after)| changed(scenario, before, after, &mut differ));
        Ok(changed.collect())
    }
}

fn is_same(one: &ScenarioCompared, other: &ScenarioCompared) -> bool {
    one.scenario == other.scenario && one.set == other.set
}

fn smallest_ppm(compared: &Compared) -> u64 {
    u64::try_from(compared.smallest_effect_percent.0 / 100).unwrap_or(0)
}

fn changed(
    scenario: &ScenarioCompared,
    before: &DesignMeasured,
    after: &DesignMeasured,
    differ: &mut Differ,
) -> Vec<Regression> {
    let mut all = Vec::new();
    for figure in FIGURES.iter().filter(|figure| figure.decides) {
        let values = |measured: &DesignMeasured| measured.figures.get(figure.name).map(|one| one.values.clone());
        let (Some(old), Some(new)) = (values(before), values(after)) else { continue };
        let both = |(old, new): (Option<Quantity>, Option<Quantity>)| Some((old?.0, new?.0));
        let pairs: Vec<(i64, i64)> = old.into_iter().zip(new).filter_map(both).collect();
        let Some(difference) = differ.difference(&pairs) else { continue };
        let call = differ.call(&difference, figure);
        if call != Called::Same {
            all.push(Regression {
                scenario: scenario.scenario.clone(),
                design: after.design.clone(),
                figure: figure.name.to_owned(),
                before: difference.reference,
                change: difference.change,
                is_worse: call == Called::Worse,
            });
        }
    }
    all
}
