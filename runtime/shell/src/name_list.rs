//! Lists of names, each stored as one text with blanks between the names.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Reports whether a list contains a name.
pub(crate) fn has(list: &str, name: &str) -> bool {
    // Bytes are compared, since most verdicts look into many lists.
    let mut listed = list.as_bytes().split(|byte| *byte == b' ');
    !name.is_empty() && listed.any(|listed| listed == name.as_bytes())
}

/// Table rows by each name of their lists. A lookup takes the same time however many names there are.
pub(crate) type NameIndex<T> = LazyLock<HashMap<&'static str, T>>;

/// Makes the index of a table whose rows have lists without common names.
pub(crate) fn index<T: Copy>(
    rows: impl IntoIterator<Item = (&'static str, T)>,
) -> HashMap<&'static str, T> {
    let names = |(list, row): (&'static str, T)| {
        let names = list.split_ascii_whitespace();
        names.map(move |name| (name, row))
    };
    rows.into_iter().flat_map(names).collect()
}

/// Panics if a name occurs twice in the lists.
#[cfg(test)]
pub(crate) fn assert_disjoint(lists: impl IntoIterator<Item = &'static str>) {
    let mut seen = std::collections::BTreeSet::new();
    let names = lists.into_iter().flat_map(str::split_ascii_whitespace);
    names.for_each(|name| assert!(seen.insert(name), "{name} is listed twice"));
}
