use super::{
    Atom, Clause, Filter, FilterError, Filterable, MAX_DEPTH, MAX_TESTS, Operator, Order, Scalar, Value, has_part,
};
use crate::request::Endpoint;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An object of a few fields, each with some values.
type Object = BTreeMap<String, Vec<Scalar>>;

impl Filterable for Object {
    const MODELLED: &'static [&'static str] = &[];

    fn any_value(&self, field: &str, test: &mut dyn FnMut(Value<'_>) -> bool) -> bool {
        let values = self.get(field).into_iter().flatten();
        values.into_iter().any(|value| {
            test(match value {
                Scalar::Null => Value::Null,
                Scalar::Bool(truth) => Value::Bool(*truth),
                Scalar::Number(number) => Value::Number(*number),
                Scalar::Text(text) => Value::Text(text),
                Scalar::Texts(_) => unreachable!("a field's array is several values"),
            })
        })
    }
}

fn same(own: &Scalar, asked: &Scalar) -> bool {
    own == asked || matches!((own, asked), (Scalar::Number(n), Scalar::Text(text)) if text.parse() == Ok(*n))
}

/// What the server is taken to do, in the plainest way.
fn model(clauses: &[Clause], object: &Object) -> bool {
    clauses.iter().all(|clause| match clause {
        Clause::And(parts) => parts.iter().all(|part| model(part, object)),
        Clause::Or(parts) => parts.iter().any(|part| model(part, object)),
        Clause::Field(atom) => {
            let empty = Vec::new();
            let values = object.get(&*atom.field).unwrap_or(&empty);
            let comparable = |own: &Scalar| {
                matches!(
                    (own, &atom.value),
                    (Scalar::Number(_), Scalar::Number(_)) | (Scalar::Text(_), Scalar::Text(_))
                )
            };
            match atom.operator {
                Operator::Equals => values.iter().any(|own| same(own, &atom.value)),
                Operator::NotEquals => !values.iter().any(|own| same(own, &atom.value)),
                Operator::Contains => values.iter().any(|own| match (own, &atom.value) {
                    (Scalar::Text(own), Scalar::Text(part)) => own.contains(&**part),
                    (Scalar::Text(own), Scalar::Texts(parts)) => parts.iter().any(|part| own.contains(&**part)),
                    _ => false,
                }),
                Operator::Greater => values.iter().any(|own| comparable(own) && *own > atom.value),
                Operator::AtLeast => values.iter().any(|own| comparable(own) && *own >= atom.value),
                Operator::Less => values.iter().any(|own| comparable(own) && *own < atom.value),
                Operator::AtMost => values.iter().any(|own| comparable(own) && *own <= atom.value),
            }
        }
    })
}

fn fields() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["tags", "id", "label", "entity.id"]).prop_map(str::to_owned)
}

fn scalars() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        Just(Scalar::Null),
        any::<bool>().prop_map(Scalar::Bool),
        (-3i64..4).prop_map(|number| Scalar::Number(number.into())),
        any::<i64>().prop_map(|number| Scalar::Number(number.into())),
        "[ab12=\"\\\\é]{0,3}".prop_map(|text| Scalar::Text(text.into())),
    ]
}

fn atoms() -> impl Strategy<Value = Clause> {
    let operators = vec![
        Operator::Equals,
        Operator::NotEquals,
        Operator::Contains,
        Operator::Greater,
        Operator::AtLeast,
        Operator::Less,
        Operator::AtMost,
    ];
    (fields(), prop::sample::select(operators), scalars()).prop_map(|(field, operator, value)| {
        let value = match (operator, value) {
            (Operator::Contains, Scalar::Text(text)) => Scalar::Text(text),
            (Operator::Contains, _) => Scalar::Text("a".into()),
            (_, value) => value,
        };
        Clause::Field(Atom { field: field.into(), operator, value })
    })
}

fn clauses() -> impl Strategy<Value = Vec<Clause>> {
    let clause = atoms().prop_recursive(4, 24, 3, |inner| {
        let objects = |range| prop::collection::vec(prop::collection::vec(inner.clone(), 0..3), range);
        prop_oneof![objects(0..3).prop_map(Clause::And), objects(1..3).prop_map(Clause::Or)]
    });
    prop::collection::vec(clause, 0..4)
}

fn filters() -> impl Strategy<Value = Filter> {
    let order = prop::option::of(prop::sample::select(vec![Order::Ascending, Order::Descending]));
    (clauses(), prop::option::of(fields()), order)
        .prop_map(|(clauses, by, order)| Filter::ordered(clauses, by.map(Into::into), order))
}

fn objects() -> impl Strategy<Value = Object> {
    prop::collection::btree_map(fields(), prop::collection::vec(scalars(), 0..3), 0..4)
}

proptest! {
    #[test]
    fn a_written_filter_reads_as_what_it_was(filter in filters()) {
        let text = filter.to_header();
        let read = Filter::parse(&text);
        prop_assert!(read.is_ok(), "{}: {:?}", text, read);
        let read = read.unwrap();
        prop_assert_eq!(read.to_header(), text);
        let again = Filter::parse(&read.to_header()).unwrap();
        prop_assert_eq!(again.lookup_hash(), read.lookup_hash());
        prop_assert_eq!(again, read);
    }

    #[test]
    fn a_filter_judges_as_the_model_does_and_as_its_header_does(filter in filters(), object in objects()) {
        let expected = model(filter.clauses(), &object);
        prop_assert_eq!(filter.matches(&object), expected);
        let read = Filter::parse(&filter.to_header()).unwrap();
        prop_assert_eq!(read.matches(&object), expected);
    }

    #[test]
    fn no_text_breaks_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Filter::parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_text_like_a_filter_breaks_the_reader(text in r#"([{}\[\]:,"]|\+and|\+or|\+contains|tags|1|null| ){0,60}"#) {
        let _ = Filter::parse(&text);
    }

    #[test]
    fn nesting_is_bounded(depth in 1usize..3_000) {
        let text = format!("{}{}", r#"{"+and":["#.repeat(depth), "]}".repeat(depth));
        let deep = 2 * depth > MAX_DEPTH;
        let read = Filter::parse(&text);
        prop_assert_eq!(read == Err(FilterError::TooLarge), deep);
    }

    #[test]
    fn a_part_is_found_where_the_library_finds_it(text in "[ab]{0,8}", part in "[ab]{0,4}") {
        prop_assert_eq!(has_part(&text, &part), text.contains(&part));
    }
}

fn object(tags: &[&str]) -> Object {
    let tags = tags.iter().map(|&tag| Scalar::from(tag)).collect();
    Object::from([("tags".to_owned(), tags), ("id".to_owned(), vec![Scalar::Number(123)])])
}

#[test]
fn what_clients_send_is_read() {
    for text in [
        r#"{"label":"x","+and":[{"tags":"a"},{"tags":"b"}]}"#,
        r#"{"+and":[{"tags":{"+contains":"nodepool=5"}},{"label":{"+neq":"x"}}]}"#,
        r#"{"+and":[],"+order":"desc"}"#,
        r#"{"+order":"desc","+order_by":"created","created":{"+gte":"2026-01-01T00:00:00"},"entity.id":1}"#,
    ] {
        assert!(Filter::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn builders_write_what_the_document_asks_for() {
    let filter = Filter::all([Filter::tag_contains("nodepool=12"), Filter::tag_contains("lke345")]);
    assert_eq!(
        filter.to_header(),
        r#"{"+and":[{"tags":{"+contains":"nodepool=12"}},{"tags":{"+contains":"lke345"}}]}"#
    );
    assert_eq!(Filter::tag("x").to_header(), r#"{"tags":"x"}"#);
    assert_eq!(Filter::field("id", 7).to_header(), r#"{"id":7}"#);
    assert_eq!(Filter::any([Filter::tag("x")]).to_header(), r#"{"+or":[{"tags":"x"}]}"#);
}

#[test]
fn pool_12_is_found_in_pool_123_by_contains_alone() {
    let tagged = object(&["nodepool=123"]);
    assert!(Filter::tag_contains("nodepool=12").matches(&tagged));
    assert!(!Filter::tag("nodepool=12").matches(&tagged));
}

#[test]
fn a_number_may_be_asked_for_as_a_string() {
    assert!(Filter::field("id", "123").matches(&object(&[])));
}

#[test]
fn of_a_key_that_stands_twice_the_last_counts() {
    let filter = Filter::parse(r#"{"tags":"a","tags":"b"}"#).unwrap();
    assert_eq!(filter, Filter::tag("b"));
}

#[test]
fn what_is_no_json_is_answered_and_what_is_not_modelled_is_not() {
    let answer = Filter::parse("tags=x").unwrap_err().answer().unwrap();
    assert_eq!((answer.status, answer.text().as_str()), (400, "[X-Filter] Filter not valid JSON"));
    for text in [
        r#"{"tags":{"+eq":"x"}}"#,
        r#"{"+limit":5}"#,
        r#"{"tags":{"+contains":["a",1]}}"#,
        r#"{"tags":["a"]}"#,
        r#"{"+or":[]}"#,
        r#"{"a":1.5}"#,
        r#"[]"#,
        r#"{"+and":[{"+order":"asc"}]}"#,
    ] {
        let error = Filter::parse(text).unwrap_err();
        assert!(error.answer().is_none() && error.to_string().contains("not modelled"), "{text}: {error}");
    }
    let unknown = FilterError::UnknownOperator("+eq".into());
    assert_eq!(Filter::parse(r#"{"tags":{"+eq":"x"}}"#), Err(unknown));
}

#[test]
fn a_filter_of_too_many_tests_is_answered_with_400() {
    let any_of = |tests: usize| {
        let tests = vec![r#"{"tags":"a"}"#; tests].join(",");
        Filter::parse(&format!(r#"{{"+or":[{tests}]}}"#))
    };
    assert!(any_of(MAX_TESTS / 2).is_ok());
    let list = vec![r#""a""#; MAX_TESTS + 1].join(",");
    let list = Filter::parse(&format!(r#"{{"tags":{{"+contains":[{list}]}}}}"#));
    for error in [any_of(MAX_TESTS / 2 + 1), any_of(4_000), list].map(Result::unwrap_err) {
        assert_eq!(error.answer().map(|answer| answer.status), Some(400));
    }
}

#[test]
fn contains_takes_an_array_of_strings_as_a_provider_sends_it() {
    let filter = Filter::tag_contains_list(["a", "b"]);
    assert_eq!(filter.to_header(), r#"{"tags":{"+contains":["a","b"]}}"#);
    assert_eq!(Filter::parse(&filter.to_header()), Ok(filter));
}

#[test]
fn a_field_that_a_list_does_not_take_is_refused() {
    let filter = Filter::all([Filter::tag("x"), Filter::field("foo", 1)]);
    let refused = filter.check(Endpoint::ListInstances).unwrap_err();
    assert_eq!((refused.status, refused.text().as_str()), (400, "[X-Filter] Cannot filter on foo"));
    assert!(Filter::tag("x").check(Endpoint::ListPools).is_ok());
    assert!(Filter::field("label", "x").check(Endpoint::ListPools).is_err());
    let ordered = Filter::ordered(Vec::new(), Some(Arc::from("status")), None);
    assert!(ordered.check(Endpoint::ListInstances).is_err());
}
