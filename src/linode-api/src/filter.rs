//! `X-Filter` as a type, judged as the server judges it.
//!
//! The header is a JSON object. A key is a field, a scalar value means equality, several keys are ANDed; `+and` and
//! `+or` take arrays of objects, and a field's value may be an object of operators. What the server's documentation
//! does not name is refused, never guessed: a filter that a server stops honouring is silently the whole collection.
//!
//! Sources: Linode's OpenAPI prose (4.176.0) for the grammar; the readings that it leaves open stand beside each item.

mod fields;
mod parse;
mod render;

pub use fields::{Filterable, filterable_fields};
pub use parse::{FilterError, MAX_DEPTH, MAX_TESTS, TOO_LARGE};

use crate::error::ApiError;
use crate::request::Endpoint;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An `X-Filter` header. Clones share it, and its hash is taken once.
#[derive(Clone, Debug)]
pub struct Filter(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    clauses: Vec<Clause>,
    order_by: Option<Arc<str>>,
    order: Option<Order>,
    hash: u64,
}

/// One member of a filter's object. Members are ANDed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clause {
    /// A field's test.
    Field(Atom),
    /// `+and`: every object holds. An empty one holds, as a Terraform provider sends it.
    And(Vec<Vec<Clause>>),
    /// `+or`: some object holds.
    Or(Vec<Vec<Clause>>),
}

/// A test of one field: the leaf of a filter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom {
    /// The field; dots reach nested ones.
    pub field: Arc<str>,
    /// How it is compared.
    pub operator: Operator,
    /// With what.
    pub value: Scalar,
}

/// How a field is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// A bare value: some value of the field is this one. An array "has" it.
    Equals,
    /// `+contains`: some value of the field has this text, or one of these texts, in it. The only reading under which
    /// the provider's filters on tags work (provider e1c5200). It minds case, which no source says.
    Contains,
    /// `+neq`: no value of the field is this one. What it means for arrays, no source says.
    NotEquals,
    /// `+gt`
    Greater,
    /// `+gte`
    AtLeast,
    /// `+lt`
    Less,
    /// `+lte`
    AtMost,
}

impl Operator {
    /// The operators that are written, with their names.
    const NAMES: [(&'static str, Operator); 6] = [
        ("+contains", Operator::Contains),
        ("+neq", Operator::NotEquals),
        ("+gt", Operator::Greater),
        ("+gte", Operator::AtLeast),
        ("+lt", Operator::Less),
        ("+lte", Operator::AtMost),
    ];
}

/// The direction of `+order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// `asc`, the default.
    Ascending,
    /// `desc`.
    Descending,
}

/// What a field is compared with. Fractions are not modelled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Number(i128),
    /// A string.
    Text(Arc<str>),
    /// An array of strings, which `+contains` alone takes here. Provider e1c5200 sends one
    /// (`pkg/providers/instance/instance.go`, `List`); what the server makes of it, no source says.
    Texts(Arc<[Arc<str>]>),
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Scalar {
        Scalar::Text(text.into())
    }
}

impl From<u64> for Scalar {
    fn from(number: u64) -> Scalar {
        Scalar::Number(number.into())
    }
}

impl From<bool> for Scalar {
    fn from(truth: bool) -> Scalar {
        Scalar::Bool(truth)
    }
}

/// One value of an object's field. An array has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Number(i128),
    /// A string.
    Text(&'a str),
}

impl Value<'_> {
    /// Whether it is what a filter writes as `scalar`. A number may be written as a string: the cluster API provider
    /// sends `{"id":"123"}`.
    fn is(self, scalar: &Scalar) -> bool {
        match (self, scalar) {
            (Value::Null, Scalar::Null) => true,
            (Value::Bool(own), Scalar::Bool(other)) => own == *other,
            (Value::Number(own), Scalar::Number(other)) => own == *other,
            (Value::Number(own), Scalar::Text(other)) => other.parse() == Ok(own),
            (Value::Text(own), Scalar::Text(other)) => own == &**other,
            _ => false,
        }
    }

    /// How it compares with what a filter writes as `scalar`, where both are of one kind.
    fn compare(self, scalar: &Scalar) -> Option<std::cmp::Ordering> {
        match (self, scalar) {
            (Value::Number(own), Scalar::Number(other)) => Some(own.cmp(other)),
            (Value::Text(own), Scalar::Text(other)) => Some(own.cmp(other)),
            _ => None,
        }
    }
}

impl Atom {
    /// Whether the field whose values `visit` walks passes. `visit` calls the test on each value until one holds, and
    /// says whether one did.
    pub fn holds(&self, visit: impl FnOnce(&mut dyn FnMut(Value<'_>) -> bool) -> bool) -> bool {
        let found = visit(&mut |value| self.passes(value));
        found != (self.operator == Operator::NotEquals)
    }

    /// Whether one value passes; of `+neq`, whether one value fails.
    fn passes(&self, value: Value<'_>) -> bool {
        let ordered = |test: fn(std::cmp::Ordering) -> bool| value.compare(&self.value).is_some_and(test);
        match self.operator {
            Operator::Equals | Operator::NotEquals => value.is(&self.value),
            Operator::Contains => match (value, &self.value) {
                (Value::Text(own), Scalar::Text(part)) => has_part(own, part),
                (Value::Text(own), Scalar::Texts(parts)) => parts.iter().any(|part| has_part(own, part)),
                _ => false,
            },
            Operator::Greater => ordered(std::cmp::Ordering::is_gt),
            Operator::AtLeast => ordered(std::cmp::Ordering::is_ge),
            Operator::Less => ordered(std::cmp::Ordering::is_lt),
            Operator::AtMost => ordered(std::cmp::Ordering::is_le),
        }
    }
}

/// Whether `text` has `part` in it. Tags are short and of nearly equal length, where trying each place beats the set-up
/// of the standard library's search.
pub fn has_part(text: &str, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let Some((first, rest)) = part.split_first() else {
        return true;
    };
    let Some(places) = text.len().checked_sub(rest.len()) else {
        return false;
    };
    (0..places).any(|at| text[at] == *first && text[at + 1..].starts_with(rest))
}

impl Filter {
    /// The filter of these clauses, all of which must hold.
    pub fn new(clauses: Vec<Clause>) -> Filter {
        Filter::ordered(clauses, None, None)
    }

    /// The filter of these clauses, with an order.
    pub fn ordered(clauses: Vec<Clause>, order_by: Option<Arc<str>>, order: Option<Order>) -> Filter {
        let mut hasher = Mixer(0);
        (&clauses, &order_by, order).hash(&mut hasher);
        let hash = hasher.finish();
        Filter(Arc::new(Shared { clauses, order_by, order, hash }))
    }

    /// `{"<field>": <value>}`
    pub fn field(field: &str, value: impl Into<Scalar>) -> Filter {
        Filter::compare(field, Operator::Equals, value)
    }

    /// `{"<field>": {"<operator>": <value>}}`
    pub fn compare(field: &str, operator: Operator, value: impl Into<Scalar>) -> Filter {
        let (field, value) = (field.into(), value.into());
        Filter::new(vec![Clause::Field(Atom { field, operator, value })])
    }

    /// `{"tags": "<tag>"}`: the object has this very tag.
    pub fn tag(tag: &str) -> Filter {
        Filter::field("tags", tag)
    }

    /// `{"tags": {"+contains": "<part>"}}`: some tag has `part` in it.
    pub fn tag_contains(part: &str) -> Filter {
        Filter::compare("tags", Operator::Contains, part)
    }

    /// `{"tags": {"+contains": [<parts>]}}`
    pub fn tag_contains_list<'a>(parts: impl IntoIterator<Item = &'a str>) -> Filter {
        let parts = parts.into_iter().map(Arc::from).collect();
        Filter::compare("tags", Operator::Contains, Scalar::Texts(parts))
    }

    /// `{"+and": [...]}`
    pub fn all(filters: impl IntoIterator<Item = Filter>) -> Filter {
        Filter::new(vec![Clause::And(clauses_of(filters))])
    }

    /// `{"+or": [...]}`
    pub fn any(filters: impl IntoIterator<Item = Filter>) -> Filter {
        Filter::new(vec![Clause::Or(clauses_of(filters))])
    }

    /// Its clauses, all of which must hold.
    pub fn clauses(&self) -> &[Clause] {
        &self.0.clauses
    }

    /// `+order_by`: the field that the list is sorted by.
    pub fn order_by(&self) -> Option<&Arc<str>> {
        self.0.order_by.as_ref()
    }

    /// `+order`. Documented as needing `+order_by`; alone, as a Terraform provider sends it, it is accepted.
    pub fn order(&self) -> Option<Order> {
        self.0.order
    }

    /// A hash to look it up by. Equal filters have equal ones.
    pub fn lookup_hash(&self) -> u64 {
        self.0.hash
    }

    /// Whether it holds where `judge` answers its atoms.
    pub fn matches_with(&self, mut judge: impl FnMut(&Atom) -> bool) -> bool {
        all_hold(&self.0.clauses, &mut judge)
    }

    /// Whether it holds for `object`.
    pub fn matches(&self, object: &(impl Filterable + ?Sized)) -> bool {
        self.matches_with(|atom| atom.holds(|test| object.any_value(&atom.field, test)))
    }

    /// Every field that it names, in order of writing.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields = Vec::new();
        collect_fields(&self.0.clauses, &mut fields);
        fields.extend(self.0.order_by.as_deref());
        fields
    }

    /// Refuses a field that the list of `endpoint` can't be filtered by: status 400, `Cannot filter on <field>`
    /// (recorded from the live API).
    pub fn check(&self, endpoint: Endpoint) -> Result<(), ApiError> {
        let allowed = filterable_fields(endpoint);
        match self.fields().iter().find(|field| !allowed.contains(field)) {
            Some(field) => Err(ApiError::field("X-Filter", format!("Cannot filter on {field}"))),
            None => Ok(()),
        }
    }
}

/// The objects of an array. The order of a part is dropped: only the outermost object has one.
fn clauses_of(filters: impl IntoIterator<Item = Filter>) -> Vec<Vec<Clause>> {
    filters.into_iter().map(|filter| filter.0.clauses.clone()).collect()
}

fn all_hold(clauses: &[Clause], judge: &mut impl FnMut(&Atom) -> bool) -> bool {
    clauses.iter().all(|clause| match clause {
        Clause::Field(atom) => judge(atom),
        Clause::And(objects) => objects.iter().all(|object| all_hold(object, judge)),
        Clause::Or(objects) => objects.iter().any(|object| all_hold(object, judge)),
    })
}

fn collect_fields<'a>(clauses: &'a [Clause], into: &mut Vec<&'a str>) {
    for clause in clauses {
        match clause {
            Clause::Field(atom) => into.push(&atom.field),
            Clause::And(objects) | Clause::Or(objects) => {
                objects.iter().for_each(|object| collect_fields(object, into));
            }
        }
    }
}

impl PartialEq for Filter {
    fn eq(&self, other: &Filter) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.hash == other.0.hash && self.parts() == other.parts())
    }
}

impl Eq for Filter {}

impl PartialOrd for Filter {
    fn partial_cmp(&self, other: &Filter) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Filter {
    fn cmp(&self, other: &Filter) -> std::cmp::Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl Hash for Filter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash.hash(state);
    }
}

impl Filter {
    fn parts(&self) -> (&[Clause], &Option<Arc<str>>, Option<Order>) {
        (&self.0.clauses, &self.0.order_by, self.0.order)
    }
}

/// A hasher that is the same in every process. It serves look-ups, no outcome depends on it.
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.0 = lkesim_runtime::random::mix(self.0 ^ u64::from_le_bytes(word));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests;
