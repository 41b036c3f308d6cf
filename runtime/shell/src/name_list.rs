//! Lists of names, each stored as one text with blanks between the names.

/// Reports whether a list contains a name.
pub(crate) fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == name)
}

/// Returns the value of the table row whose list contains a name.
pub(crate) fn find<T>(table: &'static [(&'static str, T)], name: &str) -> Option<&'static T> {
    let (_, row) = table.iter().find(|(names, _)| has(names, name))?;
    Some(row)
}

/// Panics if a name occurs twice in the lists.
#[cfg(test)]
pub(crate) fn assert_disjoint(lists: impl IntoIterator<Item = &'static str>) {
    let mut seen = std::collections::BTreeSet::new();
    let names = lists.into_iter().flat_map(str::split_ascii_whitespace);
    names.for_each(|name| assert!(seen.insert(name), "{name} is listed twice"));
}
