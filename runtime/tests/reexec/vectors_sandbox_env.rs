//! Which variables a command in a sandbox sees, held against what another system lets through; see `support/vectors.rs`.
//!
//! The test starts itself again with exactly the variables of a case, opens a sandbox there and runs `env` in it.

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use helve_runtime::sandbox::{
    Exit, Layer, OutputStream, PassthroughSandbox, ProcessId, ProcessSpec, ReadOutput, Sandbox,
    SandboxError, SandboxPolicy,
};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::vectors::{self, Tally};

/// The argument that makes this program the one whose variables are those of a case.
const CASE_ARGUMENT: &str = "--case";

/// What a sandbox sets for itself: where its private folders are, and its own marks.
const SANDBOX_VARIABLES: &[&str] = &["TMPDIR", "PWD", "SHELL", "USER", "LOGNAME"];

type Variables = BTreeMap<String, String>;

/// Shows what a command sees, where a test started this process with the variables of a case.
pub(crate) fn run_as_role() -> Option<ExitCode> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, case, kind, extra] = arguments.as_slice() else {
        return None;
    };
    if case != CASE_ARGUMENT {
        return None;
    }
    Some(match inside(kind, extra) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

pub(crate) fn tests() -> Vec<Trial> {
    let kinds = ["passthrough", "isolated"];
    let trials =
        kinds.map(|kind| Trial::test(format!("vectors_sandbox_env::{kind}"), move || agrees(kind)));
    trials.into()
}

/// Goes through all cases with one kind of sandbox.
fn agrees(kind: &'static str) -> Result<(), Failed> {
    let Some(cases) = vectors::load_topic("sandbox_env") else {
        return Ok(());
    };
    if kind == "isolated"
        && (!cfg!(target_os = "linux") || crate::isolation::unavailable_reason().is_some())
    {
        println!("isolated: nothing ran, because it is Linux's, and needs user namespaces");
        return Ok(());
    }
    let mut tally = Tally::new("sandbox_env");
    for case in &cases {
        // The home of a case is a parameter: here it has to be there.
        let home = tempfile::tempdir()?;
        let home = home.path().to_string_lossy().into_owned();
        let parent = variables(&case.input["parent_env"]);
        let mut expected = variables(&case.expected);
        expected.insert("HOME".to_owned(), home.clone());
        let output = Command::new(std::env::current_exe()?)
            .args([CASE_ARGUMENT, kind, &case.input["extra_env"].to_string()])
            .env_clear()
            .envs(&parent)
            .env("HOME", &home)
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        let mut seen = variables(&serde_json::from_slice(&output.stdout)?);
        let leaked: Vec<_> = seen
            .keys()
            .filter(|name| parent.contains_key(*name) && !expected.contains_key(*name))
            .cloned()
            .collect();
        if !leaked.is_empty() {
            tally.differ_laxer(case, format!("{leaked:?} are seen"));
            continue;
        }
        seen.retain(|name, _| {
            !name.starts_with("HELVE_") && !SANDBOX_VARIABLES.contains(&name.as_str())
        });
        tally.compare(case, &seen, &expected);
    }
    tally.finish(&[]);
    Ok(())
}

fn variables(value: &Value) -> Variables {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pairs = value.as_object().into_iter().flatten();
    pairs
        .map(|(name, value)| (name.clone(), text(value)))
        .collect()
}

/// Prints, as JSON, what a command in a sandbox of this process sees.
fn inside(kind: &str, extra: &str) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let mut policy = SandboxPolicy::new(folder.path().canonicalize()?);
    policy.environment = variables(&serde_json::from_str(extra)?);
    // Which layers the machine can give is another test's.
    policy.accepted = Layer::ALL.into();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let text = runtime.block_on(async {
        let sandbox = open(kind, policy).await?;
        let id = ProcessId::new("env")?;
        let spec = ProcessSpec::new(id.clone(), ["/usr/bin/env", "-0"]);
        sandbox.start(spec).await?;
        let status = sandbox.status(&id, Duration::from_secs(30)).await?;
        if status.exit != Some(Exit::Code(0)) {
            return Err(format!("{status:?}").into());
        }
        let read = ReadOutput {
            process: id,
            stream: OutputStream::Stdout,
            offset: 0,
            max: usize::MAX,
            wait: Duration::ZERO,
        };
        let chunk = sandbox.read(read).await?;
        sandbox.close().await?;
        Ok::<_, Box<dyn std::error::Error>>(String::from_utf8(chunk.bytes)?)
    })?;
    let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
    let seen: Variables = pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    println!("{}", serde_json::to_string(&seen)?);
    Ok(())
}

async fn open(kind: &str, policy: SandboxPolicy) -> Result<Arc<dyn Sandbox>, SandboxError> {
    #[cfg(target_os = "linux")]
    if kind == "isolated" {
        let sandbox = helve_runtime::sandbox::IsolatedSandbox::open(policy).await?;
        return Ok(Arc::new(sandbox));
    }
    let _ = kind;
    Ok(Arc::new(PassthroughSandbox::open(policy).await?))
}
