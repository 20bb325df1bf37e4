//! A cluster's control plane: how it is reached, and by whom.
//!
//! Behind the fake there is none, so that all its addresses are of `example.invalid`.

use super::rare;
use crate::cluster::default_acl;
use crate::pages;
use crate::serve::{Served, check_page, not_found, not_modelled};
use crate::world::World;
use lkesim_linode_api::{Acl, ApiError, ClusterId, PageRequest, RarerReply, Reply, Tier};
use std::sync::Arc;

/// The reply to a kubeconfig that is not there yet, status 503 (recorded).
pub const KUBECONFIG_EARLY: &str = "Cluster kubeconfig is not yet available. Please try again later.";

/// The reply to endpoints that are not there yet, status 503 (recorded).
pub const ENDPOINTS_EARLY: &str = "Cluster API Endpoints are not yet available. Please try again later.";

fn host(id: ClusterId) -> String {
    format!("lke{id}.example.invalid")
}

impl World {
    pub(super) fn get_kubeconfig(&self, id: ClusterId) -> Served {
        let Some(cluster) = self.visible_cluster(id) else {
            return not_found();
        };
        if self.now < cluster.kubeconfig_from {
            return Err(ApiError::new(503, KUBECONFIG_EARLY).into());
        }
        let (name, nth) = (format!("lke{id}"), cluster.kubeconfigs);
        let text = format!(
            "apiVersion: v1\nkind: Config\npreferences: {{}}\n\nclusters:\n- cluster:\n    server: https://{}:443\n  \
             name: {name}\n\nusers:\n- name: {name}-admin\n  user:\n    token: fake-{id}-{nth}\n\ncontexts:\n- context:\n    \
             cluster: {name}\n    namespace: default\n    user: {name}-admin\n  name: {name}-ctx\n\n\
             current-context: {name}-ctx\n",
            host(id)
        );
        rare(RarerReply::Kubeconfig(base64(text.as_bytes()).into()))
    }

    pub(super) fn list_api_endpoints(&self, id: ClusterId, page: PageRequest) -> Served {
        check_page(page)?;
        let Some(cluster) = self.visible_cluster(id) else {
            return not_found();
        };
        if self.now < cluster.endpoints_from {
            return Err(ApiError::new(503, ENDPOINTS_EARLY).into());
        }
        let all: [Arc<str>; 1] = [format!("https://{}:443", host(id)).into()];
        rare(RarerReply::ApiEndpoints(pages::slice(&all, page, Arc::clone)))
    }

    /// Standard alone has a dashboard (*documented*).
    pub(super) fn get_dashboard(&self, id: ClusterId) -> Served {
        match self.visible_cluster(id) {
            None => not_found(),
            Some(own) if own.truth.shown.tier == Some(Tier::Enterprise) => {
                not_modelled("the dashboard of an Enterprise cluster")
            }
            Some(_) => rare(RarerReply::Dashboard(format!("https://dashboard.{}", host(id)).into())),
        }
    }

    /// Makes the kubeconfig anew. Whether the old one is missing for a time in truth is *unknown*.
    pub(super) fn renew_kubeconfig(&mut self, id: ClusterId) -> Served {
        let Some(ix) = self.live_cluster(id) else {
            return not_found();
        };
        self.clusters[ix].kubeconfigs += 1;
        Ok(Reply::Empty)
    }

    /// Makes the service token anew, which nothing here shows.
    pub(super) fn renew_service_token(&self, id: ClusterId) -> Served {
        match self.live_cluster(id) {
            Some(_) => Ok(Reply::Empty),
            None => not_found(),
        }
    }

    pub(super) fn get_acl(&self, id: ClusterId) -> Served {
        match self.visible_cluster(id) {
            Some(cluster) => rare(RarerReply::ControlPlaneAcl(Arc::new(cluster.acl.clone()))),
            None => not_found(),
        }
    }

    pub(super) fn update_acl(&mut self, id: ClusterId, acl: &Acl) -> Served {
        let Some(ix) = self.live_cluster(id) else {
            return not_found();
        };
        self.set_acl(ix, acl);
        self.get_acl(id)
    }

    pub(super) fn set_acl(&mut self, ix: usize, acl: &Acl) {
        let cluster = &mut self.clusters[ix];
        cluster.acl_revision += 1;
        let made_up = || -> Arc<str> { format!("{:08x}", cluster.acl_revision).into() };
        let revision_id = acl.revision_id.clone().or_else(|| Some(made_up()));
        cluster.acl = Acl { revision_id, ..acl.clone() }.over(cluster.acl.clone());
    }

    /// Switches the rules off and drops them all (*documented* by linode_api4 5.48.0).
    pub(super) fn delete_acl(&mut self, id: ClusterId) -> Served {
        let Some(ix) = self.live_cluster(id) else {
            return not_found();
        };
        self.clusters[ix].acl = default_acl(Tier::Standard);
        Ok(Reply::Empty)
    }
}

/// The text in base64.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0, |word: u32, &byte| word << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            let value = (word >> (18 - 6 * digit)) & 63;
            text.push(if digit <= three.len() { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_pads_to_four_characters() {
        let of = |text: &str| base64(text.as_bytes());
        assert_eq!([of(""), of("f"), of("fo"), of("foo"), of("foob")], ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
