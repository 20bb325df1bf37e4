//! What all controllers of one process share.

use crate::state::Marked;
use crate::{Caller, CloudProvider, Settings};
use lkesim_kube::ApiError;
use lkesim_kube::client::Client;
use lkesim_kube::informer::Informers;
use lkesim_kube::object::{NodeClaim, Object};
use lkesim_runtime::Runtime;
use std::rc::Rc;

/// One controller's view of the world: the time, its way to write, its caches, the cloud.
#[derive(Clone)]
pub struct Context {
    /// The process.
    pub runtime: Runtime,
    /// The way to the API server, writing under the controller's name.
    pub client: Client,
    /// The caches of the process.
    pub informers: Informers,
    /// The provider.
    pub cloud: Rc<dyn CloudProvider>,
    /// Constants and options.
    pub settings: Rc<Settings>,
    /// Machines that are about to be taken away.
    pub marked: Rc<Marked>,
    /// The controller's name, which the provider hears with each call.
    pub caller: Caller,
}

impl Context {
    /// That of the operator itself.
    pub(crate) fn new(
        runtime: &Runtime,
        client: &Client,
        informers: &Informers,
        cloud: Rc<dyn CloudProvider>,
        settings: Rc<Settings>,
    ) -> Context {
        Context {
            runtime: runtime.clone(),
            client: client.clone(),
            informers: informers.clone(),
            cloud,
            settings,
            marked: Rc::default(),
            caller: Caller::named("operator"),
        }
    }

    /// The same for the controller of this name.
    pub fn of(&self, controller: &'static str) -> Context {
        Context { client: self.client.named(controller), caller: Caller::named(controller), ..self.clone() }
    }

    /// Asks for the deletion of an object; one that is gone is as good.
    pub(crate) async fn delete<T: Object>(&self, object: &T) -> Result<(), ApiError> {
        ignore_not_found(self.client.delete(object).await)
    }

    /// The Nodes of a claim's machine as the cache knows them; none for a claim without a machine.
    pub(crate) fn nodes_of(&self, node_claim: &NodeClaim) -> Vec<Rc<lkesim_kube::object::Node>> {
        match &node_claim.status.provider_id {
            Some(id) => self.informers.nodes.by_provider_id(id),
            None => Vec::new(),
        }
    }
}

/// An object that is not there needs no write.
pub(crate) fn ignore_not_found<T: Default>(result: Result<T, ApiError>) -> Result<T, ApiError> {
    match result {
        Err(error) if error.is_not_found() => Ok(T::default()),
        result => result,
    }
}
