//! What the types can't say: known names, bounds, claims that exist.
//!
//! Every check speaks in paths; the caller turns them into lines of the file.

mod by_hand;
mod catalogue;
mod chaos;
mod clients;
mod cloud;
mod clusters;
mod expect;
mod faults;
mod labels;
mod start;
mod workload;

use crate::manifest::Severity;
use crate::path::Path;
use crate::suggest::nearest;
use crate::value::{Delay, Span};
use crate::{Names, Scenario, manifest};

/// How many known names a message lists.
const SHOWN: usize = 12;

/// Something that a check does not accept.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Where, in the scenario.
    pub path: Path,
    /// Whether the key is meant, and not its value.
    pub at_key: bool,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// How bad it is.
    pub severity: Severity,
}

/// No duration may be longer.
pub const LONGEST: Span = Span::mins(30 * 24 * 60);

/// So many findings are kept. Some may be about what is known to be damaged, so that it is more than are shown.
const MAX_FINDINGS: usize = 500;

/// The shortest pause of a loop of the provider: with less it would turn a million times a second.
const LEAST_PAUSE: std::time::Duration = std::time::Duration::from_millis(1);

/// A check in progress.
pub struct Checker<'a> {
    scenario: &'a Scenario,
    names: &'a Names<'a>,
    damaged: &'a dyn Fn(&Path) -> bool,
    found: Vec<Finding>,
}

/// Checks a scenario. `damaged` tells of paths where mistakes are already known, which would only be told twice.
pub fn check(scenario: &Scenario, names: &Names<'_>, damaged: &dyn Fn(&Path) -> bool) -> Vec<Finding> {
    let mut checker = Checker { scenario, names, damaged, found: Vec::new() };
    checker.top();
    checker.cloud();
    checker.clusters();
    checker.karpenter();
    checker.workload();
    checker.faults();
    checker.by_hand();
    checker.chaos();
    checker.clients();
    checker.expect();
    checker.catalogue();
    checker.objects();
    let mut found = checker.found;
    found.retain(|finding| !damaged(&finding.path));
    found
}

impl<'a> Checker<'a> {
    fn wrong(&mut self, path: Path, message: impl Into<String>) {
        self.push(Finding { path, at_key: false, message: message.into(), help: None, severity: Severity::Error });
    }

    /// Keeps a finding, unless there are far more than are ever shown.
    fn push(&mut self, finding: Finding) {
        if !self.is_full() {
            self.found.push(finding);
        }
    }

    /// Whether no more findings are kept, so that none needs words or help.
    fn is_full(&self) -> bool {
        self.found.len() >= MAX_FINDINGS
    }

    /// A name that must be among the known ones; an empty list knows all.
    fn known(&mut self, path: Path, kind: &str, name: &str, known: &[&str]) {
        if !known.is_empty() && !known.contains(&name) {
            self.unknown(path, kind, name, known, false);
        }
    }

    fn unknown(&mut self, path: Path, kind: &str, name: &str, known: &[&str], at_key: bool) {
        if self.is_full() {
            return;
        }
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None if known.len() <= SHOWN => Some(format!("known: {}", crate::decode::list_names(known))),
            None => {
                let some = crate::decode::list_names(&known[..SHOWN]);
                Some(format!("known: {some} and {} more", known.len() - SHOWN))
            }
        };
        self.push(Finding {
            path,
            at_key,
            message: format!("unknown {kind} `{}`", crate::decode::shortened(name)),
            help,
            severity: Severity::Error,
        });
    }

    /// What is said of Kubernetes objects.
    fn objects(&mut self) {
        if (self.damaged)(&Path::default().key("clusters")) {
            return;
        }
        for finding in self.scenario.said_of_objects(self.names) {
            let manifest::Finding { severity, path, at_key, message, help } = finding;
            self.push(Finding { path, at_key, message, help, severity });
        }
        self.node_claims_of_manifests();
    }

    /// A NodeClaim with a machine stands for a Linode, whose plan must be known, in a name that no other has.
    fn node_claims_of_manifests(&mut self) {
        if self.scenario.manifests.is_empty() {
            return;
        }
        let path = Path::default().key("manifests");
        for place in 0..self.scenario.cluster_count() {
            let made: std::collections::BTreeSet<String> =
                self.scenario.part(place).scenario.all_claims().into_iter().map(|(name, _)| name).collect();
            let places = self.scenario.node_claim_places(place);
            for claim in &self.scenario.objects(place).node_claims {
                let name = claim.name();
                let path = places.get(&**name).unwrap_or(&path).clone();
                if made.contains(&**name) {
                    self.wrong(path.key("metadata").key("name"), format!("another NodeClaim is called `{name}`"));
                }
                match manifest::start::plan(claim) {
                    Some(plan) => {
                        let path = manifest::start::place_of_plan(&path, claim);
                        self.known(path, "instance type", &plan, self.names.types);
                    }
                    None if claim.status.provider_id.is_none() => {}
                    None => {
                        let message = "by which its Linode would be known";
                        let message = format!("`{name}` has no label `node.kubernetes.io/instance-type`, {message}");
                        self.wrong(path.clone(), message);
                    }
                }
            }
        }
    }

    /// A duration within the bound, and not zero if it would stand still.
    fn span(&mut self, path: Path, span: Span, may_be_zero: bool) {
        if span > LONGEST {
            self.wrong(path, format!("{span} is too long; expected at most {} days", LONGEST.get().as_secs() / 86_400));
        } else if span == Span::ZERO && !may_be_zero {
            self.wrong(path, "found `0s`; expected more than no time");
        }
    }

    fn delay(&mut self, path: Path, delay: &Delay) {
        self.span(path, delay.quantiles().max().into(), true);
    }

    fn delays(&mut self, above: &Path, delays: &[(&str, &Option<Delay>)]) {
        for (name, delay) in delays {
            if let Some(delay) = delay {
                self.delay(above.key(name), delay);
            }
        }
    }

    fn at_most(&mut self, path: Path, value: u64, low: u64, high: u64) {
        if !(low..=high).contains(&value) {
            self.wrong(path, format!("found {value}; expected {low} to {high}"));
        }
    }

    /// The name of a Kubernetes object: at most `longest` of small letters, digits and hyphens.
    fn object_name(&mut self, path: Path, name: &str, longest: usize) {
        let inner = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        let ends_well = !name.starts_with('-') && !name.ends_with('-');
        if name.is_empty() || name.len() > longest || !inner || !ends_well {
            let message = format!(
                "found `{}`; expected a name of 1 to {longest} small letters, digits and inner hyphens",
                crate::decode::shortened(name)
            );
            self.wrong(path, message);
        }
    }

    /// Text that every reader of YAML and JSON gives back as it was, and that a terminal only shows.
    fn printable(&mut self, path: Path, text: &str) {
        let odd = |c: char| {
            let breaks_lines = matches!(c, '\u{2028}' | '\u{2029}');
            let is_no_text = matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
            (c.is_control() && c != '\n' && c != '\t') || breaks_lines || is_no_text
        };
        if let Some(odd) = text.chars().find(|c| odd(*c)) {
            let message = format!("found the control character U+{:04X}; expected printable text", u32::from(odd));
            self.wrong(path, message);
        }
    }

    fn top(&mut self) {
        let top = Path::default();
        let scenario = self.scenario;
        if scenario.about.trim().is_empty() {
            self.wrong(top.key("about"), "the text is empty; expected what the scenario shows");
        }
        self.printable(top.key("about"), &scenario.about);
        if let Some(design) = &scenario.design {
            self.known(top.key("design"), "design", design, self.names.designs);
        }
        self.span(top.key("duration"), scenario.duration, false);
        self.span(top.key("calm"), scenario.calm, true);
    }

    fn karpenter(&mut self) {
        let scenario = self.scenario;
        let karpenter = &scenario.karpenter;
        let path = Path::default().key("karpenter");
        self.at_most(path.key("controller_cpus"), karpenter.controller_cpus.into(), 1, 1_000);
        self.at_most(path.key("node_cpus"), karpenter.node_cpus.into(), 1, 1_000);
        self.span(path.key("launch_timeout"), karpenter.launch_timeout, false);
        self.span(path.key("registration_timeout"), karpenter.registration_timeout, false);
        self.span(path.key("batch_idle_duration"), scenario.batch_idle_duration(), false);
        self.span(path.key("batch_max_duration"), scenario.batch_max_duration(), false);
        self.span(path.key("compute_cost").key("per_pass"), karpenter.compute_cost.per_pass, true);
        self.span(path.key("compute_cost").key("per_pod"), karpenter.compute_cost.per_pod, true);
        self.processes();
        let provider = &self.scenario.provider;
        let path = Path::default().key("provider");
        // Without a pause a loop would turn for ever at one instant.
        let spans = [
            ("create_deadline", provider.create_deadline, true),
            ("retry_delay", provider.retry_delay, false),
            ("verify_timeout", provider.verify_timeout, true),
            ("verify_every", provider.verify_every, false),
            ("orphan_ttl", provider.orphan_ttl, true),
            ("gc_every", provider.gc_every, false),
            ("gc_every_at_start", provider.gc_every_at_start, false),
            ("instance_cache", provider.instance_cache, true),
            ("offerings_every", provider.offerings_every, false),
            ("unavailable_for", provider.unavailable_for, true),
            ("request_timeout", provider.request_timeout, false),
        ];
        for (name, span, may_be_zero) in spans {
            if let Some(span) = span {
                self.span(path.key(name), span, may_be_zero);
                if !may_be_zero && !span.get().is_zero() && span.get() < LEAST_PAUSE {
                    self.wrong(path.key(name), format!("{span} is too short; expected at least 1ms"));
                }
            }
        }
        self.settings_of_the_designs(&path);
    }

    /// What is set must be a setting of every design that will run: to ignore it would be to answer another question.
    fn settings_of_the_designs(&mut self, path: &Path) {
        let designs = self.designs_that_run();
        for name in self.scenario.provider.named() {
            let lacks = |design: &&&str| {
                let known = self.names.settings.iter().find(|(known, _)| known == *design);
                known.is_some_and(|(_, settings)| !settings.contains(&name))
            };
            if let Some(design) = designs.iter().find(lacks) {
                let message = format!("the design `{design}`, which is to run, has no setting `{name}`");
                let help = Some(format!("`lkesim explain {design}` lists those that it has"));
                let path = path.key(name);
                self.push(Finding { path, at_key: true, message, help, severity: Severity::Error });
            }
        }
    }

    fn designs_that_run(&self) -> Vec<&'a str> {
        if !self.names.running.is_empty() {
            return self.names.running.to_vec();
        }
        let of_run = self.scenario.design.as_deref().or(self.names.usual_design);
        let clusters = &self.scenario.clusters;
        let mut designs: Vec<&str> = clusters.iter().filter_map(|cluster| cluster.design.as_deref()).collect();
        if designs.len() < self.scenario.cluster_count() {
            designs.extend(of_run);
        }
        designs
    }
}
