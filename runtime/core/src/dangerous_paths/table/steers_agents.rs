//! Files from which an agent reads instructions, settings, servers or hooks at its next start.

use super::super::row::Depth::{Anywhere, Repository, Top};
use super::super::row::{Guard, Kind, Row};

const RULES: &str = "it decides which calls run without approval";
const SETTINGS: &str = "an agent executes these files or reads them as settings";
const INSTRUCTIONS: &str = "an agent reads it as instructions";

/// Creates the row of a file that names programs an agent starts, or lets an agent run without a question.
const fn settings(pattern: &'static str) -> Row {
    Row::new(Kind::SteersAgents, pattern, SETTINGS).guards(Guard::Open, Guard::Asks)
}

/// Creates the row of text that users edit every day.
const fn instructions(pattern: &'static str) -> Row {
    Row::new(Kind::SteersAgents, pattern, INSTRUCTIONS)
        .guards(Guard::Open, Guard::AfterUntrusted)
        .reported_to_watch()
}

/// Creates the row of a file that configures what helve itself allows to run.
const fn rules(pattern: &'static str) -> Row {
    Row::new(Kind::SteersAgents, pattern, RULES).guards(Guard::Asks, Guard::Always)
}

pub(super) const ROWS: &[Row] = &[
    rules(".helve/").read_only(Repository),
    rules(".config/helve/").read_only(Top),
    rules("helve/permissions.json"),
    rules(".local/share/helve/").read_only(Top),
    rules("helve/acceptances.json"),
    rules(".local/state/helve/").read_only(Top),
    settings("helve.toml").read_only(Anywhere),
    settings(".mcp.json").read_only(Anywhere),
    settings(".claude/").read_only(Anywhere),
    settings(".agents/").read_only(Anywhere),
    settings(".cursor/").read_only(Anywhere),
    settings(".codex/").read_only(Repository),
    settings(".gemini/").read_only(Repository),
    settings(".qwen/").read_only(Repository),
    settings(".windsurf/").read_only(Repository),
    settings(".clinerules/").read_only(Repository),
    settings(".roo/").read_only(Repository),
    settings(".continue/").read_only(Repository),
    settings(".kiro/").read_only(Repository),
    settings(".junie/").read_only(Repository),
    settings(".amazonq/").read_only(Repository),
    settings(".opencode/").read_only(Repository),
    settings("opencode.json").read_only(Repository),
    settings("opencode.jsonc").read_only(Repository),
    settings(".aider.conf.yml").read_only(Repository),
    settings(".github/hooks/").read_only(Repository),
    instructions("AGENTS.md"),
    instructions("AGENTS.override.md"),
    instructions("CLAUDE.md"),
    instructions("CLAUDE.local.md"),
    instructions("GEMINI.md"),
    instructions("QWEN.md"),
    instructions("SKILL.md"),
    instructions(".cursorrules"),
    instructions(".windsurfrules"),
    instructions(".roorules"),
    instructions(".roomodes"),
    instructions(".goosehints"),
    instructions(".github/copilot-instructions.md"),
    instructions(".github/instructions/"),
    instructions(".github/prompts/"),
    instructions(".github/agents/"),
];
