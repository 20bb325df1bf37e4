use super::{DUMP, SHOP, given};
use proptest::prelude::*;

/// Reads a text, and what comes of it once more: nothing may panic.
fn read(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(loaded) = given(&text, false) {
        let _ = loaded.scenario.objects(0);
    }
}

/// Pieces of manifests, to reach deeper than letters by chance.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "apiVersion",
        "kind",
        "metadata",
        "spec",
        "name",
        "Pod",
        "List",
        "items",
        "v1",
        "containers",
        "resources",
        "cpu",
        ": ",
        "\n",
        "\n  ",
        "\n    ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "---\n",
        "...\n",
        "&a ",
        "*a",
        "!!str ",
        "'",
        "\"",
        "1Gi",
        "1e99",
        "-1",
        "0.5",
        "null",
        "true",
        "~",
        "\t",
        "#",
        "|\n",
        "<<",
        "ü",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A right file with some of its bytes changed, taken out or doubled.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<u8>()), 1..8);
    (prop::sample::select(vec![SHOP, DUMP]), edits).prop_map(|(text, edits)| {
        let mut bytes = text.as_bytes().to_vec();
        for (at, what, byte) in edits {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        bytes
    })
}

/// A value of a right document replaced by another.
fn replaced() -> impl Strategy<Value = String> {
    let documents: Vec<serde_json::Value> = SHOP
        .split("---\n")
        .chain([DUMP])
        .map(|text| serde_yaml::from_str(text).expect("the samples are right"))
        .collect();
    let value = prop::sample::select(vec![
        "null",
        "5",
        "-5",
        "5.5",
        "true",
        "\"x\"",
        "[]",
        "{}",
        "[[]]",
        "{\"x\": 1}",
        "\"\\u0007\"",
        "1e300",
        "\"\"",
    ]);
    (prop::sample::select(documents), any::<prop::sample::Index>(), value).prop_map(|(mut document, pick, value)| {
        let places = crate::tests::strategy::places(&document);
        *document.pointer_mut(pick.get(&places[..]).as_str()).expect("it is there") =
            serde_json::from_str(value).expect("it is JSON");
        document.to_string()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read(&bytes);
    }

    #[test]
    fn no_pieces_panic(text in pieces()) {
        read(text.as_bytes());
    }

    #[test]
    fn no_change_of_a_right_file_panics(bytes in mutated()) {
        read(&bytes);
    }

    #[test]
    fn no_wrong_value_panics(text in replaced()) {
        read(text.as_bytes());
    }
}
