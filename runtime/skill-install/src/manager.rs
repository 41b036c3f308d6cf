//! The tools with which a model lists, creates, fetches and manages skills.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve_core::tool::{ToolContext, ToolError, ToolOutput};
use helve_core::{data, tools};
use helve_skill::{Skill, SkillLibrary};

use crate::draft::DraftFile;
use crate::error::{InstallError, shown};
use crate::fetch::FetchContext;
use crate::installer::{InstallOptions, PlannedInstall, SkillInstaller};
use crate::operations::SkillSources;
use crate::source::InstallSource;
use crate::trigger::{SkillTrigger, SkillTriggers};

/// Skills as a model manages them: it lists, pauses and removes them, and makes drafts that a person accepts.
///
/// No draft is in use, and none of its files runs, before `skills accept`.
#[derive(Debug)]
pub struct SkillManager {
    installer: SkillInstaller,
    library: Arc<SkillLibrary>,
    sources: SkillSources,
    project: PathBuf,
    triggers: Option<Arc<dyn SkillTriggers>>,
}

/// A file of a new skill.
#[data]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSkillFile {
    /// The path in the skill's folder, such as `scripts/report.py`.
    #[arg(min_len = 1, max_len = 1_000)]
    pub path: String,
    /// The whole content.
    #[arg(max_len = 262_144)]
    pub content: String,
}

/// What is done with a skill.
#[data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum SkillAction {
    /// It is not used until it is resumed.
    Pause,
    /// It is used again, and its failures are forgotten.
    Resume,
    /// It is not used.
    Disable,
    /// It is used again.
    Enable,
    /// Its files, or the draft, are removed.
    Remove,
}

impl SkillAction {
    /// Returns the name of the command that does the same.
    fn command(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Disable => "disable",
            Self::Enable => "enable",
            Self::Remove => "remove",
        }
    }
}

impl SkillManager {
    /// Manages the skills of a project, of which the library has those in use.
    #[must_use]
    pub fn new(
        installer: SkillInstaller,
        library: Arc<SkillLibrary>,
        sources: SkillSources,
    ) -> Self {
        Self {
            project: installer.root().to_owned(),
            installer,
            library,
            sources,
            triggers: None,
        }
    }

    /// Sets the schedules of skills with a trigger, which follow the changes of the skills.
    #[must_use]
    pub fn triggers(mut self, triggers: Arc<dyn SkillTriggers>) -> Self {
        self.triggers = Some(triggers);
        self
    }

    #[cfg(all(unix, feature = "sandbox"))]
    pub(crate) fn installer(&self) -> &SkillInstaller {
        &self.installer
    }

    #[cfg(all(unix, feature = "sandbox"))]
    pub(crate) fn library(&self) -> &Arc<SkillLibrary> {
        &self.library
    }

    #[cfg(all(unix, feature = "sandbox"))]
    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    fn options(&self) -> InstallOptions {
        let catalog = self.library.current();
        let embedded = catalog
            .skills()
            .filter(|skill| skill.origin().is_embedded());
        InstallOptions {
            reserved: embedded.map(|skill| skill.name().to_owned()).collect(),
            ..InstallOptions::default()
        }
    }

    /// Runs a function that blocks on file access.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SkillInstaller) -> Result<T, InstallError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let installer = self.installer.clone();
        let done = tokio::task::spawn_blocking(move || work(&installer)).await;
        done.map_err(|error| ToolError::caused_by(Box::new(error)))?
            .map_err(failed)
    }
}

pub(crate) fn failed(error: InstallError) -> ToolError {
    ToolError::caused_by(Box::new(error))
}

#[tools]
impl SkillManager {
    /// Lists the skills with their status and what starts them, and the drafts that wait for a person.
    #[tool(read_only, title = "List skills")]
    async fn list_skills(&self) -> Result<String, ToolError> {
        let project = self.project.clone();
        let (statuses, drafts) = self
            .blocking(move |installer| {
                Ok((installer.statuses().list(&project)?, installer.drafts()?))
            })
            .await?;
        let scheduled = match &self.triggers {
            Some(triggers) => Some(triggers.describe().await),
            None => None,
        };
        let catalog = self.library.current();
        let unused = || statuses.iter().filter(|status| status.is_unused());
        let used = catalog
            .skills()
            .filter(|skill| unused().all(|status| status.name != skill.name()));
        let describe = |skill| describe(skill, scheduled.as_ref());
        let mut lines: Vec<String> = used.map(describe).collect();
        lines.extend(unused().map(|status| {
            let why = status
                .paused
                .as_ref()
                .map(|pause| format!(": {}", shown(&pause.reason)));
            format!(
                "- {} [{}]{}",
                shown(&status.name),
                status.label(),
                why.unwrap_or_default()
            )
        }));
        lines.extend(drafts.skills().iter().map(|draft| {
            let source = match draft.is_created() {
                true => "written by an agent".to_owned(),
                false => format!("from {}", shown(&draft.source)),
            };
            let name = &draft.name;
            format!("- {name} [draft] {source}: waits for `skills accept {name}`")
        }));
        lines.sort();
        Ok(match lines.is_empty() {
            true => "No skills installed.".to_owned(),
            false => lines.join("\n"),
        })
    }

    /// Writes a draft of a new skill: instructions for a task that comes again.
    ///
    /// The draft is checked and scanned. It is not in use before the user accepts it with `skills accept NAME`; say so.
    #[expect(clippy::too_many_arguments, reason = "they are those of the tool")]
    #[tool(risk = "medium", title = "Create a skill")]
    async fn create_skill(
        &self,
        /// The name: lower-case words with hyphens.
        #[arg(min_len = 1, max_len = 64, example = "weekly-report")]
        name: &str,
        /// What the skill does and when to use it.
        #[arg(min_len = 1, max_len = 1_024)]
        description: &str,
        /// The instructions, as Markdown without front matter.
        #[arg(min_len = 1, max_len = 262_144)]
        instructions: &str,
        /// Further files.
        #[arg(default, max_len = 100)]
        files: Vec<NewSkillFile>,
        /// What starts the skill: `manual`, `cron: 0 8 * * *`, `event: run:ID` (a run of a schedule is done) or
        /// `event: file:inbox/*.csv` (a file appears or changes).
        #[arg(default = "manual", max_len = 200)]
        trigger: &str,
        /// The script among the files that `run_skill` runs, such as `scripts/report.py`.
        #[arg(max_len = 1_000)]
        entry: Option<&str>,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let manifest = manifest(name, description, &metadata(trigger, entry), instructions);
        let files: Vec<DraftFile> = files
            .into_iter()
            .map(|file| DraftFile {
                executable: file.content.starts_with("#!"),
                path: file.path,
                text: file.content,
            })
            .collect();
        if cx.is_dry_run() {
            return Ok(ToolOutput::plain(format!(
                "dry run, nothing is written: would draft the skill `{name}`"
            )));
        }
        let (name, options) = (name.to_owned(), self.options());
        let plan = self
            .blocking(move |installer| installer.draft_new(&name, &manifest, &files, &options))
            .await?;
        Ok(ToolOutput::plain(describe_draft(&plan)))
    }

    /// Fetches a skill of another source as a draft, for the user to accept.
    ///
    /// Sources are a repository (`owner/repo`, `owner/repo@ref#path`), a host (`https://…`), an archive, or the name of a
    /// skill of the hub. The draft is checked and scanned, and is not in use before `skills accept NAME`; say so.
    #[tool(
        risk = "high",
        open_world,
        untrusted_output,
        requires(net),
        title = "Install a skill"
    )]
    async fn install_skill(
        &self,
        /// The source.
        #[arg(min_len = 1, max_len = 2_000, example = "acme/skills@v2#pdf")]
        source: &str,
        /// The skill of the source; all if there is none.
        skill: Option<&str>,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let mut names: Vec<String> = skill.map(str::to_owned).into_iter().collect();
        let is_hub = !source.contains(['/', ':', '.']);
        let parsed = self.sources.parse(source, &mut names).map_err(failed)?;
        let is_allowed = matches!(
            parsed,
            InstallSource::GitHub { .. } | InstallSource::Host(_) | InstallSource::Archive(_)
        );
        if !is_allowed && !is_hub {
            return Err(ToolError::failed(
                "only repositories, hosts, archives on the web and the hub are sources here; the user can run `skills add`",
            ));
        }
        if cx.is_dry_run() {
            return Ok(ToolOutput::plain(format!(
                "dry run, nothing is fetched: would draft the skills of `{parsed}`"
            )));
        }
        let http = cx.http();
        let mut context = FetchContext::new(Some(&http));
        if let Some(api) = &self.sources.github {
            context = context.with_github_api(api).map_err(failed)?;
        }
        let fetched = context.fetch(&parsed, &names).await.map_err(failed)?;
        let options = self.options();
        let plans = self
            .blocking(move |installer| installer.draft_fetched(&fetched, &options))
            .await?;
        let texts: Vec<String> = plans.iter().map(describe_draft).collect();
        Ok(ToolOutput::plain(texts.join("\n")))
    }

    /// Pauses, resumes, disables, enables or removes a skill of this project.
    #[tool(risk = "high", destructive, title = "Manage a skill")]
    async fn manage_skill(
        &self,
        /// The name of the skill.
        #[arg(min_len = 1, max_len = 64)]
        name: &str,
        /// What to do.
        action: SkillAction,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        if cx.is_dry_run() {
            return Ok(ToolOutput::plain(format!(
                "dry run, nothing changes: {action:?} `{name}`"
            )));
        }
        let (owned, project) = (name.to_owned(), self.project.clone());
        let is_used = self.library.current().get(name).is_some();
        let done = self
            .blocking(move |installer| manage(installer, &owned, action, &project, is_used))
            .await?;
        if let Some(triggers) = &self.triggers {
            let followed = triggers.follow(action.command(), name).await;
            followed.map_err(|error| ToolError::failed(format!("{done}, but: {error}")))?;
        }
        Ok(ToolOutput::plain(done))
    }
}

fn manage(
    installer: &SkillInstaller,
    name: &str,
    action: SkillAction,
    project: &Path,
    is_used: bool,
) -> Result<String, InstallError> {
    if action == SkillAction::Remove {
        if !installer.remove_draft(name)? {
            installer.remove(name, false)?;
        }
        return Ok(format!("Skill \"{name}\" removed"));
    }
    let command = action.command();
    let is_known = is_used
        || installer.statuses().get(name, project)?.is_unused()
        || installer.lock_file()?.get(name).is_some();
    if !is_known {
        return Err(InstallError::Unknown {
            name: name.to_owned(),
            place: "here",
            known: Vec::new(),
        });
    }
    installer.set_status(command, name, project, false)?;
    Ok(format!("Skill \"{name}\" {command}d"))
}

/// Describes a skill in one line. `scheduled` says how far the schedules of skills are, where there are schedules.
fn describe(skill: &Skill, scheduled: Option<&BTreeMap<String, String>>) -> String {
    let about = skill.description().lines().next().unwrap_or_default();
    let about = helve_core::support::text::truncate(about, 100);
    let trigger = SkillTrigger::from_front_matter(&skill.front_matter());
    let state = match scheduled {
        Some(scheduled) if trigger != SkillTrigger::Manual => {
            let state = scheduled.get(skill.name());
            let state = state.map_or("not scheduled before the user enables it", String::as_str);
            format!(", {}", shown(state))
        }
        _ => String::new(),
    };
    format!(
        "- {} [active] trigger: {trigger}{state}: {}",
        shown(skill.name()),
        shown(&about)
    )
}

/// Quotes a text for YAML, on one line.
fn quoted(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    serde_json::Value::from(words.join(" ")).to_string()
}

/// Writes the metadata of a skill: what starts it, and its entry.
fn metadata(trigger: &str, entry: Option<&str>) -> String {
    let mut fields = match trigger.split_once(':') {
        Some(("cron", schedule)) => {
            format!("  trigger: cron\n  schedule: {}\n", quoted(schedule))
        }
        Some(("event", event)) => format!("  trigger: event\n  event: {}\n", quoted(event)),
        _ => String::new(),
    };
    if let Some(entry) = entry {
        fields.push_str(&format!("  entry: {}\n", quoted(entry)));
    }
    match fields.is_empty() {
        true => fields,
        false => format!("metadata:\n{fields}"),
    }
}

/// Writes a manifest with quoted values.
fn manifest(name: &str, description: &str, metadata: &str, instructions: &str) -> String {
    format!(
        "---\nname: {}\ndescription: {}\n{metadata}---\n\n{}\n",
        quoted(name),
        quoted(description),
        instructions.trim()
    )
}

fn describe_draft(plan: &PlannedInstall) -> String {
    let name = &plan.skill.name;
    let findings = match plan.skill.findings.len() {
        0 => "the scan found nothing".to_owned(),
        count => format!(
            "the scan has {count} findings, {} of them severe",
            plan.review.severe
        ),
    };
    format!(
        "drafted the skill `{name}` ({} files, {findings}); it is not in use before the user runs `skills accept {name}`",
        plan.skill.tree.len()
    )
}
