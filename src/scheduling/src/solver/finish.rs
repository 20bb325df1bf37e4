//! From what a pass knows to what it decides.

use super::claim::Claim;
use super::{Failure, Solver};
use crate::input::MinValuesPolicy;
use crate::instance_type::{below_min_values, min_values_refusal};
use crate::refusal;
use crate::results::{NewNodeClaim, PodError, Results};
use lkesim_kube::object::Pod;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Solver<'_> {
    pub(super) fn finish(mut self, failures: BTreeMap<usize, Failure>) -> Results {
        let mut results = Results::default();
        for (pod, failure) in failures {
            let is_reserved_offering = failure.is_reserved();
            let message = self.message(failure);
            results.pod_errors.push(PodError { pod: self.pod(pod), message, is_reserved_offering });
        }
        for claim in std::mem::take(&mut self.claims) {
            match self.new_node_claim(&claim) {
                Ok(made) => results.new_node_claims.push(made),
                Err(message) => {
                    let error = |(pod, _): &(usize, usize)| PodError {
                        pod: self.pod(*pod),
                        message: message.clone(),
                        is_reserved_offering: false,
                    };
                    results.pod_errors.extend(claim.pods.iter().map(error));
                }
            }
        }
        let used = self.nodes.iter().filter(|node| !node.pods.is_empty());
        let placed = |pods: &[usize]| pods.iter().map(|pod| self.pod(*pod)).collect();
        results.existing_nodes = used.map(|node| (node.name.clone(), placed(&node.pods))).collect();
        results.steps = self.steps.take().unwrap_or_default();
        results
    }

    fn pod(&self, pod: usize) -> Rc<Pod> {
        self.problem.pods[pod].clone()
    }

    fn message(&mut self, failure: Failure) -> String {
        match failure {
            Failure::ResourceClaims => refusal::RESOURCE_CLAIMS.to_owned(),
            Failure::NoTemplate => refusal::NO_TEMPLATE.to_owned(),
            Failure::Refused { shape, reasons } => {
                let mut texts = Vec::new();
                for (template, host, refused) in reasons {
                    texts.push(match refused {
                        Some(refused) => self.text(shape, template, &host, &refused),
                        None => refusal::limits(&host),
                    });
                }
                texts.join("; ")
            }
        }
    }

    fn new_node_claim(&self, claim: &Claim) -> Result<NewNodeClaim, String> {
        let template = &self.templates[claim.template];
        let pool = &template.pool;
        let mut requests = template.daemons.clone();
        claim.pods.iter().for_each(|(_, shape)| requests.add(&self.shapes[*shape].requests));
        let mut annotations = pool.annotations.clone();
        let relaxed = if claim.min_values_relaxed { "true" } else { "false" };
        annotations.insert("karpenter.sh/nodeclaim-min-values-relaxed", relaxed);
        let mut made = NewNodeClaim {
            node_pool: pool.name.clone(),
            labels: template.labels.clone(),
            annotations,
            node_class_ref: pool.node_class_ref.clone(),
            requirements: (**self.sets.get(claim.set)).clone(),
            instance_types: template.types.listed(&claim.types),
            requests,
            taints: pool.taints.clone(),
            startup_taints: pool.startup_taints.clone(),
            pods: claim.pods.iter().map(|(pod, _)| self.pod(*pod)).collect(),
        };
        if !claim.reserved.is_empty() {
            made.reserve(&self.options.reservation_id_label, claim.reserved.iter().cloned().collect());
        }
        made.truncate(&self.options.well_known_labels, self.options.max_instance_types);
        if self.options.min_values_policy == MinValuesPolicy::Strict {
            let below = below_min_values(made.instance_types.iter().map(|one| &**one), &made.requirements);
            if !below.is_empty() {
                return Err(format!(
                    "pod didn’t schedule because NodePool couldn’t meet minValues requirements, validating minValues, {} \
                     (NodePool={})",
                    min_values_refusal(&below),
                    pool.name
                ));
            }
        }
        Ok(made)
    }
}
