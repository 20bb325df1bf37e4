//! What never changes while a cloud runs, as recorded from the live API: types, regions, LKE types.
//!
//! `recorded.json` holds the objects with all their fields, in the API's order.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The recorded objects.
pub(super) struct Recorded {
    pub types: Vec<Value>,
    pub regions: Vec<Value>,
    pub lke_types: Vec<Value>,
    types_by_id: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
struct File {
    types: Vec<Value>,
    regions: Vec<Value>,
    lke_types: Vec<Value>,
}

static RECORDED: LazyLock<Recorded> = LazyLock::new(|| {
    let file: Result<File, _> = serde_json::from_str(include_str!("../../recorded.json"));
    let file = file.unwrap_or_else(|error| unreachable!("recorded.json is part of the program: {error}"));
    let id = |(place, plan): (usize, &Value)| Some((plan.get("id")?.as_str()?.to_owned(), place));
    Recorded {
        types_by_id: file.types.iter().enumerate().filter_map(id).collect(),
        types: file.types,
        regions: file.regions,
        lke_types: file.lke_types,
    }
});

impl Recorded {
    pub fn get() -> &'static Recorded {
        &RECORDED
    }

    /// The type with this id.
    pub fn plan(&self, id: &str) -> Option<&Value> {
        self.types_by_id.get(id).map(|&place| &self.types[place])
    }
}
