use super::*;

#[test]
fn reserved_capacity_costs_a_ten_millionth() {
    let on_demand = Price::from_micro_dollars(5_670_000);
    assert_eq!(on_demand.reserved(), Price(5_670_000));
    assert_eq!(Offering::reserved("a", "id", "r", on_demand, 1).price, on_demand.reserved());
}

#[test]
fn huge_pages_take_memory_and_never_more_than_there_is() {
    let list = |entries: &[(&str, &str)]| -> ResourceList {
        entries.iter().map(|(name, text)| (*name, text.parse().expect("a quantity"))).collect()
    };
    let capacity = list(&[("memory", "4Gi"), ("hugepages-2Mi", "1Gi")]);
    assert_eq!(allocatable(&capacity, &list(&[("memory", "1Gi")])).amount("memory"), list(&[("m", "2Gi")]).amount("m"));
    let capacity = list(&[("memory", "1Gi"), ("hugepages-2Mi", "2Gi")]);
    assert_eq!(allocatable(&capacity, &ResourceList::EMPTY).amount("memory"), Quantity::ZERO);
}
