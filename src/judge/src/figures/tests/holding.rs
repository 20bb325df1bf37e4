use super::*;
use crate::truth::{ClusterFacts, Truth};
use lkesim_linode_api::design_facts::{DesignFacts, Owned};

static FACTS: DesignFacts = DesignFacts {
    name: "documented",
    not_promised: &[],
    sdk: lkesim_linode_api::Sdk::Linodego2_3,
    wished: &[],
    claim_tag_prefix: "karpenter.sh/nodeclaim=",
    claim_tag: |name| format!("karpenter.sh/nodeclaim={name}"),
    owned_tags: |_: &Owned<'_>| Vec::new(),
};

/// Events that truth and figures both follow.
struct Followed {
    story: Story,
    truth: Truth,
}

impl Followed {
    fn new() -> Followed {
        let cluster = ClusterFacts { cluster: CLUSTER, tier: Tier::Standard, design: &FACTS };
        let mut followed = Followed { story: Story::new(), truth: Truth::new(vec![cluster]) };
        followed.story.lke_pool(1, Some("general")).linode(101, 1, None);
        followed.happens(
            0,
            What::ClaimCreated { claim: claim(1), cluster: CLUSTER, node_pool: "general".into(), plans: Rc::from([]) },
        );
        followed
    }

    fn happens(&mut self, secs: u64, what: What) -> &mut Followed {
        let event = Event { at: Time::from_secs(secs), what };
        self.truth.apply(&event);
        self.story.figures.apply(&event);
        self.story.figures.follow(&event, &self.truth);
        self
    }

    fn stored(&mut self, secs: u64) -> &mut Followed {
        let after = Some(InstanceId(101));
        self.happens(secs, What::ClaimProviderId { claim: claim(1), before: None, after })
    }

    #[track_caller]
    fn check(self, unclaimed_minutes: u64) {
        assert_eq!(self.story.finish(1_200).instances.unclaimed_minutes, unclaimed_minutes);
    }
}

#[test]
fn a_stored_provider_id_holds() {
    let mut followed = Followed::new();
    followed.stored(300);
    followed.check(5);
}

#[test]
fn what_create_returned_holds_until_its_process_dies() {
    let mut followed = Followed::new();
    let started = What::OperationStarted {
        run: 1,
        cluster: ClusterId(1),
        process: 1,
        operation: Operation::Create,
        caller: "nodeclaim.lifecycle",
        claim: Some(claim(1)),
        instance: None,
    };
    let returned = What::OperationReturned { run: 1, result: Returned::Instance(InstanceId(101)) };
    followed.happens(60, started).happens(120, returned);
    followed.happens(180, What::ProcessStopped { cluster: CLUSTER, start: 1 });
    followed.check(2 + 17);
}

#[test]
fn a_claim_that_is_being_deleted_is_no_live_holder() {
    let mut followed = Followed::new();
    followed.stored(0).happens(600, What::ClaimDeleting { claim: claim(1), by: "workload" });
    followed.happens(900, What::ClaimGone { claim: claim(1) });
    followed.check(10);
}
