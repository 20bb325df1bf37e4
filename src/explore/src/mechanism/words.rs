//! Words of a text that say how something is, without the names, numbers and times of one run.

/// The text with a kind in place of each object, and without numbers, values and what stands in brackets.
pub(crate) fn without_names(text: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    let mut depth = 0;
    for word in text.split_whitespace() {
        let opens = word.starts_with('(');
        depth += usize::from(opens);
        let is_inside = depth > 0;
        depth -= usize::from(depth > 0 && word.trim_end_matches([',', ';', ':']).ends_with(')'));
        if is_inside || word.chars().all(|c| c.is_ascii_digit()) {
            continue;
        }
        let bare = word.trim_end_matches([',', ';', ':']);
        let kind = bare.split(['/', '=']).next().unwrap_or_default();
        // Two objects in a row are told as one.
        if words.last() != Some(&kind) {
            words.push(kind);
        }
    }
    words.join(" ")
}
