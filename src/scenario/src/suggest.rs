//! The nearest right name for a wrong one.
//!
//! A file may hold very many wrong names, so that a comparison is cheap: names of other lengths are passed over, rows
//! stand on the stack, and a comparison ends where it can no longer beat the best.

/// Names longer than this are never compared: the work grows with the square of the length.
const LONGEST: usize = 64;

/// The known name that is nearest to `name`, if one is near; the first of several.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let wanted = Folded::of(name);
    let wanted = wanted.letters();
    let mut allowed = (wanted.len() / 3).max(1);
    let mut best = None;
    for candidate in known {
        if candidate.len() > LONGEST {
            continue;
        }
        let folded = Folded::of(candidate);
        if let Some(distance) = distance(wanted, folded.letters(), allowed) {
            best = Some(candidate);
            match distance.checked_sub(1) {
                Some(nearer) => allowed = nearer,
                None => break,
            }
        }
    }
    best
}

/// Letters alone and small, so that `launchTimeout` is near to `launch_timeout`.
struct Folded {
    letters: [char; LONGEST],
    count: usize,
}

impl Folded {
    fn of(name: &str) -> Folded {
        let mut folded = Folded { letters: ['\0'; LONGEST], count: 0 };
        let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase);
        for (place, letter) in folded.letters.iter_mut().zip(letters) {
            *place = letter;
            folded.count += 1;
        }
        folded
    }

    fn letters(&self) -> &[char] {
        &self.letters[..self.count]
    }
}

/// How many letters must be put in, taken out, changed or swapped with their neighbour; none where more than `most`.
fn distance(a: &[char], b: &[char], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before_last = [0; LONGEST + 1];
    let mut last: [usize; LONGEST + 1] = std::array::from_fn(|at| at);
    for (i, &from) in a.iter().enumerate() {
        let mut row = [0; LONGEST + 1];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let changed = last[j] + usize::from(from != to);
            let mut best = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && from == b[j - 1] && a[i - 1] == to {
                best = best.min(before_last[j - 1] + 1);
            }
            row[j + 1] = best;
        }
        // No later row has a smaller number than the smallest of this one.
        if row[..=b.len()].iter().all(|distance| *distance > most) {
            return None;
        }
        (before_last, last) = (last, row);
    }
    Some(last[b.len()]).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests;
