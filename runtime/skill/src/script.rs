//! The tool that runs the scripts of skills, always in the sandbox.

mod interpreter;
mod report;
mod rules;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::projection::{ProjectedFile, SkillProjection};
use super::{Skill, SkillDigest, SkillError, SkillLibrary};
use helve_core::tool::{
    Coverage, Interruption, ToolContext, ToolError, ToolOutput, ToolWrapper as _,
};
use helve_core::tools;
use helve_core::toolset::Toolset;
use helve_storage::glob;
use interpreter::Interpreter;

/// How long before the deadline of its call a script is killed, so that the result can still be
/// returned.
const DEADLINE_MARGIN: Duration = Duration::from_millis(500);

/// The number of bytes of each output stream that are kept; the model receives less.
const MAX_OUTPUT_BYTES: usize = 256 << 10;

/// The variable with the path of the skill's folder.
const SKILL_DIR_VARIABLE: &str = "SKILL_DIR";

/// The scripts of the skills of a session.
///
/// The `allowed-tools` of a skill grant nothing: each call is judged like any other.
#[derive(Debug)]
pub struct SkillScripts {
    library: Arc<SkillLibrary>,
    projection: Option<SkillProjection>,
}

impl SkillScripts {
    /// Creates the scripts of a library's skills, projected in the default cache of the user.
    #[must_use]
    pub fn new(library: Arc<SkillLibrary>) -> Self {
        Self {
            library,
            projection: None,
        }
    }

    /// Sets another cache for projected skills.
    #[must_use]
    pub fn with_projection(mut self, projection: SkillProjection) -> Self {
        self.projection = Some(projection);
        self
    }

    /// Returns the tool, with rules that identify skills. A rule that allows a script of a skill
    /// outside of the executable contains the skill's origin and its digest, as do the rules that an
    /// approval question suggests.
    #[must_use]
    pub fn into_toolset(self) -> Toolset {
        let library = Arc::clone(&self.library);
        let tools = Self::toolset(Arc::new(self)).tools();
        Toolset::from_tools(tools.into_iter().map(|tool| {
            let library = Arc::clone(&library);
            rules::SkillScriptTool { tool, library }.into_tool()
        }))
    }
}

#[tools]
impl SkillScripts {
    /// Runs a script that belongs to one of the available skills and returns what it writes.
    ///
    /// It runs in a sandbox, in the working folder; the skill's own folder is read-only there, and the variable
    /// `SKILL_DIR_VARIABLE` names it. A script is run by what its `#!` line says, or else by its extension. It is ended when its
    /// time is up: what takes longer belongs in the background of a shell.
    #[tool(
        always,
        title = "Run a skill's script",
        open_world,
        untrusted_output,
        max_result_chars = 30_000,
        requires(process),
        match_rule = covers,
        examples = [r#"{"skill": "pdf", "script": "scripts/fill.py", "arguments": ["form.pdf"]}"#]
    )]
    async fn run_skill_script(
        &self,
        /// The skill's name.
        skill: &str,
        /// The script's path in the skill's folder, such as `scripts/fill.py`.
        script: &str,
        /// The arguments, one by one: no shell reads them.
        #[arg(default)]
        arguments: &[String],
        /// What the script reads on its standard input, which is empty otherwise.
        stdin: Option<&str>,
        /// How many seconds it may take.
        #[arg(default = 120, min = 1, max = 600)]
        timeout: u64,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let catalog = self.library.current();
        let skill = catalog.find_usable(skill).await.map_err(tool_error)?;
        let script = normalize_path(script);
        let interpreter = find_interpreter(skill, script).await?;
        if cx.is_dry_run() {
            return Ok(ToolOutput::plain(format!(
                "dry run, nothing runs: would run `{script}` of the skill `{}`",
                skill.name()
            )));
        }
        let process = cx.process();
        let sandbox = process.sandbox().await?;
        let folder = self.project(skill).await?;
        let name = sandbox_folder_name(skill);
        let inside = sandbox.project(&folder, &name).await.map_err(tool_error)?;
        let mut command = interpreter.command(&inside.join(script), arguments);
        let inside = inside.to_string_lossy().into_owned();
        let variable = SKILL_DIR_VARIABLE.to_owned();
        command.environment.insert(variable, inside);
        command.stdin = stdin.unwrap_or_default().as_bytes().to_vec();
        command.timeout = Some(script_timeout(timeout, cx));
        command.max_output_bytes = MAX_OUTPUT_BYTES;
        let begun = Instant::now();
        let output = tokio::select! {
            output = process.run(command) => output,
            // Dropping the future kills the script.
            () = cx.cancellation().cancelled() => return Err(Interruption::cancelled(true).into()),
        };
        let output = output.map_err(|error| interpreter.start_error(error, script))?;
        report::report(&**sandbox, &output, begun.elapsed(), cx.result_budget())
    }
}

impl SkillScripts {
    /// Runs a script, for another tool that requires processes.
    #[doc(hidden)]
    pub async fn run(
        &self,
        skill: &str,
        script: &str,
        arguments: &[String],
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        const SECONDS: u64 = 120;
        self.run_skill_script(skill, script, arguments, None, SECONDS, cx)
            .await
    }

    /// Projects a skill to this machine, and returns its folder.
    async fn project(&self, skill: &Skill) -> Result<PathBuf, ToolError> {
        let projection = match &self.projection {
            Some(projection) => projection.clone(),
            None => SkillProjection::for_user().map_err(tool_error)?,
        };
        let mut files = Vec::new();
        for file in skill.files() {
            files.push(ProjectedFile {
                path: Cow::Owned(file.path.to_owned()),
                bytes: skill.read(file.path).await.map_err(tool_error)?,
                sha256: *file.sha256,
                executable: file.executable,
            });
        }
        let name = skill.name().to_owned();
        let laid = tokio::task::spawn_blocking(move || projection.project(&name, &files));
        laid.await.map_err(tool_error)?.map_err(tool_error)
    }
}

/// Finds the interpreter of a script, which must be a file of the skill.
async fn find_interpreter(skill: &Skill, script: &str) -> Result<Interpreter, ToolError> {
    let Some(file) = skill.file(script) else {
        return Err(tool_error(SkillError::no_such_file(skill, script)));
    };
    let executable = file.executable;
    let bytes = skill.read(script).await.map_err(tool_error)?;
    Interpreter::detect(script, &bytes, executable).map_err(ToolError::failed)
}

/// Removes a redundant prefix that models write before a path.
fn normalize_path(script: &str) -> &str {
    script.strip_prefix("./").unwrap_or(script)
}

/// Returns the name of a skill's folder in a sandbox, which differs for each version.
fn sandbox_folder_name(skill: &Skill) -> String {
    let digest: SkillDigest = skill.digest();
    let digest = &digest.to_string()[..16];
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let name = skill.name();
    if name.len() <= 40 && name.chars().all(is_plain) {
        format!("{name}-{digest}")
    } else {
        format!("skill-{digest}")
    }
}

/// Returns the time limit of a script, so that its result can still be reported.
fn script_timeout(seconds: u64, cx: &ToolContext) -> Duration {
    let asked = Duration::from_secs(seconds);
    let left = cx.deadline().map(|deadline| {
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        left.saturating_sub(DEADLINE_MARGIN)
    });
    left.map_or(asked, |left| asked.min(left))
}

fn tool_error(error: impl std::error::Error + Send + Sync + 'static) -> ToolError {
    ToolError::caused_by(Box::new(error))
}

/// Returns the coverage of a rule for a skill that is not looked up; [`rules`] handles all other
/// skills.
fn covers(
    _: &ToolContext,
    rule: &str,
    skill: &str,
    script: &str,
    _arguments: &[String],
    _stdin: Option<&str>,
    _timeout: &u64,
) -> Coverage {
    let is_named = glob::covers(rule, &format!("{skill}/{}", normalize_path(script)));
    rules::coverage_by_name(is_named, false)
}
