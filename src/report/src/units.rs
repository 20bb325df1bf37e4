//! Numbers as people read them.

use lkesim_runtime::Time;

/// A length of time: `250ms`, `12.3s`, `1m05s`, `2h03m`. Rounded down.
pub fn length(ms: u64) -> String {
    let (seconds, minutes) = (ms / 1_000, ms / 60_000);
    match ms {
        0..1_000 => format!("{ms}ms"),
        1_000..60_000 => format!("{seconds}.{}s", ms % 1_000 / 100),
        60_000..3_600_000 => format!("{minutes}m{:02}s", seconds % 60),
        _ => format!("{}h{:02}m", minutes / 60, minutes % 60),
    }
}

/// A length of time to the millisecond, as a scenario writes it: `250ms`, `1m5.3s`, `2h`.
pub fn exact(ms: u64) -> String {
    if ms < 1_000 {
        return if ms == 0 { "0s".to_owned() } else { format!("{ms}ms") };
    }
    let mut text = String::new();
    for (unit, n) in [("h", ms / 3_600_000), ("m", ms / 60_000 % 60)] {
        if n > 0 {
            text.push_str(&format!("{n}{unit}"));
        }
    }
    match (ms / 1_000 % 60, ms % 1_000) {
        (0, 0) => {}
        (seconds, 0) => text.push_str(&format!("{seconds}s")),
        (seconds, ms) => text.push_str(&format!("{seconds}.{}s", format!("{ms:03}").trim_end_matches('0'))),
    }
    text
}

/// A window's length in whole units where it is one: `1m`, `15s`.
pub fn window(ms: u64) -> String {
    match ms {
        _ if ms >= 60_000 && ms.is_multiple_of(60_000) => format!("{}m", ms / 60_000),
        _ if ms >= 1_000 && ms.is_multiple_of(1_000) => format!("{}s", ms / 1_000),
        _ => format!("{ms}ms"),
    }
}

/// A point in virtual time: `12:05.300`, as in logs.
pub fn clock(ms: u64) -> String {
    Time::from_millis(ms).to_string()
}

/// A number with its noun: `1 call`, `2 calls`.
pub fn count(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        _ => format!("{n} {noun}s"),
    }
}

/// The change from one number to another: `+12 (+10%)`; `=` where there is none. One to nothing has no share: `-12`.
pub fn delta(from: i128, to: i128) -> String {
    delta_in(from, to, |amount| amount.to_string())
}

/// The same in a unit's own words: `+1m05s (+10%)`.
pub fn delta_in(from: i128, to: i128, words: impl FnOnce(u64) -> String) -> String {
    if from == to {
        return "=".to_owned();
    }
    let change = to - from;
    let sign = if change < 0 { '-' } else { '+' };
    let amount = words(u64::try_from(change.unsigned_abs()).unwrap_or(u64::MAX));
    match (from, to) {
        (0, _) | (_, 0) => format!("{sign}{amount}"),
        // Rounded half away from zero, in integers.
        _ => {
            let half = from.abs() / 2 * change.signum();
            format!("{sign}{amount} ({:+}%)", (change * 100 + half) / from.abs())
        }
    }
}
