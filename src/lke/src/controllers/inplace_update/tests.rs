use super::*;

fn texts(tags: &[Arc<str>]) -> Vec<&str> {
    tags.iter().map(|tag| &**tag).collect()
}

#[test]
fn tags_of_others_stay_and_those_of_the_node_class_are_set() {
    let wanted = wanted(&["lke5", "team=a", "env=dev"], &[], &["env=prod", "billed"]);
    assert_eq!(texts(&wanted), ["billed", "env=prod", "lke5", "team=a"]);
}

#[test]
fn what_the_node_class_lost_is_taken_away() {
    let applied = ["env=prod".to_owned(), "billed".to_owned()];
    let wanted = wanted(&["lke5", "env=changed", "billed", "team=a"], &applied, &[]);
    assert_eq!(texts(&wanted), ["lke5", "team=a"]);
}

#[test]
fn the_order_of_tags_is_no_change() {
    assert_eq!(normalized(["b=1", "a", "b=2"]), normalized(["a", "b=2"]));
    assert_ne!(normalized(["a=1"]), normalized(["a=2"]));
}

#[test]
fn what_was_applied_is_read_back() {
    for tags in [&[][..], &["a=1"], &["a=1", "say \"x\"", "back\\slash"]] {
        let tags: Vec<Arc<str>> = tags.iter().copied().map(Arc::from).collect();
        assert_eq!(listed(&json_list(&tags)), texts(&tags));
    }
    assert_eq!(json_list(&[]), "[]");
}
