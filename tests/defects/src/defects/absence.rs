//! What is taken for absent.

use crate::careful::{Careful, Steps, Trouble};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::ProviderError;
use lkesim_linode_api::{CallError, Cause, Instance, InstanceId, Purpose};
use lkesim_lke::run::Run;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Any error of a GET says that the Linode is absent.
#[derive(Default)]
pub(crate) struct ErrorIsAbsence;

#[async_trait(?Send)]
impl Steps for ErrorIsAbsence {
    async fn is_absent(&self, _: &Careful, _: &Purpose, _: InstanceId, _: &CallError) -> Result<bool, Trouble> {
        Ok(true)
    }
}

/// List leaves out what could not be read.
#[derive(Default)]
pub(crate) struct ListLeavesOut;

#[async_trait(?Send)]
impl Steps for ListLeavesOut {
    async fn list(
        &self,
        world: &Careful,
        run: &Run,
        held: BTreeSet<InstanceId>,
    ) -> Result<Vec<Arc<Instance>>, ProviderError> {
        let mut there = Vec::new();
        for id in held {
            there.extend(world.read(run, id, Cause::Gc).await.ok());
        }
        Ok(there)
    }
}

/// List answers with a list of Linodes, where each ought to be asked for.
#[derive(Default)]
pub(crate) struct ListForGet;

#[async_trait(?Send)]
impl Steps for ListForGet {
    async fn list(
        &self,
        world: &Careful,
        run: &Run,
        held: BTreeSet<InstanceId>,
    ) -> Result<Vec<Arc<Instance>>, ProviderError> {
        let reading = world.reader.since(world.now(), &run.purpose(Cause::Gc)).await.map_err(Trouble::from)?;
        Ok(reading.instances.iter().filter(|one| held.contains(&one.id)).cloned().collect())
    }
}
