use super::*;

fn walks(seed: u64, process: u64) -> Vec<String> {
    let ties = Ties::new(Seed(seed), process);
    let walk = |_| {
        let mut letters: Vec<&str> = "a b c d e".split(' ').collect();
        ties.walk("letters", &mut letters, |letter| letter);
        letters.concat()
    };
    (0..20).map(walk).collect()
}

#[test]
fn a_map_is_walked_in_another_order_each_time_and_a_seed_repeats_them() {
    assert_eq!(walks(1, 1), walks(1, 1));
    assert_ne!(walks(1, 1), walks(2, 1));
    assert_ne!(walks(1, 1), walks(1, 2));
    let mut orders = walks(1, 1);
    orders.sort();
    orders.dedup();
    assert!(orders.len() > 10, "{orders:?}");
}

#[test]
fn each_entry_comes_first_about_equally_often() {
    let ties = Ties::new(Seed(1), 1);
    let first = |_| {
        let mut letters = vec!["a", "b"];
        ties.walk("letters", &mut letters, |letter| letter);
        letters[0] == "a"
    };
    let of_thousand = (0..1_000).map(first).filter(|first| *first).count();
    assert!((400..600).contains(&of_thousand), "{of_thousand}");
}

#[test]
fn another_map_leaves_the_order_as_it_was() {
    let ties = Ties::new(Seed(1), 1);
    ties.walk("others", &mut ["x", "y"], |letter| letter);
    let mut letters: Vec<&str> = "a b c d e".split(' ').collect();
    ties.walk("letters", &mut letters, |letter| letter);
    assert_eq!(letters.concat(), walks(1, 1)[0]);
}
