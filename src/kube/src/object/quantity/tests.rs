use super::*;
use proptest::prelude::*;

fn milli_of(text: &str) -> i64 {
    text.parse::<Quantity>().unwrap_or_else(|error| panic!("{text}: {error}")).milli()
}

#[test]
fn suffixes_and_exponents_are_read() {
    let table = [
        ("100m", 100),
        ("1", 1_000),
        ("0.5", 500),
        (".5", 500),
        ("1.", 1_000),
        ("2e3", 2_000_000),
        ("2E3", 2_000_000),
        ("5e-1", 500),
        ("1k", 1_000_000),
        ("1Ki", 1_024_000),
        ("1Gi", 1_073_741_824_000),
        ("1.5Gi", 1_610_612_736_000),
        ("-3", -3_000),
        ("+3", 3_000),
        ("1u", 1),
        ("1500u", 2),
        ("0", 0),
    ];
    for (text, expected) in table {
        assert_eq!(milli_of(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_quantity_is_refused() {
    for text in ["", "m", "1.2.3", "1 Gi", "Gi", "1kk", "1e", "--1", "1_000", "."] {
        assert_eq!(text.parse::<Quantity>(), Err(QuantityError::Malformed), "{text}");
    }
    assert_eq!("1E".parse::<Quantity>(), Err(QuantityError::TooLarge));
    assert_eq!("1e40".parse::<Quantity>(), Err(QuantityError::TooLarge));
}

#[test]
fn the_canonical_form_has_the_largest_suffix_without_a_fraction() {
    let table = [
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("1000", "1k"),
        ("1001", "1001"),
        ("2048Mi", "2Gi"),
        ("1Ki", "1Ki"),
        ("512Mi", "512Mi"),
        ("0.5Gi", "512Mi"),
        ("1e3", "1e3"),
        ("12e0", "12"),
        ("0", "0"),
    ];
    for (text, expected) in table {
        assert_eq!(text.parse::<Quantity>().unwrap().to_string(), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(milli in 0_i64..1 << 60, format in 0..3) {
        let format = [Format::DecimalSi, Format::BinarySi, Format::DecimalExponent][format as usize];
        let quantity = Quantity::from_milli(milli).written(format);
        prop_assert_eq!(quantity.to_string().parse::<Quantity>().unwrap(), quantity);
    }
}
