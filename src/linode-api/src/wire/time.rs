//! Times as the API writes them: `2026-01-01T00:00:00`, UTC, without a zone.
//!
//! linodego reads this form alone (v2.3.0, `parseabletime`).

use crate::object::UnixSeconds;

const DAY: u64 = 86_400;

/// Writes a time.
pub fn write(at: UnixSeconds) -> String {
    let (year, month, day) = date(at.0 / DAY);
    let second = at.0 % DAY;
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// Reads a time; none where the text is none of this form.
pub fn read(text: &str) -> Option<UnixSeconds> {
    let (date, time) = text.split_once('T')?;
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let fits = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !fits || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(UnixSeconds(days(year, month, day) * DAY + hour * 3_600 + minute * 60 + second))
}

fn numbers(text: &str, between: char) -> Option<[u64; 3]> {
    let parts: Vec<u64> = text.split(between).map(str::parse).collect::<Result<_, _>>().ok()?;
    parts.try_into().ok()
}

/// The date of a day since 1970, in the Gregorian calendar. Years are counted from March, so that leap days come last.
const fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + (month <= 2) as u64;
    (year, month, day)
}

const fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let month = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719_468
}
