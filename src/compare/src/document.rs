//! The documents `lkesim.compare/1`, `lkesim.sweep/1` and `lkesim.screen/1`. Numbers are integers or decimals held as such, so that equal
//! samples print equal bytes.

use lkesim_judge::outcome::{Quantity, Times};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of a comparison's format.
pub const COMPARE: &str = "lkesim.compare/1";

/// The name of a sweep's format.
pub const SWEEP: &str = "lkesim.sweep/1";

/// The name of a screening's format.
pub const SCREEN: &str = "lkesim.screen/1";

/// Designs compared over scenarios, under the same seeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// `lkesim.compare/1`.
    pub schema: String,
    /// The version of the program.
    pub version: String,
    /// The first seed.
    pub start_seed: u64,
    /// How many seeds each scenario was run with; fewer than were asked for where the comparison was interrupted.
    pub seeds: u64,
    /// The designs; the first is the reference of all differences.
    pub designs: Vec<String>,
    /// A change below this share of the reference is called none, in percent.
    pub smallest_effect_percent: Quantity,
    /// How many intervals hold together with 95 % where they are corrected.
    pub corrected_for: u64,
    /// The verdict in plain words, the most important first.
    pub verdict: Vec<String>,
    /// Each scenario, in the order in which they were named.
    pub scenarios: Vec<ScenarioCompared>,
    /// Each figure over all scenarios, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<SummaryRow>,
    /// How calls grow, where a field was scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
}

/// One scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioCompared {
    /// Its name, or its path.
    pub scenario: String,
    /// What was set in it, as `PATH=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// Each design's own numbers.
    pub designs: Vec<DesignMeasured>,
    /// The differences from the reference, design by design and figure by figure.
    pub differences: Vec<DifferenceRow>,
}

/// What one design came to in one scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DesignMeasured {
    /// The design.
    pub design: String,
    /// Its runs.
    pub runs: u64,
    /// NodeClaims that launched, in all runs.
    pub launched: u64,
    /// Each figure.
    pub figures: BTreeMap<String, FigureMeasured>,
    /// Times of all runs together.
    pub time_to: TimesMeasured,
    /// API calls for each launched NodeClaim.
    pub calls: CallsMeasured,
    /// The design document's budget beside the calls, by operation and call, over all runs.
    pub budgets: Vec<BudgetMeasured>,
    /// The most launches a minute that the limits allow, if a launch costs what it cost here; none where no limit
    /// bounds it.
    pub sustained: Option<Sustained>,
    /// How many of 1,000 runs broke an invariant that the design promises.
    pub broken_per_1000: Quantity,
    /// The same by invariant, those that broke.
    pub invariants_broken_per_1000: BTreeMap<String, Quantity>,
}

/// One figure of one design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FigureMeasured {
    /// The mean over the runs that have it.
    pub mean: Quantity,
    /// The runs that have it.
    pub n: u64,
    /// Each run's, in the order of seeds.
    pub values: Vec<Option<Quantity>>,
}

/// Times of all runs together, within a thousandth of what they were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimesMeasured {
    /// From a NodeClaim's creation to its providerID.
    pub launch: Times,
    /// From a NodeClaim's creation to its ready node.
    pub ready: Times,
}

/// API calls for each launched NodeClaim: of all runs, by those launched in all runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallsMeasured {
    /// By rate limit.
    pub by_class: BTreeMap<String, Quantity>,
    /// By call.
    pub by_endpoint: BTreeMap<String, Quantity>,
    /// By the provider's operation.
    pub by_operation: BTreeMap<String, Quantity>,
    /// By what they were for.
    pub by_cause: BTreeMap<String, Quantity>,
}

/// A line of the design document's budget over all runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetMeasured {
    /// The provider's operation.
    pub operation: String,
    /// The call, or the two of which the line allows one.
    pub call: String,
    /// Runs of the operation.
    pub runs: u64,
    /// First tries.
    pub calls: u64,
    /// Retries, which the document's budget excludes.
    pub retries: u64,
    /// The most first tries that the line allows for the same work; none where the document does not name the call.
    pub budget: Option<u64>,
}

/// What bounds the launches of a minute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sustained {
    /// Launches a minute.
    pub launches_per_minute: Quantity,
    /// The rate limit that is reached first.
    pub bound_by: String,
}

/// Whether two designs differ in a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Called {
    /// The design is better than the reference.
    Better,
    /// It is worse.
    Worse,
    /// No difference was shown, or none that matters.
    Same,
}

/// One figure of one design beside the reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceRow {
    /// The design.
    pub design: String,
    /// The figure.
    pub figure: String,
    /// The seeds under which both have it.
    pub n: u64,
    /// The reference's mean over these.
    pub reference: Quantity,
    /// The mean difference: the design's less the reference's.
    pub change: Quantity,
    /// The same as a share of the reference; none where that is 0.
    pub change_percent: Option<Quantity>,
    /// Where the true difference is with 95 %: a bootstrap over seeds.
    pub interval: [Quantity; 2],
    /// The same, corrected for the number of figures that the verdict speaks of.
    pub corrected: [Quantity; 2],
    /// About the smallest difference that these seeds could have shown.
    pub smallest_shown: Quantity,
    /// Whether it is better, worse, or no difference was shown.
    pub called: Called,
    /// The part of the variance that running both under the same luck took away, in percent; none where nothing varies.
    pub variance_saved_percent: Option<i64>,
}

/// One figure of one design over all scenarios.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryRow {
    /// The design.
    pub design: String,
    /// The figure.
    pub figure: String,
    /// Scenarios in which it is better than the reference, worse, and neither.
    pub better: u64,
    /// See `better`.
    pub worse: u64,
    /// See `better`.
    pub same: u64,
    /// The mean over scenarios of the change as a share of the middle between both, in percent, from -200 to 200: 0
    /// where both have nothing.
    pub mean_change_percent: Quantity,
}

/// How calls grow with a field of the scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Growth {
    /// The field.
    pub path: String,
    /// A line for each scenario, design and kind of call.
    pub lines: Vec<GrowthLine>,
}

/// One kind of call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrowthLine {
    /// The scenario.
    pub scenario: String,
    /// The design.
    pub design: String,
    /// The call.
    pub call: String,
    /// At each value of the field: calls for each launched NodeClaim.
    pub per_launch: Vec<GrowthPoint>,
    /// From the first value to the last, by what power of the field the calls for each launch grow: about 0 where a
    /// launch costs the same however many there are, 1 where it costs in proportion; none where one end has no calls.
    pub exponent: Option<Quantity>,
}

/// Calls at one value of the field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrowthPoint {
    /// The field's value.
    pub value: String,
    /// Calls for each launched NodeClaim.
    pub calls: Quantity,
}

/// One or two fields of a scenario over several values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Swept {
    /// `lkesim.sweep/1`.
    pub schema: String,
    /// The version of the program.
    pub version: String,
    /// The scenario's name, or its path.
    pub scenario: String,
    /// The first seed.
    pub start_seed: u64,
    /// How many seeds each point was run with.
    pub seeds: u64,
    /// The fields that vary.
    pub fields: Vec<String>,
    /// What the sweep shows, in plain words.
    pub verdict: Vec<String>,
    /// Each combination of values and design, in the order of values.
    pub points: Vec<Point>,
    /// The two figures that pull against each other, and the points that no other point beats in both.
    pub front: Option<Front>,
}

/// One combination of values under one design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The value of each field.
    pub values: Vec<String>,
    /// What it came to.
    pub measured: DesignMeasured,
    /// The differences from the first point of the same design, under the same seeds; none for that one itself.
    pub differences: Vec<DifferenceRow>,
}

/// The points that are not beaten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Front {
    /// The two figures.
    pub figures: [String; 2],
    /// Places in `points`, in the order of the first figure.
    pub points: Vec<usize>,
}

/// A comparison at the defaults, and with one unknown knob at a time at another value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Screened {
    /// `lkesim.screen/1`.
    pub schema: String,
    /// The version of the program.
    pub version: String,
    /// The scenario's name, or its path.
    pub scenario: String,
    /// What was set in it, as `PATH=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// The first seed.
    pub start_seed: u64,
    /// How many seeds each point was run with.
    pub seeds: u64,
    /// The design, where values of a field are compared and not designs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<String>,
    /// What is compared: designs, or values of a field as `PATH=VALUE`. The first is the reference.
    pub compared: Vec<String>,
    /// A change below this share of the reference is called none, in percent.
    pub smallest_effect_percent: Quantity,
    /// How many intervals hold together with 95 %, at each point.
    pub corrected_for: u64,
    /// What would turn the verdict, in plain words.
    pub verdict: Vec<String>,
    /// What is shown at the defaults.
    pub defaults: Vec<ScreenedSide>,
    /// What is shown at each point, in the order of the knobs.
    pub points: Vec<ScreenedPoint>,
    /// Knobs that were left out, as the scenario states their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stated: Vec<String>,
}

/// One knob at one value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenedPoint {
    /// The field's path.
    pub knob: String,
    /// Its value, as YAML.
    pub value: String,
    /// What is shown there.
    pub sides: Vec<ScreenedSide>,
    /// Better at the defaults and worse here, or the other way round.
    pub turned: Vec<ScreenedFigure>,
    /// Better or worse at the defaults, and no difference is shown here.
    pub lost: Vec<ScreenedFigure>,
    /// No difference is shown at the defaults, and one is here.
    pub gained: Vec<ScreenedFigure>,
    /// Broken here in some run, and in none at the defaults.
    pub broken: Vec<ScreenedBreach>,
}

/// What one side of a comparison is beside the reference, and what it breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenedSide {
    /// The design, or the value of a field as `PATH=VALUE`.
    pub name: String,
    /// The figures in which it is better than the reference.
    pub better: Vec<String>,
    /// The figures in which it is worse.
    pub worse: Vec<String>,
    /// How many of 1,000 runs broke each invariant that broke.
    pub invariants_broken_per_1000: BTreeMap<String, Quantity>,
}

/// A figure of one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenedFigure {
    /// The side.
    pub name: String,
    /// The figure.
    pub figure: String,
}

/// An invariant that one side breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenedBreach {
    /// The side.
    pub name: String,
    /// The invariant.
    pub invariant: String,
}
