//! Judges an admitted call by the state.
//!
//! Reads see what their view shows; writes are judged by the truth: a Linode that no view shows yet can be changed by
//! who knows its id (*unknown*).

mod as_of;
mod instances;
mod lke_pools;
mod rarer;
mod wished;

use crate::catalogue::{Catalogue, k8s_versions};
use crate::pages;
use crate::world::World;
use lkesim_linode_api::filter::{Filterable, filterable_fields};
use lkesim_linode_api::{
    ApiError, Endpoint, Filter, LkeCluster, PageRequest, RegionAvailability, Reply, Request, Tags, Tier,
};
use lkesim_runtime::Time;
use std::sync::Arc;

/// A call asks for something that the fake has no model of. It ends the run: no answer may stand for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not modelled: {0}")]
pub struct NotModelled(pub String);

/// Why a call is not accepted.
#[derive(Debug)]
pub(crate) enum Refused {
    Api(ApiError),
    NotModelled(NotModelled),
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Refused {
        Refused::Api(error)
    }
}

pub(crate) type Served = Result<Reply, Refused>;

fn not_modelled<T>(what: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::NotModelled(NotModelled(what.into())))
}

fn not_found<T>() -> Result<T, Refused> {
    Err(ApiError::not_found().into())
}

/// The reply to a region that does not exist (recorded), or has no LKE.
pub const INVALID_REGION: &str = "region is not valid";

/// The reply to a tag of a length that the API does not take. Its real text is *unknown*.
pub const TAG_LENGTH: &str = "Tags must be 3-50 characters";

/// The reply to more tags than an object may have. Its real text is *unknown*.
pub const TOO_MANY_TAGS: &str = "Too many tags";

/// The reply to a version of Kubernetes that can't be had. Its real text is *unknown*.
pub const INVALID_VERSION: &str = "k8s_version is not valid";

impl World {
    /// Refuses tags of fewer than 3 or more than 50 characters, and too many. The lengths are *documented* for
    /// `POST /tags`.
    fn check_tags(&self, tags: &Tags) -> Result<(), ApiError> {
        if self.settings.tags_allowed.is_some_and(|most| tags.len() > most as usize) {
            return Err(ApiError::field("tags", TOO_MANY_TAGS));
        }
        match tags.iter().all(|tag| (3..=50).contains(&tag.chars().count())) {
            true => Ok(()),
            false => Err(ApiError::field("tags", TAG_LENGTH)),
        }
    }

    fn check_version(&self, tier: Tier, version: &Arc<str>) -> Result<(), ApiError> {
        let own = tier == self.settings.tier && *version == self.settings.k8s_version;
        match own || self.settings.more_versions.contains(version) || k8s_versions(tier).contains(&&**version) {
            true => Ok(()),
            false => Err(ApiError::field("k8s_version", INVALID_VERSION)),
        }
    }

    #[inline]
    pub fn serve(&mut self, request: &Request) -> Served {
        match request {
            Request::GetInstance { instance } => self.get_instance(*instance),
            Request::ListInstances { filter, page } => self.list_instances(filter.as_ref(), *page),
            Request::ListPools { cluster, filter, page } => self.list_lke_pools(*cluster, filter.as_ref(), *page),
            Request::GetPool { cluster, lke_pool } => self.get_lke_pool(*cluster, *lke_pool),
            other => self.serve_rarer(other),
        }
    }

    fn serve_rarer(&mut self, request: &Request) -> Served {
        match request {
            Request::CreatePool { cluster, body } => self.create_lke_pool(*cluster, body),
            Request::UpdatePool { cluster, lke_pool, body } => self.update_lke_pool(*cluster, *lke_pool, body),
            Request::DeletePool { cluster, lke_pool } => self.delete_lke_pool(*cluster, *lke_pool),
            Request::DeleteNode { cluster, node } => self.delete_node(*cluster, *node),
            Request::UpdateInstance { instance, tags } => self.update_instance(*instance, tags),
            Request::CreateInstance { body } => self.create_instance(body),
            Request::DeleteInstance { instance } => self.delete_instance(*instance),
            Request::CreateTag { label, linodes } => self.create_tag(label, linodes),
            Request::ListClusters { filter, page } => self.list_clusters(filter.as_ref(), *page),
            Request::GetCluster { cluster } => match self.visible_cluster(*cluster) {
                Some(own) => Ok(Reply::Cluster(own.truth.shown.clone())),
                None => not_found(),
            },
            Request::ListTypes { page } => {
                check_page(*page)?;
                Ok(Reply::Types(pages::slice(&self.settings.plans(), *page, Arc::clone)))
            }
            Request::GetType { plan } => match self.settings.plan(plan) {
                Some(plan) => Ok(Reply::Type(plan.clone())),
                None => not_found(),
            },
            Request::ListRegionAvailability { filter, page } => {
                self.list_availability(filter.as_ref(), *page, self.now)
            }
            Request::RegionAvailability { region } => match Catalogue::recorded().region(region) {
                Some(_) => Ok(Reply::Availability(self.availability(region, self.now))),
                None => not_found(),
            },
            Request::ListMembers { cluster, lke_pool } => self.list_members(*cluster, *lke_pool),
            Request::ClaimNode { cluster, lke_pool, tag } => self.claim_node(*cluster, *lke_pool, tag),
            Request::Rarer(call) => self.serve_rarest(call),
            Request::GetInstance { .. }
            | Request::ListInstances { .. }
            | Request::ListPools { .. }
            | Request::GetPool { .. } => self.serve(request),
        }
    }

    /// What all regions have, by region in the catalogue's order; the API's own is *unknown*.
    fn list_availability(&self, filter: Option<&Filter>, page: PageRequest, at: Time) -> Served {
        check_page(page)?;
        check_filter::<RegionAvailability>(Endpoint::ListRegionAvailability, filter)?;
        let regions = Catalogue::recorded().regions().iter();
        let rows = regions.flat_map(|region| self.availability(&region.id.as_str().into(), at).to_vec());
        let found: Vec<_> = rows.filter(|row| filter.is_none_or(|filter| filter.matches(row))).collect();
        Ok(Reply::Availabilities(pages::slice(&found, page, RegionAvailability::clone)))
    }

    fn list_clusters(&self, filter: Option<&Filter>, page: PageRequest) -> Served {
        check_page(page)?;
        check_filter::<LkeCluster>(Endpoint::ListClusters, filter)?;
        let seen = self.clusters.iter().filter(|own| self.sees(own.truth.account));
        let shown = seen.filter(|own| own.truth.vanished.is_none()).map(|own| &own.truth.shown);
        let found: Vec<_> = shown.filter(|own| filter.is_none_or(|filter| filter.matches(&***own))).collect();
        Ok(Reply::Clusters(pages::slice(&found, page, |own| Arc::clone(own))))
    }
}

/// Refuses pages that the API does not have. Page 0 meets a text that no source tells.
#[inline]
fn check_page(page: PageRequest) -> Result<(), Refused> {
    if page.page == 0 {
        return not_modelled("page 0 of a list");
    }
    Ok(pages::check(page)?)
}

/// Refuses fields that the list can't be filtered by, and those that it can but the model lacks.
fn check_filter<T: Filterable + ?Sized>(endpoint: Endpoint, filter: Option<&Filter>) -> Result<(), Refused> {
    let Some(filter) = filter else {
        return Ok(());
    };
    filter.check(endpoint)?;
    debug_assert!(T::MODELLED.iter().all(|field| filterable_fields(endpoint).contains(field)));
    match filter.fields().iter().find(|field| !T::MODELLED.contains(field)) {
        Some(field) => not_modelled(format!("a filter on `{field}` of {}", endpoint.path())),
        None => Ok(()),
    }
}
