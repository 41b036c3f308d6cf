//! Runs commands below `sandbox-exec`; they are supervised like plain children.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::enforcement;
use super::profile::ProfileInput;
use crate::sandbox::layer_status::{egress_of, gaps};
use crate::sandbox::passthrough::PassthroughSandbox;
use crate::sandbox::proxy;
use crate::sandbox::search_path::{SearchRoot, temporary_folders};
use crate::sandbox::{
    Egress, Enforcement, NetworkAccess, OutputChunk, ProcessId, ProcessSpec, ProcessStatus, Proxy,
    ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxFuture, SandboxId, SandboxPolicy,
    SearchPath, Signal, TerminalSize,
};
use helve_core::support::lock::Mutex;

/// The absolute path of the program that applies a profile, so that `PATH` is not searched.
const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// The arguments before the command: the program, `-p`, the profile, `--`.
const PREFIX_ARGS: usize = 4;

/// The sandbox of macOS.
///
/// The system's `sandbox-exec` restricts commands to a profile that is generated from the policy. The [`Enforcement`]
/// lists the layers that it cannot enforce, which the policy has to accept as missing. Like [`PassthroughSandbox`],
/// which runs its commands, the sandbox belongs to the process that opened it.
#[derive(Debug)]
pub struct SeatbeltSandbox {
    inner: PassthroughSandbox,
    policy: SandboxPolicy,
    enforcement: Enforcement,
    private: [PathBuf; 2],
    projected: Mutex<Vec<PathBuf>>,
    search_path: SearchPath,
    proxy: Option<Proxy>,
}

impl SeatbeltSandbox {
    /// Opens a sandbox.
    ///
    /// # Errors
    /// Fails if a layer that the policy requires is not enforced, if `sandbox-exec` does not exist, or if a folder of
    /// the policy cannot be used.
    pub async fn open(policy: SandboxPolicy) -> Result<Self, SandboxError> {
        policy.reject_staged("local")?;
        let enforcement = enforcement::table(&policy);
        let missing = gaps(&enforcement, &policy);
        if !missing.is_empty() {
            return Err(SandboxError::Isolation { missing });
        }
        let job = tokio::task::spawn_blocking(move || resolve_folders(policy));
        let policy = job.await.map_err(|error| SandboxError::Closed {
            why: error.to_string(),
        })??;
        let proxy = if policy.needs_proxy() {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
            let listener = listener.map_err(|error| io("listening for the proxy", error))?;
            let gate = proxy::gate_for(&policy);
            Some(Proxy::serve_gated(listener, &policy.network, gate)?)
        } else {
            None
        };
        let inner = PassthroughSandbox::open(policy.clone()).await?;
        let folder = std::fs::canonicalize(inner.folder());
        let folder = folder.map_err(|error| io("finding the sandbox's folder", error))?;
        let private = [folder.join("home"), folder.join("tmp")];
        for folder in &private {
            std::fs::create_dir(folder).map_err(|error| io("making the sandbox's home", error))?;
        }
        let search_path = search_path(&policy, &private);
        Ok(Self {
            inner,
            policy,
            enforcement,
            private,
            projected: Mutex::default(),
            search_path,
            proxy,
        })
    }

    /// Wraps a command in `sandbox-exec`.
    fn wrap(&self, mut spec: ProcessSpec) -> Result<ProcessSpec, SandboxError> {
        let projected = self.projected.lock().clone();
        let reached = self.proxy.as_ref();
        let reached = reached.filter(|_| spec.network == NetworkAccess::Policy);
        let input = ProfileInput {
            policy: &self.policy,
            private: &self.private,
            projected: &projected,
            proxy: reached.map(|proxy| proxy.address().port()),
            access: spec.access,
        };
        let profile = input.build()?;
        self.check_program(&spec)?;
        let before = [SANDBOX_EXEC, "-p", &profile, "--"].map(str::to_owned);
        spec.argv.splice(0..0, before);
        let [home, temporary] = self
            .private
            .each_ref()
            .map(|folder| folder.to_string_lossy());
        let mut variables = vec![
            ("HOME", home.into_owned()),
            ("TMPDIR", temporary.into_owned()),
        ];
        if let Some(proxy) = &self.proxy {
            variables.extend(Proxy::environment(proxy.address()));
        }
        let variables = variables.into_iter();
        let mut environment: BTreeMap<String, String> = variables
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        environment.extend(self.policy.environment.clone());
        environment.append(&mut spec.environment);
        spec.environment = environment;
        Ok(spec)
    }

    /// Checks that the program exists, because `sandbox-exec` would only print an error.
    fn check_program(&self, spec: &ProcessSpec) -> Result<(), SandboxError> {
        let program = spec.argv.first().cloned().unwrap_or_default();
        if program.is_empty() {
            let why = "no program is named".to_owned();
            return Err(SandboxError::CannotStart { program, why });
        }
        let found = if program.contains('/') {
            let folder = spec.working_folder.clone().unwrap_or_default();
            let folder = self.policy.workspace.join(folder);
            folder.join(&program).is_file()
        } else {
            let path = spec.environment.get("PATH");
            let path = path.or_else(|| self.policy.environment.get("PATH"));
            let path = path.cloned().or_else(|| std::env::var("PATH").ok());
            let path = path.unwrap_or_default();
            std::env::split_paths(&path).any(|folder| folder.join(&program).is_file())
        };
        if found {
            return Ok(());
        }
        let why = "program not found".to_owned();
        Err(SandboxError::ProgramNotFound { program, why })
    }
}

/// Returns the search path for programs.
fn search_path(policy: &SandboxPolicy, private: &[PathBuf]) -> SearchPath {
    let path = policy.environment.get("PATH").map(OsString::from);
    let written = policy.roots();
    let written = written.chain(private).map(SearchRoot::writable);
    let written = written.chain(temporary_folders()).collect();
    SearchPath::from_environment(path.or_else(|| std::env::var_os("PATH")), written)
}

/// Replaces the folders of a policy with their resolved paths, which a profile has to contain.
fn resolve_folders(mut policy: SandboxPolicy) -> Result<SandboxPolicy, SandboxError> {
    if !Path::new(SANDBOX_EXEC).is_file() {
        return Err(SandboxError::Unavailable {
            kind: "seatbelt".to_owned(),
            why: format!("there is no `{SANDBOX_EXEC}`"),
        });
    }
    let folders = std::iter::once(&mut policy.workspace)
        .chain(&mut policy.writable)
        .chain(&mut policy.readable);
    for folder in folders {
        let found = std::fs::canonicalize(&*folder);
        *folder = found.map_err(|error| io(&format!("finding `{}`", folder.display()), error))?;
    }
    Ok(policy)
}

fn io(doing: &str, source: std::io::Error) -> SandboxError {
    SandboxError::Io {
        doing: doing.to_owned(),
        source,
    }
}

/// Removes the wrapper from the command of a status.
fn without_wrapper(mut status: ProcessStatus) -> ProcessStatus {
    if status.argv.first().map(String::as_str) == Some(SANDBOX_EXEC) {
        status.argv.drain(..PREFIX_ARGS.min(status.argv.len()));
    }
    status
}

impl Sandbox for SeatbeltSandbox {
    fn id(&self) -> &SandboxId {
        self.inner.id()
    }

    fn enforcement(&self) -> &Enforcement {
        &self.enforcement
    }

    fn egress(&self) -> Egress {
        let gate = self.proxy.as_ref().map(Proxy::gate);
        egress_of(&self.enforcement, &self.policy, gate)
    }

    fn narrows_processes(&self) -> bool {
        true
    }

    fn search_path(&self) -> Option<&SearchPath> {
        Some(&self.search_path)
    }

    fn files(&self) -> Arc<dyn SandboxFs> {
        self.inner.files()
    }

    fn start(&self, spec: ProcessSpec) -> SandboxFuture<'_, ProcessStatus> {
        Box::pin(async move {
            let spec = self.wrap(spec)?;
            self.inner.start(spec).await.map(without_wrapper)
        })
    }

    fn read(&self, read: ReadOutput) -> SandboxFuture<'_, OutputChunk> {
        self.inner.read(read)
    }

    fn write<'a>(
        &'a self,
        process: &'a ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> SandboxFuture<'a, ()> {
        self.inner.write(process, bytes, end)
    }

    fn resize<'a>(&'a self, process: &'a ProcessId, size: TerminalSize) -> SandboxFuture<'a, ()> {
        self.inner.resize(process, size)
    }

    fn signal<'a>(&'a self, process: &'a ProcessId, signal: Signal) -> SandboxFuture<'a, ()> {
        self.inner.signal(process, signal)
    }

    fn status<'a>(
        &'a self,
        process: &'a ProcessId,
        wait: Duration,
    ) -> SandboxFuture<'a, ProcessStatus> {
        Box::pin(async move { self.inner.status(process, wait).await.map(without_wrapper) })
    }

    fn list(&self) -> SandboxFuture<'_, Vec<ProcessStatus>> {
        Box::pin(async move {
            let all = self.inner.list().await?;
            Ok(all.into_iter().map(without_wrapper).collect())
        })
    }

    fn project<'a>(&'a self, folder: &'a Path, name: &'a str) -> SandboxFuture<'a, PathBuf> {
        Box::pin(async move {
            let place = self.inner.project(folder, name).await?;
            let place = std::fs::canonicalize(&place)
                .map_err(|error| io("finding what was projected", error))?;
            let mut projected = self.projected.lock();
            if !projected.contains(&place) {
                projected.push(place.clone());
            }
            Ok(place)
        })
    }

    fn close(&self) -> SandboxFuture<'_, ()> {
        self.inner.close()
    }
}

#[cfg(test)]
mod tests {
    use super::{PREFIX_ARGS, SANDBOX_EXEC, SeatbeltSandbox, without_wrapper};
    use crate::sandbox::{Layer, ProcessId, ProcessStatus, SandboxError, SandboxPolicy};

    #[tokio::test]
    async fn what_is_missing_has_to_be_accepted_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut policy = SandboxPolicy::new(folder.path());
        let refused = SeatbeltSandbox::open(policy.clone()).await;
        let Err(SandboxError::Isolation { missing }) = refused else {
            panic!("{refused:?}");
        };
        assert!(missing.iter().any(|gap| gap.layer == Layer::SystemCalls));
        policy.accepted = Layer::ALL.into();
        let opened = SeatbeltSandbox::open(policy).await;
        if cfg!(target_os = "macos") {
            assert!(opened.is_ok(), "{opened:?}");
        } else {
            assert!(matches!(opened, Err(SandboxError::Unavailable { .. })));
        }
    }

    #[test]
    fn a_command_is_shown_as_it_was_written() {
        let id = ProcessId::new("one").expect("a name");
        let mut argv: Vec<String> = [SANDBOX_EXEC, "-p", "(version 1)", "--"]
            .map(Into::into)
            .into();
        assert_eq!(argv.len(), PREFIX_ARGS);
        argv.push("true".to_owned());
        assert_eq!(without_wrapper(ProcessStatus::new(id, argv)).argv, ["true"]);
    }
}
