//! Commands below `sandbox-exec`, started and watched as plain children are.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use std::time::Duration;

use futures_util::future::BoxFuture;

use super::enforcement;
use super::profile::ProfileInput;
use crate::sandbox::passthrough::PassthroughSandbox;
use crate::sandbox::search_path::{SearchRoot, temporary_folders};
use crate::sandbox::{
    Egress, Enforcement, Gap, LayerStatus, LocalFs, NetworkAccess, OutputChunk, ProcessId,
    ProcessSpec, ProcessStatus, Proxy, ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId,
    SandboxPolicy, SearchPath, Signal, TerminalSize,
};
use helve_core::support::lock::Mutex;

/// The program that applies a profile. Its whole path, so that `PATH` does not decide what isolates.
const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// What stands before the command: the program, `-p`, the profile, `--`.
const PREFIX_ARGS: usize = 4;

/// The sandbox of macOS.
///
/// The system's own `sandbox-exec` keeps commands to a profile that is made from the policy. What it cannot do is said in
/// the [`Enforcement`], and has to be accepted by name. Like [`PassthroughSandbox`], which runs its commands, it belongs
/// to the process that opened it.
#[derive(Debug)]
pub struct SeatbeltSandbox {
    inner: PassthroughSandbox,
    policy: SandboxPolicy,
    enforcement: Enforcement,
    files: Arc<LocalFs>,
    private: [PathBuf; 2],
    projected: Mutex<Vec<PathBuf>>,
    search_path: SearchPath,
    proxy: Option<Proxy>,
}

impl SeatbeltSandbox {
    /// Opens one.
    ///
    /// # Errors
    /// When a layer is missing that is not accepted as missing, `sandbox-exec` is not there, or a folder of the policy
    /// cannot be used.
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
        let proxy = if policy.network.allow.is_empty() {
            None
        } else {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
            Some(Proxy::serve(
                listener.map_err(|error| io("listening for the proxy", error))?,
                &policy.network,
            )?)
        };
        let inner = PassthroughSandbox::open(policy.clone()).await?;
        let folder = std::fs::canonicalize(inner.folder());
        let folder = folder.map_err(|error| io("finding the sandbox's folder", error))?;
        let private = [folder.join("home"), folder.join("tmp")];
        for folder in &private {
            std::fs::create_dir(folder).map_err(|error| io("making the sandbox's home", error))?;
        }
        let files = files(&policy)?;
        let search_path = search_path(&policy, &private);
        Ok(Self {
            inner,
            policy,
            enforcement,
            files: Arc::new(files),
            private,
            projected: Mutex::default(),
            search_path,
            proxy,
        })
    }

    /// Puts a command below `sandbox-exec`.
    fn wrap(&self, mut spec: ProcessSpec) -> Result<ProcessSpec, SandboxError> {
        let projected = self.projected.lock().clone();
        let ground = ProfileInput {
            policy: &self.policy,
            private: &self.private,
            projected: &projected,
            proxy: self
                .proxy
                .as_ref()
                .filter(|_| spec.network == NetworkAccess::Policy)
                .map(|proxy| proxy.address().port()),
            access: spec.access,
        };
        let before = [
            SANDBOX_EXEC.to_owned(),
            "-p".to_owned(),
            ground.build()?,
            "--".to_owned(),
        ];
        self.check_program(&spec)?;
        spec.argv.splice(0..0, before);
        let [home, temporary] = &self.private;
        let mut environment = BTreeMap::from([
            ("HOME".to_owned(), home.to_string_lossy().into_owned()),
            (
                "TMPDIR".to_owned(),
                temporary.to_string_lossy().into_owned(),
            ),
        ]);
        if let Some(proxy) = &self.proxy {
            let own = Proxy::environment(proxy.address()).into_iter();
            environment.extend(own.map(|(name, value)| (name.to_owned(), value)));
        }
        environment.extend(self.policy.environment.clone());
        environment.append(&mut spec.environment);
        spec.environment = environment;
        Ok(spec)
    }

    /// Looks for the program, because `sandbox-exec` would only print that there is none.
    fn check_program(&self, spec: &ProcessSpec) -> Result<(), SandboxError> {
        let program = spec.argv.first().cloned().unwrap_or_default();
        let folder = match &spec.working_folder {
            Some(folder) => self.policy.workspace.join(folder),
            None => self.policy.workspace.clone(),
        };
        let path = spec.environment.get("PATH").cloned();
        let path = path.or_else(|| self.policy.environment.get("PATH").cloned());
        let path = path
            .or_else(|| std::env::var("PATH").ok())
            .unwrap_or_default();
        let found = if program.contains('/') {
            folder.join(&program).is_file()
        } else {
            std::env::split_paths(&path).any(|place| place.join(&program).is_file())
        };
        if program.is_empty() {
            return Err(SandboxError::CannotStart {
                program,
                why: "no program is named".to_owned(),
            });
        }
        if found {
            return Ok(());
        }
        Err(SandboxError::ProgramNotFound {
            program,
            why: "program not found".to_owned(),
        })
    }
}

/// The files as commands see them: what commands may not read or change, tools may not either.
fn files(policy: &SandboxPolicy) -> Result<LocalFs, SandboxError> {
    let roots = policy.roots();
    LocalFs::with_roots(roots)
        .and_then(|files| files.deny(&policy.masked))
        .and_then(|files| files.protect(&policy.protected))
        .map_err(|error| SandboxError::Unavailable {
            kind: "seatbelt".to_owned(),
            why: error.to_string(),
        })
}

/// Describes where commands look for programs.
fn search_path(policy: &SandboxPolicy, private: &[PathBuf]) -> SearchPath {
    let path = policy.environment.get("PATH").map(OsString::from);
    let written = policy.roots();
    let written = written.chain(private).map(SearchRoot::writable);
    let written = written.chain(temporary_folders()).collect();
    SearchPath::from_environment(path.or_else(|| std::env::var_os("PATH")), written)
}

/// Replaces the folders of a policy by their real paths, which a profile has to name.
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

/// What does not hold and was not accepted.
fn gaps(enforcement: &Enforcement, policy: &SandboxPolicy) -> Vec<Gap> {
    let missing = enforcement.missing().into_iter();
    missing
        .filter(|layer| !policy.accepted.contains(layer))
        .map(|layer| match enforcement.layers.get(&layer) {
            Some(LayerStatus::No { why, mend }) => Gap::new(layer, why, mend),
            Some(LayerStatus::Partly { lacks, mend, .. }) => Gap::new(layer, lacks, mend),
            Some(LayerStatus::Yes { .. }) | None => Gap::new(layer, "not enforced", ""),
        })
        .collect()
}

fn io(doing: &str, source: std::io::Error) -> SandboxError {
    SandboxError::Io {
        doing: doing.to_owned(),
        source,
    }
}

/// Shows a command as its caller wrote it.
fn without_wrapper(mut status: ProcessStatus) -> ProcessStatus {
    if status
        .argv
        .first()
        .is_some_and(|first| first == SANDBOX_EXEC)
    {
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
        Egress::from_enforcement(&self.enforcement, &self.policy, gate)
    }

    fn narrows_processes(&self) -> bool {
        true
    }

    fn search_path(&self) -> Option<&SearchPath> {
        Some(&self.search_path)
    }

    fn files(&self) -> Arc<dyn SandboxFs> {
        self.files.clone()
    }

    fn start(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        Box::pin(async move {
            let spec = self.wrap(spec)?;
            self.inner.start(spec).await.map(without_wrapper)
        })
    }

    fn read(&self, read: ReadOutput) -> BoxFuture<'_, Result<OutputChunk, SandboxError>> {
        self.inner.read(read)
    }

    fn write<'a>(
        &'a self,
        process: &'a ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        self.inner.write(process, bytes, end)
    }

    fn resize<'a>(
        &'a self,
        process: &'a ProcessId,
        size: TerminalSize,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        self.inner.resize(process, size)
    }

    fn signal<'a>(
        &'a self,
        process: &'a ProcessId,
        signal: Signal,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        self.inner.signal(process, signal)
    }

    fn status<'a>(
        &'a self,
        process: &'a ProcessId,
        wait: Duration,
    ) -> BoxFuture<'a, Result<ProcessStatus, SandboxError>> {
        Box::pin(async move { self.inner.status(process, wait).await.map(without_wrapper) })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<ProcessStatus>, SandboxError>> {
        Box::pin(async move {
            let all = self.inner.list().await?;
            Ok(all.into_iter().map(without_wrapper).collect())
        })
    }

    fn project<'a>(
        &'a self,
        folder: &'a Path,
        name: &'a str,
    ) -> BoxFuture<'a, Result<PathBuf, SandboxError>> {
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

    fn close(&self) -> BoxFuture<'_, Result<(), SandboxError>> {
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
