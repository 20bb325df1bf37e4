//! One requirement on a label, as the set of the values that it allows.
//!
//! A set is either listed or all but what is listed; the latter may have bounds, within which values are whole numbers.
//! That an empty listed set means "the label is not set" and all others "it is set", except for NotIn, is decided where
//! requirements are compared (`Requirements::intersects`), as in core v1.9.0 `pkg/scheduling/requirement.go`.

use lkesim_kube::object::{Operator, Requirement as Selector, labels};
use std::fmt;
use std::rc::Rc;

/// The values that a label may have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requirement {
    /// The label's key.
    pub key: Rc<str>,
    /// Whether `values` are what is not allowed.
    complement: bool,
    /// Sorted.
    values: Vec<Rc<str>>,
    gte: Option<i64>,
    lte: Option<i64>,
    /// How many values the types of a NodeClaim must have between them.
    pub min_values: Option<u32>,
}

/// Keys that older versions of Kubernetes used, and what they are called since.
const NORMALIZED: [(&str, &str); 5] = [
    ("failure-domain.beta.kubernetes.io/zone", labels::ZONE),
    ("beta.kubernetes.io/arch", labels::ARCH),
    ("beta.kubernetes.io/os", labels::OS),
    ("beta.kubernetes.io/instance-type", labels::INSTANCE_TYPE),
    ("failure-domain.beta.kubernetes.io/region", labels::REGION),
];

fn normalized(key: Rc<str>) -> Rc<str> {
    match NORMALIZED.iter().find(|(old, _)| **old == *key) {
        Some((_, since)) => (*since).into(),
        None => key,
    }
}

impl Requirement {
    /// What a node selector requirement allows. Gt and Lt are the same as Gte and Lte of the next number.
    pub fn new(selector: &Selector) -> Requirement {
        let key = normalized(selector.key.clone());
        let all = Requirement {
            key,
            complement: true,
            values: Vec::new(),
            gte: None,
            lte: None,
            min_values: selector.min_values,
        };
        let bound = || selector.values.first().map_or(0, |text| number(text));
        match selector.operator {
            Operator::In => Requirement { complement: false, values: sorted(selector.values.iter().cloned()), ..all },
            Operator::NotIn => Requirement { values: sorted(selector.values.iter().cloned()), ..all },
            Operator::Exists => all,
            Operator::DoesNotExist => Requirement { complement: false, ..all },
            // No number is above the largest, and upstream drops minValues there.
            Operator::Gt if bound() == i64::MAX => Requirement { complement: false, min_values: None, ..all },
            Operator::Gt => Requirement { gte: Some(bound() + 1), ..all },
            Operator::Lt => Requirement { lte: Some(bound().wrapping_sub(1)), ..all },
            Operator::Gte => Requirement { gte: Some(bound()), ..all },
            Operator::Lte => Requirement { lte: Some(bound()), ..all },
        }
    }

    /// One of these values.
    pub fn any_of(key: impl Into<Rc<str>>, values: impl IntoIterator<Item = Rc<str>>) -> Requirement {
        let key = normalized(key.into());
        Requirement { key, complement: false, values: sorted(values), gte: None, lte: None, min_values: None }
    }

    /// Any value.
    pub fn exists(key: impl Into<Rc<str>>) -> Requirement {
        Requirement { complement: true, ..Requirement::any_of(key, []) }
    }

    /// With this `minValues`.
    #[must_use]
    pub fn with_min_values(self, min_values: Option<u32>) -> Requirement {
        Requirement { min_values, ..self }
    }

    /// What both allow. Of two `minValues` the larger holds.
    #[must_use]
    pub fn intersection(&self, other: &Requirement) -> Requirement {
        let complement = self.complement && other.complement;
        let (gte, lte) = (self.gte.max(other.gte), lower(self.lte, other.lte));
        let min_values = self.min_values.max(other.min_values);
        let none = Requirement {
            key: self.key.clone(),
            complement: false,
            values: Vec::new(),
            gte: None,
            lte: None,
            min_values,
        };
        if is_void(gte, lte) {
            return none;
        }
        let mut values: Vec<Rc<str>> = match (self.complement, other.complement) {
            (true, true) => sorted(self.values.iter().chain(&other.values).cloned()),
            (true, false) => other.values.iter().filter(|value| !self.lists(value)).cloned().collect(),
            (false, true) => self.values.iter().filter(|value| !other.lists(value)).cloned().collect(),
            (false, false) => self.values.iter().filter(|value| other.lists(value)).cloned().collect(),
        };
        values.retain(|value| is_within(value, gte, lte));
        // Bounds of a listed set are spent.
        let (gte, lte) = if complement { (gte, lte) } else { (None, None) };
        Requirement { complement, values, gte, lte, ..none }
    }

    /// Whether both allow some value. Two sets of all but some always do, as long as the bounds leave a number.
    pub fn has_intersection(&self, other: &Requirement) -> bool {
        let (gte, lte) = (self.gte.max(other.gte), lower(self.lte, other.lte));
        if is_void(gte, lte) {
            return false;
        }
        let within = |value: &&Rc<str>| is_within(value, gte, lte);
        match (self.complement, other.complement) {
            (true, true) => true,
            (true, false) => other.values.iter().filter(|value| !self.lists(value)).any(|value| within(&value)),
            (false, true) => self.values.iter().filter(|value| !other.lists(value)).any(|value| within(&value)),
            (false, false) => self.values.iter().filter(|value| other.lists(value)).any(|value| within(&value)),
        }
    }

    /// Whether it allows the value.
    pub fn has(&self, value: &str) -> bool {
        self.lists(value) != self.complement && is_within(value, self.gte, self.lte)
    }

    /// The listed values, which are those not allowed if it is a NotIn.
    pub fn values(&self) -> &[Rc<str>] {
        &self.values
    }

    /// How many values are allowed, if they are listed.
    pub fn len(&self) -> Option<usize> {
        (!self.complement).then_some(self.values.len())
    }

    /// Whether no value is allowed: the label is not set.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// In, NotIn, Exists or DoesNotExist. Bounds alone count as Exists.
    pub fn operator(&self) -> Operator {
        match (self.complement, self.values.is_empty()) {
            (true, true) => Operator::Exists,
            (true, false) => Operator::NotIn,
            (false, false) => Operator::In,
            (false, true) => Operator::DoesNotExist,
        }
    }

    /// Whether a node without the label meets it: NotIn and DoesNotExist.
    pub fn is_met_without(&self) -> bool {
        matches!(self.operator(), Operator::NotIn | Operator::DoesNotExist)
    }

    /// One value that it allows, for the label of a node: upstream takes any, here the first by name, or the lowest
    /// number that is not forbidden.
    pub fn any(&self) -> Option<Rc<str>> {
        if !self.complement {
            return self.values.first().cloned();
        }
        let lowest = self.gte.unwrap_or(0).min(self.lte.unwrap_or(i64::MAX));
        (lowest..).map(|number| Rc::from(number.to_string())).find(|value| !self.lists(value))
    }

    /// As node selector requirements: two where it has both bounds. What a bounded set forbids besides is lost, as
    /// upstream loses it.
    pub fn to_selectors(&self) -> Vec<Selector> {
        let of = |operator: Operator, values: Vec<Rc<str>>| Selector {
            min_values: self.min_values,
            ..Selector::new(self.key.clone(), operator, values)
        };
        let bound = |operator, number: i64| of(operator, vec![number.to_string().into()]);
        match (self.gte, self.lte) {
            (Some(gte), Some(lte)) => vec![bound(Operator::Gte, gte), bound(Operator::Lte, lte)],
            (Some(gte), None) => vec![bound(Operator::Gte, gte)],
            (None, Some(lte)) => vec![bound(Operator::Lte, lte)],
            (None, None) => vec![of(self.operator(), self.values.clone())],
        }
    }

    fn lists(&self, value: &str) -> bool {
        self.values.binary_search_by(|one| (**one).cmp(value)).is_ok()
    }
}

fn sorted(values: impl IntoIterator<Item = Rc<str>>) -> Vec<Rc<str>> {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_unstable();
    values.dedup();
    values
}

fn lower(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

fn is_void(gte: Option<i64>, lte: Option<i64>) -> bool {
    gte.zip(lte).is_some_and(|(gte, lte)| gte > lte)
}

/// Between bounds, what is no number is not allowed.
fn is_within(value: &str, gte: Option<i64>, lte: Option<i64>) -> bool {
    if gte.is_none() && lte.is_none() {
        return true;
    }
    let Ok(value) = value.parse::<i64>() else { return false };
    gte.is_none_or(|gte| value >= gte) && lte.is_none_or(|lte| value <= lte)
}

/// Go's Atoi with the error thrown away: the nearest number, 0 for what is none.
fn number(text: &str) -> i64 {
    use std::num::IntErrorKind;
    text.parse().unwrap_or_else(|error: std::num::ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => i64::MAX,
        IntErrorKind::NegOverflow => i64::MIN,
        _ => 0,
    })
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.operator() {
            Operator::In => "In",
            Operator::NotIn => "NotIn",
            Operator::Exists => "Exists",
            _ => "DoesNotExist",
        };
        write!(f, "{} {name}", self.key)?;
        if !self.values.is_empty() {
            let shown = &self.values[..self.values.len().min(5)];
            write!(f, " [{}", shown.join(" "))?;
            if self.values.len() > 5 {
                write!(f, " and {} others", self.values.len() - 5)?;
            }
            f.write_str("]")?;
        }
        if let Some(gte) = self.gte {
            write!(f, " >={gte}")?;
        }
        if let Some(lte) = self.lte {
            write!(f, " <={lte}")?;
        }
        match self.min_values {
            Some(count) => write!(f, " minValues {count}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
