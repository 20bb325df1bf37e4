//! The JSON Schema of scenarios, for completion in editors. `scenarios/schema.json` is this, written to a file.

use crate::Scenario;
use schemars::generate::SchemaSettings;

/// The name of the schema.
pub const SCHEMA: &str = "lkesim.scenario/1";

/// The JSON Schema of a scenario. Descriptions are the doc comments of the types.
pub fn schema() -> serde_json::Value {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<Scenario>();
    schema.insert("title".to_owned(), SCHEMA.into());
    schema.to_value()
}
