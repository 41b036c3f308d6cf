//! The keys of agent files: those of Claude Code, helve's own, and those of other programs.

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// A list of tools, with `*` for all.
    Tools,
    Names,
    /// The names of MCP servers; definitions in place are not read.
    Servers,
    /// A whole number that is greater than 0.
    Count,
    /// A number that is greater than 0.
    Amount,
    /// One of these words; another one is an error.
    Word(&'static [&'static str]),
    /// One of these words; another one is a warning.
    Hint(&'static [&'static str]),
    /// A mapping, whose reader checks what is below.
    Mapping,
    /// A key whose value changes nothing here.
    Ignored,
    /// A key that helve does not support, with what this means for the agent.
    Unsupported(&'static str),
}

/// The modes of Claude Code.
const PERMISSION_MODES: &[&str] = &[
    "default",
    "manual",
    "acceptEdits",
    "plan",
    "auto",
    "dontAsk",
    "bypassPermissions",
];

const MODES: &[&str] = &[
    "default",
    "accept_edits",
    "explore",
    "plan",
    "bypass",
    "dont_ask",
];

const HAND_OFF_VIEWS: &[&str] = &["brief", "whole", "none"];

const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/// The keys, apart from `name` and `description`.
pub(super) const KEYS: &[(&str, Kind)] = &[
    ("tools", Kind::Tools),
    ("disallowedTools", Kind::Tools),
    ("model", Kind::Text),
    ("effort", Kind::Hint(EFFORTS)),
    ("permissionMode", Kind::Word(PERMISSION_MODES)),
    ("maxTurns", Kind::Count),
    ("skills", Kind::Names),
    ("mcpServers", Kind::Servers),
    ("initialPrompt", Kind::Text),
    ("hooks", Kind::Mapping),
    ("color", Kind::Ignored),
    ("mode", Kind::Word(MODES)),
    ("tools.groups", Kind::Names),
    ("delegates", Kind::Names),
    ("hand_offs", Kind::Names),
    ("hand_off_view", Kind::Word(HAND_OFF_VIEWS)),
    ("files.read", Kind::Names),
    ("files.write", Kind::Names),
    ("hosts.allow", Kind::Names),
    ("hosts.deny", Kind::Names),
    ("rules.deny", Kind::Names),
    ("rules.ask", Kind::Names),
    ("budget.turns", Kind::Count),
    ("budget.tool_calls", Kind::Count),
    ("budget.tokens", Kind::Count),
    ("budget.cost_usd", Kind::Amount),
    ("budget.minutes", Kind::Amount),
    (
        "rules.allow",
        Kind::Unsupported("an agent file allows nothing"),
    ),
    (
        "memory",
        Kind::Unsupported("the agent has no memory of its own, and no further tools"),
    ),
    (
        "background",
        Kind::Unsupported("the agent works while its caller waits"),
    ),
    (
        "isolation",
        Kind::Unsupported("the agent works in the folder of its caller"),
    ),
];

/// Keys that are read as another one, each with the program that writes them.
pub(super) const SYNONYMS: &[(&str, &str)] = &[
    ("allowedTools", "tools"),
    ("allowed-tools", "tools"),
    ("allowed_tools", "tools"),
    ("disallowed-tools", "disallowedTools"),
    ("disallowed_tools", "disallowedTools"),
    ("permission-mode", "permissionMode"),
    ("permission_mode", "permissionMode"),
    ("max-turns", "maxTurns"),
    ("max_turns", "maxTurns"),
    ("mcp-servers", "mcpServers"),
    ("mcp_servers", "mcpServers"),
    ("initial-prompt", "initialPrompt"),
    ("initial_prompt", "initialPrompt"),
];

/// The keys below which others stand.
pub(super) const SECTIONS: &[&str] = &["files", "hosts", "rules", "budget"];

/// Finds a key.
pub(super) fn find(key: &str) -> Option<(&'static str, Kind)> {
    KEYS.iter().find(|(known, _)| *known == key).copied()
}

/// Returns whether a word is the key of a line, for front matter that is not YAML.
pub(super) fn is_known(key: &str) -> bool {
    matches!(key, "name" | "description")
        || find(key).is_some()
        || SECTIONS.contains(&key)
        || SYNONYMS.iter().any(|(known, _)| *known == key)
}

/// Returns the most similar key.
pub(super) fn nearest(key: &str) -> Option<&'static str> {
    let distance = |known: &str| strsim::damerau_levenshtein(key, known);
    let sections = SECTIONS.iter().copied();
    let known = KEYS.iter().map(|(known, _)| *known).chain(sections);
    let known = known.chain(["name", "description"]);
    let nearest = known.min_by_key(|known| distance(known))?;
    (distance(nearest) <= nearest.len() / 3).then_some(nearest)
}
