//! The script that starts a process and then becomes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::quote::quote;
use helve_core::sandbox::{
    Access, Enforcement, Limits, ProcessSpec, SandboxError, SandboxId, SandboxPolicy, TerminalSize,
};
use helve_core::support::wildcard::is_name_or_prefix;

/// The record of a process that the scripts store for clients that attach later.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ProcessRecord {
    pub(super) argv: Vec<String>,
    pub(super) limits: Limits,
}

/// The settings that all processes of a sandbox share; the sandbox stores them for clients that attach later.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RemoteConfig {
    /// The roots of the files, without links; processes start in the first root.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) environment: BTreeMap<String, String>,
    /// Whether a read-only process must be rejected, because the sandbox cannot restrict it.
    pub(crate) refuses_read_only: bool,
    pub(crate) enforcement: Enforcement,
}

/// Combines the variables of the remote host with those that a policy sets.
///
/// `PATH` and `HOME` are those of the remote host: the paths of this machine do not exist there.
pub(crate) fn variables(
    mut environment: BTreeMap<String, String>,
    policy: &SandboxPolicy,
) -> BTreeMap<String, String> {
    for (name, value) in std::env::vars_os() {
        let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) else {
            continue;
        };
        let passed = SandboxPolicy::DEFAULT_PASS.iter().copied();
        let mut passed = passed.chain(policy.pass.iter().map(String::as_str));
        if name != "PATH" && name != "HOME" && passed.any(|rule| is_name_or_prefix(rule, &name)) {
            environment.insert(name, value);
        }
    }
    environment.extend(policy.environment.clone());
    environment
}

impl RemoteConfig {
    pub(super) fn working_folder(&self, spec: &ProcessSpec) -> PathBuf {
        let root = self.roots.first().cloned().unwrap_or_default();
        match &spec.working_folder {
            Some(folder) => root.join(folder),
            None => root,
        }
    }

    pub(super) fn environment(&self, spec: &ProcessSpec) -> BTreeMap<String, String> {
        let mut environment = self.environment.clone();
        environment.extend(spec.environment.clone());
        environment
    }

    pub(super) fn script(
        &self,
        sandbox: &SandboxId,
        spec: &ProcessSpec,
        folder: &Path,
    ) -> Result<String, SandboxError> {
        let program = spec.argv.first().map_or("", String::as_str);
        let cannot = |why: &str| SandboxError::CannotStart {
            program: program.to_owned(),
            why: why.to_owned(),
        };
        if program.is_empty() {
            return Err(cannot("no program is named"));
        }
        if spec.access == Access::Read && self.refuses_read_only {
            return Err(cannot(
                "this sandbox cannot run a command read-only; allow it to write, or use another sandbox",
            ));
        }
        let environment = self.environment(spec);
        let texts = spec.argv.iter().chain(environment.values());
        let mut texts = texts.chain(environment.keys());
        if texts.any(|text| text.contains('\0')) {
            let why = "an argument or an environment variable contains a NUL byte";
            return Err(cannot(why));
        }
        let is_invalid = |name: &&String| name.is_empty() || name.contains('=');
        if let Some(name) = environment.keys().find(is_invalid) {
            let why = format!("`{name}` cannot be the name of a variable");
            return Err(cannot(&why));
        }
        let folder = folder
            .to_str()
            .ok_or_else(|| cannot("the folder to start in is not UTF-8"))?;
        let record = ProcessRecord {
            argv: spec.argv.clone(),
            limits: spec.limits.clone(),
        };
        let record = serde_json::to_string(&record).map_err(|error| cannot(&error.to_string()))?;

        let mut script = format!(
            "echo $$ >pid\numask 022\ncd {} || exit 126\n",
            quote(folder)
        );
        script.push_str(&limit_commands(&spec.limits));
        script.push_str(&format!(
            "exec env -i HELVE_SANDBOX_PROCESS='{sandbox}.{};'",
            spec.id
        ));
        for (name, value) in &environment {
            script.push_str(&format!(" {}", quote(&format!("{name}={value}"))));
        }
        // `env` would take a program with this name for another variable.
        if program.contains('=') {
            script.push_str(" sh -c 'exec \"$@\"' sh");
        }
        for argument in &spec.argv {
            script.push_str(&format!(" {}", quote(argument)));
        }
        Ok(format!("{script}\n#{record}\n"))
    }
}

/// Returns the commands for the limits that a shell can set. The number of processes is not limited: the kernel counts
/// all processes of the user on that machine, not those of the sandbox.
fn limit_commands(limits: &Limits) -> String {
    let mut script = String::new();
    if let Some(time) = limits.cpu_time {
        let seconds = time.as_secs().max(1);
        // The soft limit sends a distinct signal, by which the cause is recognised.
        script.push_str(&format!(
            "ulimit -S -t {seconds}; ulimit -H -t {}\n",
            seconds + 2
        ));
    }
    if let Some(memory) = limits.memory {
        // Limits the data segment, not the address space: some programs map much more memory than they use.
        script.push_str(&format!("ulimit -d {}\n", memory.div_ceil(1024)));
    }
    if let Some(size) = limits.file_size {
        script.push_str(&format!("ulimit -f {}\n", (size / 512).max(1)));
    }
    if let Some(files) = limits.open_files {
        script.push_str(&format!("ulimit -n {files} || ulimit -S -n {files}\n"));
    }
    script
}

/// Returns the size of a terminal in the format of the scripts; 0 without a terminal.
pub(super) fn terminal_size(size: Option<TerminalSize>) -> (u16, u16) {
    size.map_or((0, 0), |size| (size.rows.max(1), size.columns.max(1)))
}
