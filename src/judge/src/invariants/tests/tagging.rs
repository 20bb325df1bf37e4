use super::breaches;
use crate::invariants::stream::{Stream, put_tags};

const SURVIVES: &str = "claim-tag-survives";
const POOL_TAG: &str = "no-claim-tag-on-a-pool";

/// Claim a holds Linode 5, which bears its tags.
fn a_claim(stream: &mut Stream) {
    stream.pool(9, 1, None);
    stream.linode(5, 9);
    stream.claim(1, "a");
    stream.tag_for(5, "a");
    stream.create(1, 5);
}

#[test]
fn a_write_that_removes_the_claim_tag_is_named() {
    let found = breaches(SURVIVES, |stream| {
        a_claim(stream);
        stream.claim(2, "b");
        let run = stream.begin_create(2);
        let call = stream.call(run, put_tags(5));
        stream.tags(5, &["karpenter.sh/nodeclaim=b", "managed=true"], Some(call));
    });
    let expected = "linode/5 of nodeclaim/a lost karpenter.sh/nodeclaim=a, removed by PUT /linode/instances/{id} (request 1, \
                    Create for nodeclaim/b, asked by nodeclaim.lifecycle)";
    assert_eq!(found, [expected]);
}

#[test]
fn a_write_that_keeps_the_claim_tag_or_comes_after_the_deletion_is_none() {
    let found = breaches(SURVIVES, |stream| {
        a_claim(stream);
        stream.tags(5, &["managed=true", "karpenter.sh/nodeclaim=a", "more"], None);
        stream.tags(5, &["managed=true", "karpenter.sh/nodeclaim=a"], None);
        stream.linode_gone(5, None);
        stream.tags(5, &[], None);
    });
    assert!(found.is_empty());
}

#[test]
fn a_linode_returned_without_its_tags_is_found() {
    let found = breaches(SURVIVES, |stream| {
        stream.pool(9, 1, None);
        stream.linode(5, 9);
        stream.claim(1, "a");
        stream.tag_for(5, "a");
        stream.tags(5, &["managed=true"], None);
        stream.create(1, 5);
    });
    let expected = "linode/5 of nodeclaim/a was returned without karpenter.sh/nodeclaim=a, removed by no request (the cloud itself)";
    assert_eq!(found, [expected]);
}

#[test]
fn a_nodeclaim_tag_on_a_pool_is_found() {
    let found = breaches(POOL_TAG, |stream| {
        stream.pool(9, 1, None);
        stream.pool_tags(9, &["managed=true", "karpenter.sh/nodeclaim=a"]);
    });
    assert_eq!(found, ["lke_pool/9 got the tag karpenter.sh/nodeclaim=a from no request (the cloud itself)"]);
}

#[test]
fn a_nodepool_tag_on_a_pool_is_none() {
    let found = breaches(POOL_TAG, |stream| {
        stream.pool(9, 1, None);
        stream.pool_tags(9, &["managed=true", "karpenter.sh/nodepool=a", "karpenter.sh/nodeclaims=1"]);
    });
    assert!(found.is_empty());
}
