# Sourced by the scripts beside: builds the served fake and starts it on free ports.
#
# LKESIM_BIN names a program that is built already; the caller sets `root` and `name`.

say() { printf '%s: %s\n' "$name" "$*"; }

missing() {
    say "$1 is not there, and this test needs it: $2" >&2
    exit 1
}

# The program to serve with.
find_bin() {
    if [ -n "${LKESIM_BIN:-}" ]; then
        bin=$LKESIM_BIN
        return
    fi
    command -v cargo >/dev/null || missing cargo "install the Rust toolchain, or name a built program in LKESIM_BIN"
    local target=${CARGO_TARGET_DIR:-$root/target}
    (cd "$root" && cargo build --locked -q --workspace --bins --test it)
    bin=$target/debug/lkesim
}

served_pids=()
served_dir=$(mktemp -d)
end_served() {
    for pid in "${served_pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait "${served_pids[@]}" 2>/dev/null || true
    rm -rf "$served_dir"
}
trap end_served EXIT

# Starts a fake with these arguments; its address is then in `served`.
start_served() {
    local out="$served_dir/${#served_pids[@]}"
    "$bin" serve --listen 127.0.0.1:0 "$@" >"$out" 2>"$out.err" &
    served_pids+=($!)
    for _ in $(seq 200); do
        served=$(sed -n 's/^listening on //p;q' "$out")
        [ -n "$served" ] && return
        kill -0 "$!" 2>/dev/null || break
        sleep 0.05
    done
    say "the fake did not start:" >&2
    cat "$out.err" >&2
    exit 1
}
