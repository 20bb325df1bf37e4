//! Reads a filter from the header's text.

use super::{Atom, Clause, Filter, Operator, Order, Scalar};
use crate::error::ApiError;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// How deep objects and arrays may nest. No limit is documented; this one keeps a hostile header from the stack.
pub const MAX_DEPTH: usize = 64;

/// How many tests a filter may have. No limit is documented; this one keeps a hostile header from the processor.
pub const MAX_TESTS: usize = 512;

/// What answers a filter that is deeper or has more tests. The text is *unknown*, as is whether there is a bound.
pub const TOO_LARGE: &str = "Filter is too large";

/// Why a header's text is no filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// It is not JSON. The server answers 400 `Filter not valid JSON`.
    #[error("Filter not valid JSON")]
    NotJson,
    /// An operator that the documentation does not name, such as `+eq` or `+limit`.
    #[error("the filter operator `{0}` is not modelled")]
    UnknownOperator(String),
    /// A shape whose meaning no source tells.
    #[error("a filter with {0} is not modelled")]
    NotModelled(&'static str),
    /// More than [`MAX_DEPTH`] levels, or than [`MAX_TESTS`] tests. The server answers 400.
    #[error("{TOO_LARGE}")]
    TooLarge,
}

impl FilterError {
    /// What the server answers; `None` where the filter is not modelled, which no answer may stand for.
    pub fn answer(&self) -> Option<ApiError> {
        match self {
            FilterError::NotJson | FilterError::TooLarge => Some(ApiError::field("X-Filter", self.to_string())),
            FilterError::UnknownOperator(_) | FilterError::NotModelled(_) => None,
        }
    }
}

impl Filter {
    /// Reads a header's text. Of a key that stands twice in one object the last counts, as in Python's parser.
    pub fn parse(text: &str) -> Result<Filter, FilterError> {
        if depth(text) > MAX_DEPTH {
            return Err(FilterError::TooLarge);
        }
        let json: Json = serde_json::from_str(text).map_err(|_| FilterError::NotJson)?;
        let Json::Object(mut members) = json else {
            return Err(FilterError::NotModelled("something else than an object"));
        };
        let order_by = members.shift_remove("+order_by").map(order_by).transpose()?;
        let order = members.shift_remove("+order").map(|value| order(&value)).transpose()?;
        let clauses = object(members)?;
        match tests(&clauses) > MAX_TESTS {
            true => Err(FilterError::TooLarge),
            false => Ok(Filter::ordered(clauses, order_by, order)),
        }
    }
}

/// How much judging an object by the clauses takes at most: the texts that it is compared with, and what joins them.
fn tests(clauses: &[Clause]) -> usize {
    let of = |clause: &Clause| match clause {
        Clause::And(objects) | Clause::Or(objects) => objects.iter().map(|object| 1 + tests(object)).sum(),
        Clause::Field(Atom { value: Scalar::Texts(texts), .. }) => texts.len().max(1),
        Clause::Field(_) => 1,
    };
    clauses.iter().map(of).sum()
}

/// The deepest nesting of brackets outside strings.
fn depth(text: &str) -> usize {
    let (mut deepest, mut depth, mut quoted, mut escaped) = (0usize, 0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn order_by(value: Json) -> Result<Arc<str>, FilterError> {
    match value {
        Json::String(field) if !field.starts_with('+') => Ok(field.into()),
        _ => Err(FilterError::NotModelled("`+order_by` that is no field")),
    }
}

fn order(value: &Json) -> Result<Order, FilterError> {
    match value.as_str() {
        Some("asc") => Ok(Order::Ascending),
        Some("desc") => Ok(Order::Descending),
        _ => Err(FilterError::NotModelled("`+order` other than `asc` and `desc`")),
    }
}

fn object(members: Map<String, Json>) -> Result<Vec<Clause>, FilterError> {
    let mut clauses = Vec::with_capacity(members.len());
    for (key, value) in members {
        match key.as_str() {
            "+and" => clauses.push(Clause::And(objects(value)?)),
            "+or" => match objects(value)? {
                empty if empty.is_empty() => {
                    return Err(FilterError::NotModelled("an empty `+or`"));
                }
                objects => clauses.push(Clause::Or(objects)),
            },
            "+order" | "+order_by" => {
                return Err(FilterError::NotModelled("an order inside `+and` or `+or`"));
            }
            operator if operator.starts_with('+') => return Err(FilterError::UnknownOperator(key)),
            _ => field(&key, value, &mut clauses)?,
        }
    }
    Ok(clauses)
}

fn objects(value: Json) -> Result<Vec<Vec<Clause>>, FilterError> {
    let Json::Array(items) = value else {
        return Err(FilterError::NotModelled("`+and` or `+or` of something else than an array"));
    };
    let read = |item| match item {
        Json::Object(members) => object(members),
        _ => Err(FilterError::NotModelled("`+and` or `+or` of something else than objects")),
    };
    items.into_iter().map(read).collect()
}

/// One key of an object: a bare value, or an object of operators, each of which must hold.
fn field(key: &str, value: Json, clauses: &mut Vec<Clause>) -> Result<(), FilterError> {
    let name: Arc<str> = key.into();
    let atom = |operator, value| Clause::Field(Atom { field: name.clone(), operator, value });
    let Json::Object(operators) = value else {
        clauses.push(atom(Operator::Equals, scalar(value)?));
        return Ok(());
    };
    if operators.is_empty() {
        return Err(FilterError::NotModelled("an empty object as a field's value"));
    }
    for (text, value) in operators {
        let known = Operator::NAMES.iter().find(|(name, _)| *name == text);
        let Some(&(_, operator)) = known else {
            return Err(FilterError::UnknownOperator(text));
        };
        let value = match value {
            Json::Array(parts) if operator == Operator::Contains => texts(parts)?,
            value => scalar(value)?,
        };
        if operator == Operator::Contains && !matches!(value, Scalar::Text(_) | Scalar::Texts(_)) {
            return Err(FilterError::NotModelled("`+contains` of something else than a string"));
        }
        clauses.push(atom(operator, value));
    }
    Ok(())
}

fn texts(parts: Vec<Json>) -> Result<Scalar, FilterError> {
    let text = |part| match part {
        Json::String(text) => Ok(text.into()),
        _ => Err(FilterError::NotModelled("`+contains` of something else than strings")),
    };
    Ok(Scalar::Texts(parts.into_iter().map(text).collect::<Result<_, _>>()?))
}

fn scalar(value: Json) -> Result<Scalar, FilterError> {
    match value {
        Json::Null => Ok(Scalar::Null),
        Json::Bool(truth) => Ok(Scalar::Bool(truth)),
        Json::String(text) => Ok(Scalar::Text(text.into())),
        Json::Number(number) => number.as_i128().map(Scalar::Number).ok_or(FilterError::NotModelled("a fraction")),
        Json::Array(_) => Err(FilterError::NotModelled("an array as a field's value")),
        Json::Object(_) => Err(FilterError::NotModelled("an object below an operator")),
    }
}
