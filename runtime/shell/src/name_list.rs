//! Lists of names, each one text with blanks between the names.

/// Reports whether a list has a name.
pub(crate) fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == name)
}

/// Finds the row of a table whose list has a name.
pub(crate) fn find<T>(table: &'static [(&'static str, T)], name: &str) -> Option<&'static T> {
    let (_, row) = table.iter().find(|(names, _)| has(names, name))?;
    Some(row)
}

/// Panics where two of some lists, or one twice, have the same name.
#[cfg(test)]
pub(crate) fn assert_disjoint(lists: impl IntoIterator<Item = &'static str>) {
    let mut seen = std::collections::BTreeSet::new();
    let names = lists.into_iter().flat_map(str::split_ascii_whitespace);
    names.for_each(|name| assert!(seen.insert(name), "{name} is listed twice"));
}
