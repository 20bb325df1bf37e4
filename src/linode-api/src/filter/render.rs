//! Writes a filter as the header's text.

use super::{Atom, Clause, Filter, Operator, Order, Scalar};
use serde_json::{Map, Value as Json};
use std::fmt;

impl Filter {
    /// The header's text.
    ///
    /// Clauses that one object can't hold beside each other, as they have the same key, are wrapped in an `+and`: the
    /// header means the same, while its parsed form differs in shape.
    pub fn to_header(&self) -> String {
        Json::Object(self.to_json()).to_string()
    }

    fn to_json(&self) -> Map<String, Json> {
        let mut members = object(self.clauses());
        if let Some(field) = self.order_by() {
            members.insert("+order_by".into(), Json::from(&**field));
        }
        if let Some(order) = self.order() {
            let order = match order {
                Order::Ascending => "asc",
                Order::Descending => "desc",
            };
            members.insert("+order".into(), Json::from(order));
        }
        members
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_header())
    }
}

fn object(clauses: &[Clause]) -> Map<String, Json> {
    let mut members = Map::new();
    for clause in clauses {
        if !put(clause, &mut members) {
            let singles = clauses.iter().map(|clause| {
                let mut single = Map::new();
                put(clause, &mut single);
                Json::Object(single)
            });
            return Map::from_iter([("+and".to_owned(), singles.collect())]);
        }
    }
    members
}

/// Puts a clause beside others; false where the place is taken.
fn put(clause: &Clause, members: &mut Map<String, Json>) -> bool {
    match clause {
        Clause::And(objects) => put_objects("+and", objects, members),
        Clause::Or(objects) => put_objects("+or", objects, members),
        Clause::Field(atom) => put_atom(atom, members),
    }
}

fn put_objects(key: &str, objects: &[Vec<Clause>], members: &mut Map<String, Json>) -> bool {
    if members.contains_key(key) {
        return false;
    }
    let objects = objects.iter().map(|clauses| Json::Object(object(clauses)));
    members.insert(key.into(), objects.collect());
    true
}

fn put_atom(atom: &Atom, members: &mut Map<String, Json>) -> bool {
    let value = match &atom.value {
        Scalar::Null => Json::Null,
        Scalar::Bool(truth) => Json::from(*truth),
        Scalar::Number(number) => serde_json::Number::from_i128(*number).map_or(Json::Null, Json::Number),
        Scalar::Text(text) => Json::from(&**text),
        Scalar::Texts(texts) => texts.iter().map(|text| Json::from(&**text)).collect(),
    };
    let name = Operator::NAMES.iter().find(|(_, operator)| *operator == atom.operator);
    let Some(&(name, _)) = name else {
        let free = !members.contains_key(&*atom.field);
        if free {
            members.insert(atom.field.to_string(), value);
        }
        return free;
    };
    let place = members.entry(&*atom.field).or_insert_with(|| Json::Object(Map::new()));
    match place {
        Json::Object(operators) if !operators.contains_key(name) => {
            operators.insert(name.into(), value);
            true
        }
        _ => false,
    }
}
