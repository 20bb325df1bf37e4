//! The sentences that Karpenter gives for refusals.

use super::Solver;
use super::bits::Bits;
use super::claim::Refused;
use super::shape::ShapeId;
use crate::refusal::{self, NoInstanceType};
use crate::requirement::Requirement;
use crate::requirements::Requirements;
use crate::taints;
use lkesim_kube::object::{Taint, labels};
use std::rc::Rc;

impl Solver<'_> {
    /// Why a template, or a NodeClaim of it, refused.
    pub(super) fn text(&mut self, shape: ShapeId, template: usize, host: &Rc<str>, refused: &Refused) -> String {
        match refused {
            Refused::Taints => {
                let taints = self.templates[template].pool.taints.clone();
                self.taint_text(shape, &taints)
            }
            Refused::Ports => {
                let conflict = self.templates[template].ports.conflict(&self.shapes[shape].ports);
                conflict.map_or_else(String::new, |conflict| refusal::host_port(&conflict))
            }
            Refused::Types { set, types, requests, below } => {
                let (set, requests) = (*set, requests.clone());
                let suiting = self.templates[template].types.suiting(set, &mut self.sets);
                let of = &self.templates[template];
                let mut fitting = types.clone();
                of.types.keep_fitting(&mut fitting, &requests);
                let has = |ins: &[&Bits], outs: &[&Bits]| {
                    let meets =
                        |place: usize| ins.iter().all(|one| one.has(place)) && !outs.iter().any(|one| one.has(place));
                    types.iter().any(meets)
                };
                let (meets, offered, fits) = (&suiting.compatible, &suiting.offered, &fitting);
                let reason = NoInstanceType {
                    requirements_met: has(&[meets], &[]),
                    fits: has(&[fits], &[]),
                    has_offering: has(&[offered], &[]),
                    requirements_and_fits: has(&[meets, fits], &[offered]),
                    requirements_and_offering: has(&[meets, offered], &[fits]),
                    fits_and_offering: has(&[fits, offered], &[meets]),
                    below_min_values: below.clone(),
                    requirements: self.sets.get(set).clone(),
                    pod_requests: self.shapes[shape].requests.clone(),
                    daemon_requests: of.daemons.clone(),
                };
                reason.to_string()
            }
            Refused::ReservedTaken => refusal::RESERVED_TAKEN.to_owned(),
            Refused::ReservedLost => refusal::RESERVED_LOST.to_owned(),
            Refused::Incompatible { by_volumes: false, .. } => {
                format!("incompatible requirements, {}", self.requirements_text(shape, host, refused, true))
            }
            other => self.requirements_text(shape, host, other, true),
        }
    }

    /// Why a node refused.
    pub(super) fn text_of_node(&mut self, shape: ShapeId, number: usize, host: &Rc<str>, refused: &Refused) -> String {
        match refused {
            Refused::Taints => {
                let taints = self.nodes[number].taints.clone();
                self.taint_text(shape, &taints)
            }
            Refused::Ports => {
                let conflict = self.nodes[number].ports.conflict(&self.shapes[shape].ports);
                conflict.map_or_else(String::new, |conflict| refusal::host_port(&conflict))
            }
            Refused::Volumes(text) => text.clone(),
            Refused::Room => refusal::EXCEEDS_NODE.to_owned(),
            other => self.requirements_text(shape, host, other, false),
        }
    }

    fn taint_text(&self, shape: ShapeId, all: &[Taint]) -> String {
        taints::refusal(&taints::not_tolerated(all, &self.shapes[shape].looks.spec.tolerations))
    }

    fn requirements_text(&self, shape: ShapeId, host: &Rc<str>, refused: &Refused, allow: bool) -> String {
        let of = &self.shapes[shape];
        let name = Rc::new(Requirement::any_of(labels::HOSTNAME, [host.clone()]));
        let allowed = allow.then(|| self.sets.well_known());
        let compare = |existing: &Requirements, asked: &Requirements| {
            existing.compatible(asked, allowed).map_or_else(|why| why.to_string(), |()| String::new())
        };
        match refused {
            Refused::Incompatible { existing, by_volumes } => {
                let asked = if *by_volumes { of.volume_requirements.as_ref() } else { Some(&of.requirements) };
                let asked = asked.map_or(Requirements::NONE, |split| self.sets.whole(split.set, split.host.as_ref()));
                let text = compare(&self.sets.whole(*existing, Some(&name)), &asked);
                if *by_volumes { format!("incompatible volume requirements, {text}") } else { text }
            }
            Refused::Domains { existing, asked } => {
                let with_host = |set| self.sets.whole(set, Some(&name));
                compare(&with_host(*existing), &with_host(*asked))
            }
            Refused::Topology { group, inverse, set } => {
                let group = if *inverse { &self.topology.inverse[*group] } else { &self.topology.groups[*group] };
                let key = &group.term.key;
                let strict = self.sets.whole(of.strict.set, of.strict.host.as_ref());
                let node = self.sets.whole(*set, Some(&name));
                let on_key = |from: &Requirements| {
                    from.get(key).map_or_else(|| Requirement::exists(key.clone()), |one| Requirement::clone(one))
                };
                group.refusal(&on_key(&strict), &on_key(&node), |claim| self.claims[claim].host.clone())
            }
            _ => String::new(),
        }
    }
}
