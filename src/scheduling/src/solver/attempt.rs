//! One pod tried on nodes, on NodeClaims to be, and on a new one of each template.

use super::amounts;
use super::bits::Bits;
use super::claim::{Claim, Joined, Refused};
use super::sets::SetId;
use super::shape::ShapeId;
use super::{Failure, Solver};
use crate::input::{MinValuesPolicy, ReservedOfferingMode};
use crate::instance_type::below_min_values;
use crate::requirements::Requirements;
use crate::results::Bin;
use crate::topology::group::Place;
use crate::volumes::Volumes;
use std::collections::BTreeSet;
use std::rc::Rc;

const NO_VOLUMES: &Volumes = &Volumes::new();

impl Solver<'_> {
    /// Tries the nodes in order.
    pub(super) fn add_to_node(&mut self, pod: usize, shape: ShapeId) -> bool {
        let traced = self.steps.is_some();
        for number in 0..self.nodes.len() {
            if !traced && self.shapes[shape].refused_by_nodes.has(number) {
                continue;
            }
            match self.fits_node(number, shape) {
                Ok(set) => {
                    self.place_on_node(pod, shape, number, set);
                    return true;
                }
                Err(refused) => {
                    if self.stays_refused(shape, &refused) {
                        self.shapes[shape].refused_by_nodes.insert(number);
                    }
                    let bin = Bin::Node(self.nodes[number].name.clone());
                    let host = self.nodes[number].host.clone();
                    self.refused(bin, |solver| solver.text_of_node(shape, number, &host, &refused));
                }
            }
        }
        false
    }

    fn fits_node(&mut self, number: usize, id: ShapeId) -> Result<SetId, Refused> {
        let (node, shape) = (&self.nodes[number], &self.shapes[id]);
        if !node.taints.is_empty() && !crate::taints::tolerates(&node.taints, &shape.looks.spec.tolerations) {
            return Err(Refused::Taints);
        }
        // A node with too many volumes takes no pod, even one that has none.
        let volumes = shape.looks.volumes.as_ref().map_or(NO_VOLUMES, |volumes| &volumes.volumes);
        if let Some(text) = node.volumes.exceeded_by(volumes) {
            return Err(Refused::Volumes(text));
        }
        if node.ports.conflict(&shape.ports).is_some() {
            return Err(Refused::Ports);
        }
        if node.is_overdrawn || !amounts::fits(&shape.amounts, &node.left) {
            return Err(Refused::Room);
        }
        let (set, host) = (node.set, node.host.clone());
        self.join_sets(id, set, &host, None, false)
    }

    /// The requirements of a place with those of the pod, of its volumes and of its topology.
    fn join_sets(
        &mut self,
        id: ShapeId,
        existing: SetId,
        host: &str,
        claim: Option<(usize, usize)>,
        allow: bool,
    ) -> Result<SetId, Refused> {
        let shape = &self.shapes[id];
        let by_host = shape.requirements.allows_host(host);
        let joined = by_host.then(|| self.sets.join(existing, shape.requirements.set, allow)).flatten();
        let mut set = joined.ok_or(Refused::Incompatible { existing, by_volumes: false })?;
        if let Some(volumes) = &shape.volume_requirements {
            let by_host = volumes.allows_host(host);
            let joined = by_host.then(|| self.sets.join(set, volumes.set, allow)).flatten();
            set = joined.ok_or(Refused::Incompatible { existing: set, by_volumes: true })?;
        }
        if !shape.has_topology() {
            return Ok(set);
        }
        self.join_topology(id, set, host, claim.map(|(number, _)| number), allow)
    }

    fn join_topology(
        &mut self,
        id: ShapeId,
        set: SetId,
        host: &str,
        claim: Option<usize>,
        allow: bool,
    ) -> Result<SetId, Refused> {
        let shape = &self.shapes[id];
        let place = Place { set, host, claim };
        let owned = shape.groups.iter().flatten().map(|number| (*number, false));
        let against = shape.inverse_selecting.iter().map(|number| (*number, true));
        let mut narrowed = set;
        let mut changed = false;
        for (number, inverse) in owned.chain(against) {
            let refused = Refused::Topology { group: number, inverse, set };
            let selects = inverse || shape.selecting.binary_search(&number).is_ok();
            let groups = if inverse { &mut self.topology.inverse } else { &mut self.topology.groups };
            let group = &mut groups[number];
            if group.is_hostname() {
                if !group.host_is_allowed(&shape.strict, selects, &place) {
                    return Err(refused);
                }
            } else {
                let domains = group.next(&shape.strict, selects, set, &mut self.sets).ok_or(refused)?;
                narrowed = self.sets.add(narrowed, domains);
                changed = true;
            }
        }
        if !changed {
            return Ok(set);
        }
        self.sets.join(set, narrowed, allow).ok_or(Refused::Domains { existing: set, asked: narrowed })
    }

    /// Whether a refusal holds as long as the requirements of what refused stay as they are: it has only less room and
    /// fewer types from now on, and host names only more pods.
    fn stays_refused(&self, shape: ShapeId, refused: &Refused) -> bool {
        match refused {
            Refused::Taints
            | Refused::Ports
            | Refused::Volumes(_)
            | Refused::Room
            | Refused::Incompatible { .. }
            | Refused::TooLarge => true,
            Refused::Topology { group, inverse, .. } => {
                let groups = if *inverse { &self.topology.inverse } else { &self.topology.groups };
                groups[*group].only_fills()
            }
            Refused::Types { .. } => !self.shapes[shape].has_topology(),
            Refused::Domains { .. } | Refused::ReservedTaken | Refused::ReservedLost => false,
        }
    }

    fn place_on_node(&mut self, pod: usize, id: ShapeId, number: usize, set: SetId) {
        let (node, shape) = (&mut self.nodes[number], &self.shapes[id]);
        node.pods.push(pod);
        for (left, wanted) in node.left.iter_mut().zip(&shape.amounts) {
            *left -= wanted;
        }
        let before = std::mem::replace(&mut node.set, set);
        let place = Place { set, host: &node.host, claim: None };
        self.topology.record(&shape.selecting, &shape.inverse_owned, &node.taints, &place, &mut self.sets);
        node.ports.add(&shape.ports);
        if let Some(volumes) = &shape.looks.volumes {
            node.volumes.add(&volumes.volumes);
        }
        let bin = Bin::Node(node.name.clone());
        if before != set {
            self.shapes.iter_mut().for_each(|shape| shape.refused_by_nodes.remove(number));
        }
        self.placed(bin, None, before, set, Vec::new());
    }

    /// Tries the NodeClaims to be, those with the fewest pods first.
    pub(super) fn add_to_claim(&mut self, pod: usize, shape: ShapeId) -> bool {
        self.order.sort();
        let traced = self.steps.is_some();
        for at in 0..self.order.len() {
            let number = self.order.claim(at);
            if !traced && self.shapes[shape].refused_by_claims.has(number) {
                continue;
            }
            match self.joins(number, shape) {
                Ok(joined) => {
                    self.order.grow(at);
                    self.place_on_claim(pod, shape, number, joined);
                    return true;
                }
                Err(refused) => {
                    if self.stays_refused(shape, &refused) {
                        self.shapes[shape].refused_by_claims.insert(number);
                    }
                    let (template, host) = (self.claims[number].template, self.claims[number].host.clone());
                    self.refused(Bin::Claim(number), |solver| solver.text(shape, template, &host, &refused));
                }
            }
        }
        false
    }

    fn joins(&mut self, number: usize, id: ShapeId) -> Result<Joined, Refused> {
        let (claim, shape) = (&self.claims[number], &self.shapes[id]);
        // The cheapest look first; the sentence that a step shows is that of the first check upstream.
        let room = claim.requests.iter().zip(&shape.amounts).zip(&claim.highest);
        if self.steps.is_none() && room.into_iter().any(|((have, more), highest)| have + more > *highest && *more > 0) {
            return Err(Refused::TooLarge);
        }
        let template = claim.template;
        if !shape.tolerates[template] {
            return Err(Refused::Taints);
        }
        if self.templates[template].ports.conflict(&shape.ports).is_some() {
            return Err(Refused::Ports);
        }
        let (before, host) = (claim.set, claim.host.clone());
        let set = self.join_sets(id, before, &host, Some((number, template)), true)?;
        let claim = &self.claims[number];
        let mut requests = claim.requests.clone();
        amounts::add(&mut requests, &self.shapes[id].amounts);
        let types = claim.types.clone();
        let held = !claim.reserved.is_empty();
        let (set, types) =
            self.filter_types(template, types, (set != before).then_some(set).ok_or(set), requests, false)?;
        let reserved = self.offerings_to_reserve(number, template, &types, set, held)?;
        Ok(Joined { set, types, reserved })
    }

    /// The types that have room, meet the requirements and can be had. `set` is an error if it is what the types were
    /// held to already.
    fn filter_types(
        &mut self,
        template: usize,
        types: Bits,
        set: Result<SetId, SetId>,
        requests: amounts::Amounts,
        relaxes: bool,
    ) -> Result<(SetId, Bits), Refused> {
        let table = &mut self.templates[template].types;
        let mut left = types.clone();
        table.keep_fitting(&mut left, &requests);
        if left.is_empty() && self.steps.is_none() {
            // The full reason is found out for the pods that fit nowhere.
            return Err(Refused::Types {
                set: set.unwrap_or_else(|same| same),
                types,
                requests,
                below: Default::default(),
            });
        }
        if let Ok(changed) = set {
            left.keep(&table.suiting(changed, &mut self.sets).both);
        }
        let mut set = set.unwrap_or_else(|same| same);
        let mut below = Default::default();
        if self.sets.has_min_values(set) {
            let listed = left.iter().map(|place| &*table.types[place]);
            below = below_min_values(listed, self.sets.get(set));
            if !below.is_empty() && relaxes {
                set = lowered(&mut self.sets, set, &std::mem::take(&mut below));
            }
        }
        if left.is_empty() || !below.is_empty() {
            return Err(Refused::Types { set, types, requests, below });
        }
        Ok((set, left))
    }

    /// The reservations that a NodeClaim would hold (core v1.9.0 `offeringsToReserve`).
    fn offerings_to_reserve(
        &mut self,
        number: usize,
        template: usize,
        types: &Bits,
        set: SetId,
        holds_some: bool,
    ) -> Result<BTreeSet<Rc<str>>, Refused> {
        let table = &self.templates[template].types;
        let mut found = BTreeSet::new();
        if !self.options.reserved_capacity || table.reserved.is_empty() {
            return Ok(found);
        }
        let mut any = false;
        for of in table.reserved.iter().filter(|of| types.has(of.0)) {
            if table.offering_suits(*of, set, &mut self.sets) {
                any = true;
                let id = table.types[of.0].offerings[of.1].reservation_id(&self.options.reservation_id_label);
                if self.reservations.can_reserve(number, id) {
                    found.insert(id.into());
                }
            }
        }
        if self.options.reserved_offering_mode == ReservedOfferingMode::Strict && found.is_empty() {
            if any {
                return Err(Refused::ReservedTaken);
            }
            if holds_some {
                return Err(Refused::ReservedLost);
            }
        }
        Ok(found)
    }

    fn place_on_claim(&mut self, pod: usize, id: ShapeId, number: usize, joined: Joined) {
        let (claim, shape) = (&mut self.claims[number], &self.shapes[id]);
        let template = &mut self.templates[claim.template];
        let opened = claim.pods.is_empty().then(|| template.pool.name.clone());
        claim.pods.push((pod, id));
        amounts::add(&mut claim.requests, &shape.amounts);
        if claim.types != joined.types || claim.highest.is_empty() {
            claim.highest = template.types.highest_allocatable(&joined.types);
        }
        claim.types = joined.types;
        let before = std::mem::replace(&mut claim.set, joined.set);
        self.topology.register_claim(number);
        let place = Place { set: joined.set, host: &claim.host, claim: Some(number) };
        let taints = &template.pool.taints;
        self.topology.record(&shape.selecting, &shape.inverse_owned, taints, &place, &mut self.sets);
        template.ports.add(&shape.ports);
        if !template.types.reserved.is_empty() {
            self.reservations.hold(number, &joined.reserved);
        }
        claim.reserved = joined.reserved;
        let left = match &self.steps {
            Some(_) => super::template::type_names(template, &claim.types),
            None => Vec::new(),
        };
        if before != joined.set {
            self.shapes.iter_mut().for_each(|shape| shape.refused_by_claims.remove(number));
        }
        self.placed(Bin::Claim(number), opened, before, joined.set, left);
    }

    /// Opens a NodeClaim of the first template that takes the pod.
    pub(super) fn add_to_new_claim(&mut self, pod: usize, shape: ShapeId) -> Result<(), Failure> {
        let mut reasons = Vec::new();
        for template in 0..self.templates.len() {
            let of = &self.templates[template];
            let mut types = of.options.clone();
            of.types.keep_within(&mut types, &of.left);
            let name = of.pool.name.clone();
            if types.is_empty() {
                reasons.push((template, name.clone(), None));
                self.refused(Bin::NodePool(name.clone()), |_| crate::refusal::limits(&name));
                continue;
            }
            self.hosts += 1;
            let claim = Claim {
                template,
                host: format!("hostname-placeholder-{:04}", self.hosts).into(),
                set: of.set,
                requests: self.names.row(&of.daemons),
                types,
                highest: Vec::new(),
                pods: Vec::new(),
                reserved: BTreeSet::new(),
                min_values_relaxed: false,
            };
            match self.opens(&claim, shape) {
                Ok(joined) => {
                    self.open(pod, shape, claim, joined);
                    return Ok(());
                }
                Err(refused) => {
                    let host = claim.host.clone();
                    self.refused(Bin::NodePool(name), |solver| solver.text(shape, template, &host, &refused));
                    let is_reserved = refused.is_reserved();
                    reasons.push((template, host, Some(refused)));
                    if is_reserved {
                        break;
                    }
                }
            }
        }
        Err(Failure::Refused { shape, reasons })
    }

    fn opens(&mut self, claim: &Claim, id: ShapeId) -> Result<Joined, Refused> {
        let (template, shape) = (claim.template, &self.shapes[id]);
        if !shape.tolerates[template] {
            return Err(Refused::Taints);
        }
        if self.templates[template].ports.conflict(&shape.ports).is_some() {
            return Err(Refused::Ports);
        }
        let number = self.claims.len();
        let set = self.join_sets(id, claim.set, &claim.host, Some((number, template)), true)?;
        let mut requests = claim.requests.clone();
        amounts::add(&mut requests, &self.shapes[id].amounts);
        let relaxes = self.options.min_values_policy == MinValuesPolicy::BestEffort;
        let (set, types) = self.filter_types(template, claim.types.clone(), Ok(set), requests, relaxes)?;
        let reserved = self.offerings_to_reserve(number, template, &types, set, false)?;
        Ok(Joined { set, types, reserved })
    }

    fn open(&mut self, pod: usize, shape: ShapeId, mut claim: Claim, joined: Joined) {
        let (before, after) = (self.sets.get(claim.set), self.sets.get(joined.set));
        claim.min_values_relaxed = before.iter().any(|one| {
            let now = after.get(&one.key).and_then(|now| now.min_values);
            one.min_values.zip(now).is_some_and(|(before, now)| now < before)
        });
        let (number, template) = (self.claims.len(), claim.template);
        self.claims.push(claim);
        self.order.open(number);
        self.place_on_claim(pod, shape, number, joined);
        let of = &mut self.templates[template];
        if !of.left.is_empty() {
            let capacity = of.types.highest_capacity(&self.claims[number].types);
            of.left.iter_mut().for_each(|(place, left)| *left -= capacity[*place]);
        }
    }

    fn placed(&mut self, bin: Bin, opened: Option<Rc<str>>, before: SetId, after: SetId, types_left: Vec<Rc<str>>) {
        let Some(step) = self.steps.as_mut().and_then(|steps| steps.last_mut()) else { return };
        let (before, after) = (self.sets.get(before), self.sets.get(after));
        let gained = after.iter().filter(|one| before.get(&one.key) != Some(one));
        step.requirements_added = gained.map(ToString::to_string).collect();
        step.placed = Some(bin);
        step.opened = opened;
        step.types_left = types_left;
    }
}

/// A set with `minValues` lowered to the number of values that there are.
fn lowered(sets: &mut super::sets::Sets, set: SetId, below: &std::collections::BTreeMap<Rc<str>, u32>) -> SetId {
    let mut lowered = Requirements::clone(sets.get(set));
    for (key, count) in below {
        if let Some(one) = lowered.get(key).cloned() {
            lowered.replace((*one).clone().with_min_values(Some(*count)));
        }
    }
    sets.number(lowered)
}
