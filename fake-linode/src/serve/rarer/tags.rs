//! The account's tags, and what bears them.
//!
//! A tag is listed as long as a Linode or a cluster bears it, or if it was made by `POST /tags`. Whether a tag that
//! nothing bears any more stays is *unknown*, as is whether tags mind case; here they do.

use super::rare;
use crate::agenda::MachineIx;
use crate::machine::{InstanceTruth, Machine};
use crate::pages;
use crate::serve::{Served, check_filter, check_page, not_found};
use crate::world::World;
use lkesim_linode_api::{Endpoint, Filter, PageRequest, RarerReply, Reply, Tagged, Tags};
use std::collections::BTreeSet;
use std::sync::Arc;

impl World {
    /// Every tag, sorted (recorded).
    pub(super) fn list_tags(&self, filter: Option<&Filter>, page: PageRequest) -> Served {
        check_page(page)?;
        check_filter::<str>(Endpoint::ListTags, filter)?;
        let all = self.all_tags().into_iter();
        let found: Vec<&Arc<str>> = all.filter(|tag| filter.is_none_or(|filter| filter.matches(&***tag))).collect();
        rare(RarerReply::Tags(pages::slice(&found, page, |tag| Arc::clone(tag))))
    }

    fn all_tags(&self) -> BTreeSet<&Arc<str>> {
        let linodes = self.live_machines().flat_map(|(_, machine)| machine.truth.tags.iter());
        let clusters = self.clusters.iter().filter(|own| own.truth.is_live() && self.sees(own.truth.account));
        let made = self.tags.iter().filter(|(account, _)| self.sees(*account)).map(|(_, tag)| tag);
        made.chain(linodes).chain(clusters.flat_map(|own| own.truth.shown.tags.iter())).collect()
    }

    fn live_machines(&self) -> impl Iterator<Item = (MachineIx, &Machine)> {
        let seen = |truth: &InstanceTruth| truth.is_live() && self.sees(truth.account);
        (0..).zip(&self.machines).filter(move |(_, machine)| seen(&machine.truth))
    }

    /// What bears a tag: Linodes and clusters, each kind by id; the order in truth is *unknown*. A tag that is not
    /// there is 404.
    pub(super) fn list_tagged(&self, label: &Arc<str>, page: PageRequest) -> Served {
        check_page(page)?;
        if !self.all_tags().contains(label) {
            return not_found();
        }
        let seen = self.machines.iter().filter(|machine| self.sees(machine.truth.account));
        let linodes = seen.filter_map(|machine| machine.shown_by_list());
        let linodes = linodes.filter(|shown| shown.tags.has(label)).map(|shown| Tagged::Instance(shown.clone()));
        let clusters = self.clusters.iter().filter(|own| self.sees(own.truth.account) && own.truth.is_live());
        let clusters = clusters.filter(|own| own.truth.shown.tags.has(label));
        let all: Vec<Tagged> = linodes.chain(clusters.map(|own| Tagged::Cluster(own.truth.shown.clone()))).collect();
        rare(RarerReply::TaggedObjects(pages::slice(&all, page, Tagged::clone)))
    }

    /// Takes a tag from all that bears it.
    pub(super) fn delete_tag(&mut self, label: &Arc<str>) -> Served {
        if !self.all_tags().contains(label) {
            return not_found();
        }
        self.tags.remove(&(self.asking(), label.clone()));
        let bears = |(ix, machine): (MachineIx, &Machine)| machine.truth.tags.has(label).then_some(ix);
        let machines: Vec<MachineIx> = self.live_machines().filter_map(bears).collect();
        for machine in machines {
            let rest = without(&self.machines[machine as usize].truth.tags, label);
            self.tag_machine(machine, rest);
        }
        for ix in 0..self.clusters.len() {
            let truth = &self.clusters[ix].truth;
            if self.sees(truth.account) && truth.shown.tags.has(label) {
                self.change_cluster(ix, |shown| shown.tags = without(&shown.tags, label));
            }
        }
        Ok(Reply::Empty)
    }
}

fn without(tags: &Tags, label: &str) -> Tags {
    tags.iter().filter(|tag| ***tag != *label).cloned().collect()
}
