//! The table of invariants, in the order of reports.

use super::Invariant;
use crate::outcome::Kind;

/// An invariant and its documentation.
pub struct InvariantInfo {
    /// Its fixed name.
    pub name: &'static str,
    /// When it has to hold.
    pub kind: Kind,
    /// Whether it is judged only where a run has pods.
    pub of_pods: bool,
    /// The file that judges it: its doc comment is the documentation, so that the two can't part.
    pub(super) source: &'static str,
    /// Makes one for a run.
    pub make: fn() -> Box<dyn Invariant>,
}

impl InvariantInfo {
    /// One sentence.
    pub fn summary(&self) -> String {
        self.section(|line| !line.starts_with('#'))
    }

    /// Why it matters.
    pub fn why(&self) -> String {
        self.after("# Why it matters")
    }

    /// How it is judged.
    pub fn how(&self) -> String {
        self.after("# How it is judged")
    }

    fn doc(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        lines.map(str::trim)
    }

    fn after(&self, heading: &str) -> String {
        let rest = self.doc().skip_while(|line| *line != heading).skip(1);
        paragraphs(rest.take_while(|line| !line.starts_with("# ")))
    }

    fn section(&self, belongs: impl Fn(&&str) -> bool) -> String {
        paragraphs(self.doc().take_while(belongs))
    }
}

/// Lines joined to paragraphs, an empty line between them.
fn paragraphs<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    let mut broken = false;
    for line in lines {
        if line.is_empty() {
            broken = true;
            continue;
        }
        let item = line.starts_with("- ");
        if !text.is_empty() {
            text.push_str(match (broken, item) {
                (true, _) => "\n\n",
                (false, true) => "\n",
                (false, false) => " ",
            });
        }
        text.push_str(line);
        broken = false;
    }
    text
}

macro_rules! invariants {
    ($($name:literal, $kind:ident $($of_pods:ident)?, $module:ident :: $type:ident;)*) => {
        /// Every invariant, in the order of reports.
        pub const INVARIANTS: &[InvariantInfo] = &[$(
            InvariantInfo {
                name: $name,
                kind: Kind::$kind,
                of_pods: invariants!(@ $($of_pods)?),
                source: include_str!(concat!(stringify!($module), ".rs")),
                make: || Box::<super::$module::$type>::default(),
            },
        )*];
    };
    (@) => { false };
    (@ OfPods) => { true };
}

invariants! {
    "one-claim-per-instance", Always, one_claim_per_instance::OneClaimPerInstance;
    "one-instance-per-claim", Always, one_instance_per_claim::OneInstancePerClaim;
    "one-pool-per-key", Always, one_pool_per_key::OnePoolPerKey;
    "claim-in-own-pool", Always, claim_in_own_pool::ClaimInOwnPool;
    "create-returns-a-living-linode", Always, create_returns_a_living_linode::CreateReturnsALivingLinode;
    "launched-has-provider-id", Always, launched_has_provider_id::LaunchedHasProviderId;
    "delete-removes-only-its-target", Always, delete_removes_only_its_target::DeleteRemovesOnlyItsTarget;
    "scale-matches-demand", Always, scale_matches_demand::ScaleMatchesDemand;
    "scale-up-never-shrinks", Always, scale_up_never_shrinks::ScaleUpNeverShrinks;
    "no-lost-scale", Always, no_lost_scale::NoLostScale;
    "gc-spares-the-claimed", Always, gc_spares_the_claimed::GcSparesTheClaimed;
    "finalizer-after-instance", Always, finalizer_after_instance::FinalizerAfterInstance;
    "claim-tag-survives", Always, claim_tag_survives::ClaimTagSurvives;
    "no-claim-tag-on-a-pool", Always, no_claim_tag_on_a_pool::NoClaimTagOnAPool;
    "an-error-is-not-absence", Always, an_error_is_not_absence::AnErrorIsNotAbsence;
    "only-the-scheduler-binds", Always OfPods, only_the_scheduler_binds::OnlyTheSchedulerBinds;
    "provisioner-only-adds", Always OfPods, provisioner_only_adds::ProvisionerOnlyAdds;
    "nodepool-limits-hold", Always OfPods, nodepool_limits_hold::NodepoolLimitsHold;
    "orphans-collected", Eventually, orphans_collected::OrphansCollected;
    "claims-settle", Eventually, claims_settle::ClaimsSettle;
    "pods-run", Eventually OfPods, pods_run::PodsRun;
    "state-agrees", Eventually, state_agrees::StateAgrees;
}

/// The invariant with this name.
pub fn by_name(name: &str) -> Option<&'static InvariantInfo> {
    INVARIANTS.iter().find(|info| info.name == name)
}
