//! Over HTTP each call has the answer that the value gives, as far as a client reads it.

use super::served;
use crate::http::Bounds;
use crate::http::recorded::Recorded;
use crate::settings::{Settings, TokenSettings};
use crate::{Catalogue, Cloud, TokenId};
use lkesim_linode_api::http::HttpLinode;
use lkesim_linode_api::{
    Answer, Call, Cause, ClusterId, Filter, Instance, InstanceId, LkePool, LkePoolCreate, LkePoolId, LkePoolRest,
    LkePoolUpdate, Operation, PageRequest, Purpose, Rarer, RarerReply, Reply, Request, Tagged, Tags, Tier,
};
use lkesim_runtime::{Entity, Key, Seed, Time};
use std::sync::Arc;
use std::time::Duration;

const CLUSTER: ClusterId = ClusterId(1);

/// Draws what is asked next.
struct Asker {
    key: Key,
    n: u64,
}

impl Asker {
    fn below(&mut self, bound: u64) -> u64 {
        self.n += 1;
        self.key.draw(Entity::numbered(self.n), 0).below(bound)
    }

    fn page(&mut self) -> PageRequest {
        PageRequest { page: 1 + self.below(2) as u32, size: if self.below(2) == 0 { 25 } else { 100 } }
    }

    fn request(&mut self, cloud: &Cloud) -> Request {
        let pools: Vec<LkePoolId> = cloud.lke_pools().map(|pool| pool.id).collect();
        let lke_pool = pools[self.below(pools.len() as u64) as usize];
        let linodes: Vec<_> = cloud.instances().map(|truth| (truth.id, truth.node)).collect();
        let (instance, node) = linodes[self.below(linodes.len() as u64) as usize];
        let rare = |call| Request::Rarer(Box::new(call));
        let tags: Tags = [&*format!("claim={}", self.below(3)), "k=v"].into_iter().collect();
        match self.below(20) {
            0 => Request::CreatePool { cluster: CLUSTER, body: self.pool(tags) },
            1 => Request::UpdatePool {
                cluster: CLUSTER,
                lke_pool,
                body: LkePoolUpdate { count: Some(1 + self.below(4) as u32), ..LkePoolUpdate::default() },
            },
            2 => Request::DeletePool { cluster: CLUSTER, lke_pool },
            3 => node.map_or(Request::GetInstance { instance }, |node| Request::DeleteNode { cluster: CLUSTER, node }),
            4 | 5 => Request::UpdateInstance { instance, tags },
            6 => Request::DeleteInstance { instance },
            7 => Request::CreateTag { label: "claim=7".into(), linodes: vec![instance] },
            8 | 9 => Request::ListInstances { filter: Some(Filter::tag_contains("claim=")), page: self.page() },
            10 | 11 => Request::ListInstances { filter: None, page: self.page() },
            12 | 13 => Request::ListPools { cluster: CLUSTER, filter: None, page: self.page() },
            14 => Request::GetPool { cluster: CLUSTER, lke_pool },
            15 => Request::GetInstance { instance },
            16 => Request::ListClusters { filter: Some(Filter::field("label", "cluster-1")), page: self.page() },
            17 => rare(Rarer::ListTaggedObjects { label: "k=v".into(), page: self.page() }),
            18 => rare(Rarer::ListTags { filter: None, page: self.page() }),
            _ => self.rarer(instance),
        }
    }

    fn pool(&mut self, tags: Tags) -> LkePoolCreate {
        LkePoolCreate {
            plan: "g6-standard-4".into(),
            count: 1 + self.below(3) as u32,
            tags,
            labels: vec![("a/b".into(), "c".into())],
            taints: Vec::new(),
            firewall: None,
            k8s_version: None,
            more: None,
        }
    }

    fn rarer(&mut self, instance: InstanceId) -> Request {
        let rare = |call| Request::Rarer(Box::new(call));
        match self.below(8) {
            0 => Request::ListTypes { page: self.page() },
            1 => Request::GetType { plan: "g6-standard-4".into() },
            2 => Request::RegionAvailability { region: "us-ord".into() },
            3 => Request::ListRegionAvailability { filter: None, page: self.page() },
            4 => rare(Rarer::GetKubeconfig { cluster: CLUSTER }),
            5 => rare(Rarer::ListApiEndpoints { cluster: CLUSTER, page: self.page() }),
            6 => rare(Rarer::GetControlPlaneAcl { cluster: CLUSTER }),
            _ => rare(Rarer::RebootInstance { instance }),
        }
    }
}

fn of_a_client(instance: &Arc<Instance>) -> Arc<Instance> {
    Arc::new(Instance { rest: None, ..Instance::clone(instance) })
}

/// A pool tells whether its disks are encrypted, said or not.
fn told(pool: &Arc<LkePool>) -> Arc<LkePool> {
    let rest = LkePoolRest { disk_encryption: None, ..LkePoolRest::clone(&pool.rest) };
    Arc::new(LkePool { rest: Arc::new(rest), ..LkePool::clone(pool) })
}

/// The answer without what no client reads.
fn read(mut answer: Answer) -> Answer {
    match &mut answer.result {
        Ok(Reply::Instance(instance)) => *instance = of_a_client(instance),
        Ok(Reply::Instances(page)) => page.data = page.data.iter().map(of_a_client).collect(),
        Ok(Reply::Pool(pool)) => *pool = told(pool),
        Ok(Reply::Pools(page)) => page.data = page.data.iter().map(told).collect(),
        Ok(Reply::Rarer(rare)) => {
            if let RarerReply::TaggedObjects(page) = &mut **rare {
                let one = |own: &Tagged| match own {
                    Tagged::Instance(instance) => Tagged::Instance(of_a_client(instance)),
                    other => other.clone(),
                };
                page.data = page.data.iter().map(one).collect();
            }
        }
        _ => {}
    }
    answer
}

fn call(request: Request) -> Call {
    let purpose = Purpose {
        caller: "http",
        operation: Operation::Foreign,
        invocation: 0,
        attempt: 0,
        subject: "".into(),
        cause: Cause::Foreign,
        joined: Default::default(),
    };
    Call { purpose, attempt: 0, request }
}

#[track_caller]
fn check_all_answers_are_those_of_the_value(tier: Tier) {
    let settings = Settings::usual(tier);
    let mut value_settings = settings.clone();
    value_settings.tokens = ["token", "other", "nobody"].map(TokenSettings::new).into();
    served(settings, Bounds::default(), false, async |served| {
        let mut cloud = Cloud::new(value_settings, Seed(1));
        let client = HttpLinode::new(served.at, "token").expect("an address of this machine");
        let mut asker = Asker { key: Seed(7).key("test"), n: 0 };
        let mut now = Time::ZERO;
        for n in 1..=600 {
            now += Duration::from_millis(asker.below(4_000));
            served.server.clock.set(now);
            let request = asker.request(&cloud);
            let came = client.exchange(&request).await;
            let call = call(request);
            let expected = cloud.handle(now, TokenId(0), n, &call).expect("it is modelled").answer;
            assert_eq!(read(came), read(expected), "{n}: {:?}", call.request);
        }
    });
}

#[test]
fn all_answers_on_standard_are_those_of_the_value() {
    check_all_answers_are_those_of_the_value(Tier::Standard);
}

#[test]
fn all_answers_on_enterprise_are_those_of_the_value() {
    check_all_answers_are_those_of_the_value(Tier::Enterprise);
}

#[test]
fn the_recorded_types_are_those_of_the_catalogue() {
    let (recorded, catalogue) = (&Recorded::get().types, Catalogue::recorded());
    let ids: Vec<_> = recorded.iter().filter_map(|plan| plan["id"].as_str()).collect();
    assert_eq!(ids, catalogue.types().iter().map(|plan| &*plan.id).collect::<Vec<_>>());
    for (plan, own) in recorded.iter().zip(catalogue.types().iter()) {
        let numbers = ["vcpus", "memory", "disk", "gpus"].map(|name| plan[name].as_u64());
        assert_eq!(numbers, [own.vcpus.into(), own.memory_mib, own.disk_mib, own.gpus.into()].map(Some), "{}", own.id);
        assert_eq!(plan["class"].as_str(), Some(&*own.class));
    }
    let regions: Vec<_> = Recorded::get().regions.iter().filter_map(|region| region["id"].as_str()).collect();
    let known = catalogue.regions().iter().map(|region| &*region.id);
    assert!(known.clone().all(|id| regions.contains(&id)) && known.len() == regions.len());
}
