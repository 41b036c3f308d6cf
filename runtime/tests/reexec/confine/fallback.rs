//! Commands where this program may make no namespaces: by bubblewrap, or behind Landlock and a filter alone.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use helve_runtime::sandbox::{
    Exit, IsolatedSandbox, Layer, OutputStream, ProcessId, ProcessSpec, ReadOutput, Sandbox,
    SandboxPolicy,
};

const PATIENCE: Duration = Duration::from_secs(20);

/// The second process: opens a sandbox, runs commands in it, and prints what they say.
pub(crate) fn run(accepted: &str) {
    let folder = tempfile::tempdir().unwrap();
    // Temporary folders are private in a sandbox, so that what is outside must lie elsewhere.
    let builder = tempfile::Builder::new();
    let target = env!("CARGO_TARGET_TMPDIR");
    let home = std::env::var("HOME").unwrap_or_default();
    let mut places = ["/var/lib", target, &home].into_iter();
    let outside = places.find_map(|place| builder.tempdir_in(place).ok());
    let outside = outside.unwrap();
    fs::write(outside.path().join("file"), "secret").unwrap();
    fs::write(folder.path().join(".env"), "masked").unwrap();
    let mut policy = SandboxPolicy::new(folder.path());
    policy.accepted = accepted.split(',').filter_map(Layer::from_name).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let sandbox = match IsolatedSandbox::open(policy).await {
            Ok(sandbox) => sandbox,
            Err(error) => return println!("{error}"),
        };
        println!("by {}", sandbox.enforcement().mechanism);
        let outside = outside.path().display();
        for (name, script) in [
            ("write", "echo new > made && cat made".to_owned()),
            ("read outside", format!("cat {outside}/file")),
            ("write outside", format!("touch {outside}/made")),
            ("masked", "cat .env".to_owned()),
            ("temporary", "mktemp".to_owned()),
            ("home", "touch $HOME/file".to_owned()),
            (
                "socket",
                "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'".to_owned(),
            ),
            (
                "capabilities",
                "grep -q 'CapEff:.0000000000000000' /proc/self/status".to_owned(),
            ),
            ("background", "(sleep 1000 &) ; true".to_owned()),
        ] {
            let (exit, text) = sh(&sandbox, name, &script).await;
            let text = text.replace(char::from(10), " ");
            println!("{name}: {exit} {}", text.trim_end());
        }
        sandbox.close().await.unwrap();
    });
}

async fn sh(sandbox: &IsolatedSandbox, name: &str, script: &str) -> (String, String) {
    let id = ProcessId::new(&name.replace(' ', "-")).unwrap();
    let spec = ProcessSpec::new(id.clone(), ["/bin/sh", "-c", script]);
    if let Err(error) = sandbox.start(spec).await {
        return ("not started:".to_owned(), error.to_string());
    }
    let status = sandbox.status(&id, PATIENCE).await.unwrap();
    let read = ReadOutput {
        process: id,
        stream: OutputStream::Stdout,
        offset: 0,
        max: 4096,
        wait: Duration::ZERO,
    };
    let chunk = sandbox.read(read).await.unwrap();
    let exit = match status.exit {
        Some(Exit::Code(0)) => "yes".to_owned(),
        Some(Exit::Code(_)) => "no".to_owned(),
        other => format!("{other:?}"),
    };
    (exit, String::from_utf8_lossy(&chunk.bytes).into_owned())
}

/// Puts a program in the place of bubblewrap that says a newer version and is the installed one, for this process alone.
#[expect(
    unsafe_code,
    reason = "rustix asks for it: only file tables are dangerous to unshare"
)]
pub(crate) fn newer_bubblewrap(folder: &Path) {
    let real = folder.join("real");
    fs::copy("/usr/bin/bwrap", &real).unwrap();
    let newer = folder.join("newer");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo 'bubblewrap 0.12.0'; exit; }}\nexec {} \"$@\"\n",
        real.display()
    );
    fs::write(&newer, script).unwrap();
    for file in [&real, &newer] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // SAFETY: the table of files stays shared.
    unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWNS) }.unwrap();
    let private = rustix::mount::MountPropagationFlags::PRIVATE;
    let all = private | rustix::mount::MountPropagationFlags::REC;
    rustix::mount::mount_change("/", all).unwrap();
    rustix::mount::mount_bind(&newer, "/usr/bin/bwrap").unwrap();
}
