//! Names of packages, by the rules of `cargo new` and of crates.io.

/// The most characters of a name on crates.io.
const LONGEST: usize = 64;

/// Keywords of Rust, of today and reserved.
const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Libraries that come with Rust.
const STANDARD_LIBRARIES: [&str; 6] = ["alloc", "core", "proc-macro", "proc_macro", "std", "test"];

/// Folders that cargo makes beside the programs that it builds.
const BUILD_FOLDERS: [&str; 4] = ["build", "deps", "examples", "incremental"];

/// File names that Windows reserves.
const WINDOWS_DEVICES: [&str; 22] = [
    "aux", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "lpt1",
    "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn",
];

/// Returns why a package cannot have a name.
pub(crate) fn check(name: &str) -> Result<(), String> {
    let Some(first) = name.chars().next() else {
        return Err("the package name is empty".to_owned());
    };
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if let Some(wrong) = name.chars().find(|c| !is_allowed(*c)) {
        return Err(format!(
            "invalid character {wrong:?} in the package name {name:?}: a name has ASCII letters, digits, `-` and `_`"
        ));
    }
    if !name.contains(|c: char| c.is_ascii_alphanumeric()) {
        return Err(format!("invalid package name `{name}`: it has no letter"));
    }
    if !first.is_ascii_alphabetic() && first != '_' {
        return Err(format!(
            "invalid package name `{name}`: it has to start with a letter"
        ));
    }
    if name.len() > LONGEST {
        return Err(format!(
            "invalid package name `{name}`: it has more than {LONGEST} characters"
        ));
    }
    match reserved_for(name) {
        Some(reason) => Err(format!("invalid package name `{name}`: it is {reason}")),
        None => Ok(()),
    }
}

/// Returns what a name stands for already.
fn reserved_for(name: &str) -> Option<&'static str> {
    if KEYWORDS.contains(&name) {
        Some("a keyword of Rust")
    } else if STANDARD_LIBRARIES.contains(&name) {
        Some("the name of a library that comes with Rust")
    } else if BUILD_FOLDERS.contains(&name) {
        Some("the name of a folder in which cargo builds")
    } else if WINDOWS_DEVICES.contains(&&*name.to_ascii_lowercase()) {
        Some("a file name that Windows reserves")
    } else if name == "helve" {
        Some("the name of the package that the new one depends on")
    } else {
        None
    }
}

/// Returns a name like the invalid one that a package can have.
pub(crate) fn suggest(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words: Vec<_> = words
        .map(|word| word.trim_matches('_'))
        .filter(|word| !word.is_empty())
        .collect();
    let mut suggested = words.join("-");
    suggested.truncate(LONGEST / 2);
    let suggested = suggested.trim_end_matches(['-', '_']);
    if suggested.is_empty() {
        "weather".to_owned()
    } else if !suggested.starts_with(|c: char| c.is_ascii_alphabetic())
        || reserved_for(suggested).is_some()
    {
        format!("my-{suggested}")
    } else {
        suggested.to_owned()
    }
}
