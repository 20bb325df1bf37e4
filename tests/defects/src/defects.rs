//! The defects, one decision each, and designs that differ and are right.


use crate::careful::{self, Process, Right};
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_lke::{Context, Design, Provider, tags};
use std::rc::Rc;

/// A design of the suite.
pub struct Entry {
    /// The design.
    pub design: Design,
    /// Whether it is right.
    pub is_right: bool,
    /// Of a defect: a seed of `general` that breaks this invariant.
    pub pinned: Option<(u64, &'static str)>,
}

/// The careful design with these steps.
const fn with(name: &'static str, about: &'static str, build: fn(Rc<Context>) -> Rc<dyn Provider>) -> Design {
    Design {
        summary: about,
        about,
        settings: careful::SETTINGS,
        defaults: careful::DEFAULTS,
        build,
        budgets: &[],
        facts: DesignFacts {
            name,
            not_promised: &[],
            sdk: careful::SDK,
            claim_tag_prefix: "karpenter.sh/nodeclaim=",
            claim_tag: |name| tags::of_node_claim(name).to_string(),
            owned_tags: |owned| vec![tags::of_node_claim(owned.claim_name).to_string()],
        },
    }
}

macro_rules! entries {
    (
        right { $($right:literal: $right_steps:ty, $right_about:literal;)* }
        defects { $($name:literal: $steps:ty, $about:literal, $pinned:expr;)* }
    ) => {
        /// All of them: the careful design, its variants, the defects.
        pub static ENTRIES: &[Entry] = &[
            $(Entry { design: with($right, $right_about, |cx| Process::build(cx, Rc::new(<$right_steps>::default()))), is_right: true, pinned: None },)*
            $(Entry { design: with($name, $about, |cx| Process::build(cx, Rc::new(<$steps>::default()))), is_right: false, pinned: $pinned },)*
        ];
    };
}

entries! {
    right {
        "careful": Right, "the careful design";
    }
    defects {
    }
}

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.design.facts.name == name)
}
