//! A design of one's own, and its test.
//!
//! The design is the document's, save for one idea that sounds helpful: a Create that fails is made once more at once. It
//! is wrong: an error need not mean that nothing was done. The tests are what a team writes; a design that is to be
//! kept would have `lkesim::check(mine())` alone.
//!
//! ```sh
//! cargo run -p lkesim --example own-design    # what a search says of it
//! cargo test -p lkesim --example own-design
//! ```

use async_trait::async_trait;
use lkesim::karpenter::cloud_provider::{
    Caller, CloudProvider, CreateError, InstanceType, Machine, ProviderError, ProviderId,
};
use lkesim::kube::object::{NodeClaim, NodePool};
use lkesim::linode_api::design_facts::DesignFacts;
use lkesim::linode_api::{Instance, InstanceId, Tags};
use lkesim::lke::{Design, Kube, NodeProvider, Provider};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

/// The design. It needs no entry in a list.
pub fn mine() -> &'static Design {
    static MINE: LazyLock<Design> = LazyLock::new(|| {
        let documented = lkesim::lke::design("documented").expect("it is built in");
        Design {
            summary: "documented, and a Create that fails is made once more at once",
            build: |context| {
                let documented = lkesim::lke::design("documented").expect("it is built in");
                Rc::new(Hasty((documented.build)(context)))
            },
            facts: DesignFacts { name: "hasty", ..documented.facts },
            ..*documented
        }
    });
    &MINE
}

/// What a process of Karpenter's has of the provider.
struct Hasty(Rc<dyn Provider>);

#[async_trait(?Send)]
impl Provider for Hasty {
    fn nodes(&self) -> Rc<dyn NodeProvider> {
        Rc::new(Nodes(self.0.nodes()))
    }

    async fn boot(&self, caller: Caller) -> Result<(), ProviderError> {
        self.0.boot(caller).await
    }

    fn start(&self, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
        self.0.start(kube, nodes);
    }
}

struct Nodes(Rc<dyn NodeProvider>);

#[async_trait(?Send)]
impl CloudProvider for Nodes {
    async fn create(&self, caller: Caller, claim: &NodeClaim) -> Result<Machine, CreateError> {
        match self.0.create(caller, claim).await {
            Ok(machine) => Ok(machine),
            Err(_) => self.0.create(caller, claim).await,
        }
    }

    async fn delete(&self, caller: Caller, claim: &NodeClaim) -> Result<(), ProviderError> {
        self.0.delete(caller, claim).await
    }

    async fn get(&self, caller: Caller, provider_id: &ProviderId) -> Result<Machine, ProviderError> {
        self.0.get(caller, provider_id).await
    }

    async fn list(&self, caller: Caller) -> Result<Vec<Machine>, ProviderError> {
        self.0.list(caller).await
    }

    async fn get_instance_types(
        &self,
        caller: Caller,
        node_pool: &NodePool,
    ) -> Result<Rc<[Rc<InstanceType>]>, ProviderError> {
        self.0.get_instance_types(caller, node_pool).await
    }

    fn is_drifted(&self, caller: Caller, claim: &NodeClaim) -> Result<Option<&'static str>, ProviderError> {
        self.0.is_drifted(caller, claim)
    }
}

#[async_trait(?Send)]
impl NodeProvider for Nodes {
    async fn read_tags(&self, caller: Caller, instance: InstanceId) -> Result<Tags, ProviderError> {
        self.0.read_tags(caller, instance).await
    }

    async fn refresh_offerings(&self, caller: Caller) -> Result<(), ProviderError> {
        self.0.refresh_offerings(caller).await
    }

    fn remembers_offerings(&self) -> bool {
        self.0.remembers_offerings()
    }

    async fn create_tags(
        &self,
        caller: Caller,
        instance: InstanceId,
        tags: Vec<Arc<str>>,
    ) -> Result<(), ProviderError> {
        self.0.create_tags(caller, instance, tags).await
    }

    async fn list_collectable(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        self.0.list_collectable(caller).await
    }

    async fn update_tags(&self, caller: Caller, instance: InstanceId, tags: Tags) -> Result<(), ProviderError> {
        self.0.update_tags(caller, instance, tags).await
    }
}

fn main() {
    // Fails, and says what broke, how, how to repeat it, and the smallest scenario that shows it.
    lkesim::check(mine());
}

#[cfg(test)]
mod tests {
    use super::mine;
    use lkesim::scenario::{Scenario, builtin, load};

    fn tiny() -> Scenario {
        let text = builtin::find("tiny-two-claims").expect("it is built in").text;
        load("tiny-two-claims", text, &[], &Default::default()).expect("it is valid")
    }

    #[test]
    fn it_holds_where_nothing_goes_wrong() {
        let outcome = lkesim::run(mine(), &tiny(), 1).expect("all of it is modelled");
        lkesim::assert_all_hold(&outcome);
        lkesim::assert_holds(&outcome, "one-claim-per-instance");
    }

    #[test]
    fn a_search_finds_what_breaks_it() {
        let found = lkesim::Check::of(mine()).seeds(40).search();
        assert!(found.failed_runs > 0 && found.not_modelled.is_empty());
        let first = found.findings.first().expect("a finding");
        assert!(!first.mechanism.is_empty() && first.repro.starts_with("LKESIM_SEED="), "{first:?}");
    }
}
