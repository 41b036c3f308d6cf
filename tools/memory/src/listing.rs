//! Folders of the memory as lists.

use std::collections::BTreeMap;

use helve::memory::{MemoryPath, SessionMemory, StoredEntry};

/// The levels of a list below its folder.
const LEVELS: usize = 2;

/// The greatest number of lines.
const MAX_LINES: usize = 300;

/// Renders what is below a folder, two levels deep, with the sizes; `None` if there is no such folder. Without a folder, it
/// lists all memories that are reached.
pub(crate) fn render(
    memory: &SessionMemory,
    entries: &[StoredEntry],
    folder: Option<&MemoryPath>,
) -> Option<String> {
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    for stored in entries {
        let size = stored.entry.text.len() as u64;
        let mut path = format!("/memories/{}", stored.path.scope());
        *sizes.entry("/memories".to_owned()).or_default() += size;
        *sizes.entry(path.clone()).or_default() += size;
        for name in stored.path.names() {
            path = format!("{path}/{name}");
            *sizes.entry(path.clone()).or_default() += size;
        }
    }
    // A memory without entries is a folder, too.
    for key in memory.keys() {
        sizes
            .entry(format!("/memories/{}", key.scope()))
            .or_default();
    }
    sizes.entry("/memories".to_owned()).or_default();
    let root = folder.map_or_else(|| "/memories".to_owned(), ToString::to_string);
    sizes.get(&root)?;
    let below = |path: &str| {
        let rest = path.strip_prefix(&root)?;
        let level = rest.matches('/').count();
        (rest.is_empty() || rest.starts_with('/')).then_some(level)
    };
    let shown = sizes
        .iter()
        .filter(|(path, _)| below(path).is_some_and(|level| level <= LEVELS));
    let shown: Vec<String> = shown
        .map(|(path, size)| format!("{}\t{path}", human_size(*size)))
        .collect();
    let mut text = format!("The files and folders up to {LEVELS} levels deep in {root}:\n");
    for line in shown.iter().take(MAX_LINES) {
        text.push_str(line);
        text.push('\n');
    }
    if shown.len() > MAX_LINES {
        text.push_str(&format!("[{} more]\n", shown.len() - MAX_LINES));
    }
    Some(text)
}

fn human_size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes}"),
        1_024..1_048_576 => format!("{}.{}K", bytes / 1_024, bytes % 1_024 * 10 / 1_024),
        _ => format!(
            "{}.{}M",
            bytes / 1_048_576,
            bytes % 1_048_576 * 10 / 1_048_576
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::human_size;

    #[test]
    fn sizes_are_short() {
        assert_eq!(human_size(0), "0");
        assert_eq!(human_size(1_536), "1.5K");
        assert_eq!(human_size(3 << 20), "3.0M");
    }
}
