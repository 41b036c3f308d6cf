//! The specification that an agent file contains.

use helve_agent::session::HandOffView;
use helve_model::Effort;
use helve_permission::{Mode, Rule};
use helve_skill_format::{AgentFile, AgentValue, Value, parse_agent};

use crate::AgentSpec;
use helve_permission::tool_names;

impl AgentSpec {
    /// Reads the specification that the text of an agent file contains.
    ///
    /// # Errors
    ///
    /// The reason why the file defines no agent, with the line.
    ///
    /// ```
    /// use helve::agents::AgentSpec;
    ///
    /// let spec = AgentSpec::parse("---\nname: tester\ndescription: Tests.\nmaxTurns: 9\n---\nTest it.\n")?;
    /// assert_eq!(spec.budget.turns, Some(9));
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        from_file(&parse_agent(text))
    }
}

/// Converts a file. The error is the reason why it defines no agent.
pub(crate) fn from_file(file: &AgentFile) -> Result<AgentSpec, String> {
    if let Some(error) = file.errors().next() {
        return Err(error.to_string());
    }
    let missing = || "line 1: the file has no `name` and no `description`".to_owned();
    let name = file.name.as_ref().ok_or_else(missing)?;
    let description = file.description.as_ref().ok_or_else(missing)?;
    let mut spec = AgentSpec::new(name, description).instructions(&*file.body);
    let owned = |key: &str| file.names(key).map(<[String]>::to_vec);
    spec.tools = owned("tools");
    spec.groups = owned("tools.groups");
    spec.without = owned("disallowedTools").unwrap_or_default();
    if file.get("disallowedTools") == Some(&AgentValue::All) {
        spec.tools = Some(Vec::new());
        spec.groups = None;
    }
    spec.servers = owned("mcpServers");
    spec.skills = owned("skills").unwrap_or_default();
    spec.model = file.text("model").map(str::to_owned);
    spec.effort = file.text("effort").and_then(effort);
    spec.mode = mode(file);
    spec.files.read = owned("files.read");
    spec.files.write = owned("files.write");
    spec.hosts.allow = owned("hosts.allow");
    spec.hosts.deny = owned("hosts.deny").unwrap_or_default();
    spec.rules.deny = rules(file, "rules.deny")?;
    spec.rules.ask = rules(file, "rules.ask")?;
    let count = |key: &str| file.number(key).map(|number| number as u32);
    spec.budget.turns = [count("budget.turns"), count("maxTurns")]
        .into_iter()
        .flatten()
        .min();
    spec.budget.tool_calls = count("budget.tool_calls");
    spec.budget.tokens = file.number("budget.tokens").map(|number| number as u64);
    spec.budget.cost_usd = file.number("budget.cost_usd");
    spec.budget.minutes = file.number("budget.minutes");
    spec.delegates = owned("delegates");
    spec.hand_offs = owned("hand_offs").unwrap_or_default();
    spec.hand_off_view = match file.text("hand_off_view") {
        Some("whole") => HandOffView::Whole,
        Some("none") => HandOffView::None,
        _ => HandOffView::Brief,
    };
    if let Some(AgentValue::Mapping(entries)) = file.get("hooks") {
        spec.hooks = Some(json_mapping(entries));
    }
    spec.initial_prompt = file.text("initialPrompt").map(str::to_owned);
    Ok(spec)
}

fn rules(file: &AgentFile, key: &str) -> Result<Vec<Rule>, String> {
    let line = file.fields.iter().find(|field| field.key == key);
    let line = line.map_or(1, |field| field.line);
    let written = file.names(key).unwrap_or_default().iter();
    let rules = written.map(|text| tool_names::rule(text));
    let rules = rules.collect::<Result<Vec<Vec<Rule>>, _>>();
    let rules = rules.map_err(|error| format!("line {line}: {error}"))?;
    Ok(rules.into_iter().flatten().collect())
}

fn json_mapping(entries: &[(String, Value)]) -> serde_json::Value {
    let entries = entries.iter();
    let entries = entries.map(|(key, value)| (key.clone(), json(key, value)));
    serde_json::Value::Object(entries.collect())
}

/// Converts the value of a key of a hook. In front matter, every scalar is text.
fn json(key: &str, value: &Value) -> serde_json::Value {
    match value {
        Value::Mapping(entries) => json_mapping(entries),
        Value::List(items) => items.iter().map(|item| json(key, item)).collect(),
        other => {
            let text = other.as_text().unwrap_or_default();
            let is_text = !matches!(key, "timeout" | "async");
            let parsed = serde_json::from_str(text).ok().filter(|_| !is_text);
            parsed.unwrap_or_else(|| text.into())
        }
    }
}

fn effort(word: &str) -> Option<Effort> {
    match word {
        "none" => Some(Effort::None),
        "minimal" | "low" => Some(Effort::Low),
        "medium" => Some(Effort::Medium),
        "high" | "xhigh" | "max" => Some(Effort::High),
        _ => None,
    }
}

/// Returns the mode of helve's own key, or else that of Claude Code.
fn mode(file: &AgentFile) -> Option<Mode> {
    if let Some(own) = file.text("mode") {
        return own.parse().ok();
    }
    match file.text("permissionMode")? {
        "acceptEdits" => Some(Mode::AcceptEdits),
        "plan" => Some(Mode::Explore),
        "dontAsk" => Some(Mode::DontAsk),
        "bypassPermissions" => Some(Mode::Bypass),
        _ => Some(Mode::Default),
    }
}
