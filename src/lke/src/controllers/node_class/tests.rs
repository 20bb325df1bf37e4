use super::*;

fn of_tags(tags: &[&str]) -> NodeClassSpec {
    NodeClassSpec { tags: tags.iter().map(|tag| Rc::from(*tag)).collect(), ..NodeClassSpec::default() }
}

#[test]
fn a_tag_is_restricted_by_its_whole_key_and_only_with_a_value() {
    for key in RESTRICTED {
        assert!(Checks::VersionAndTags.doubt(&of_tags(&["team=a", &format!("{key}=x")])), "{key}");
        for fine in [key.to_owned(), format!("{key}="), format!("{key}s=x"), format!("x={key}=x")] {
            assert!(!Checks::VersionAndTags.doubt(&of_tags(&[&fine])), "{fine}");
        }
    }
}

#[test]
fn a_version_can_be_wrong() {
    assert!(!Checks::VersionAndTags.doubt(&NodeClassSpec::default()));
    assert!(
        Checks::VersionAndTags
            .doubt(&NodeClassSpec { lke_k8s_version: Some("1.35".into()), ..NodeClassSpec::default() })
    );
}
