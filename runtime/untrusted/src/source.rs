//! Where a text came from, as far as the call says it.

/// Describes the source of a result from the arguments of its call: a URL, or a file.
pub fn describe(arguments: &str) -> Option<String> {
    let arguments: serde_json::Value = serde_json::from_str(arguments).ok()?;
    let text = |key: &str| Some(arguments.get(key)?.as_str()?.to_owned());
    ["url", "uri"].into_iter().find_map(text).or_else(|| {
        let path = ["path", "file_path", "file"].into_iter().find_map(text)?;
        Some(format!("file:{path}"))
    })
}
