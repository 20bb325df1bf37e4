# Short names for what is done often. `just` lists them.

default:
    @just --list

# What continuous integration runs
ci:
    .ci/run

# All tests
test *args:
    cargo test {{args}}

# Format and lint
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Run the program: `just run two-pools --seed 7`
run *args:
    cargo run --release -q -- run {{args}}

# Write snapshots, generated files and golden digests anew; read the diff before you commit it
update:
    INSTA_UPDATE=always LKESIM_UPDATE_GOLDEN=1 cargo test

# Many more generated cases than `just test` has
many cases="2000":
    PROPTEST_CASES={{cases}} cargo test --release -p lkesim-tests --test it properties

# Compare debug with release: both against the committed digests
golden:
    cargo test -q -p lkesim-tests --test it golden_digests
    cargo test --release -q -p lkesim-tests --test it golden_digests

# Serve the fake Linode API: `just serve --speed 20`
serve *args:
    cargo run --release -q -- serve {{args}}

# Measure: the kernel beside its peers, a call of the cloud, the life of a NodeClaim, whole runs
bench:
    cargo bench -p lkesim-kernel -p fake-linode -p lkesim-karpenter -p lkesim-sim --features fake-linode/http
