//! The hooks of the user, which see the calls of all agents.

use std::sync::Arc;

use helve::hooks::{CommandHooks, HookScope, HookSettings};
use helve::sandbox::{Layer, LazySandbox, PassthroughSandbox, Sandbox, SandboxPolicy};

use crate::fixture::Fixture;

/// What a call must not name.
pub(crate) const SEALED: &str = "sealed";

/// What one of the hooks runs.
pub(crate) const SCRIPT: &str = "check.sh";

/// One that decides, and one that is not confined and whose script lies where the tools write.
const SETTINGS: &str = r#"
[[hooks]]
on = "before_tool"
command = 'case "$(cat)" in *sealed*) echo "that is sealed" >&2; exit 2 ;; esac'

[[hooks]]
on = "after_tool"
match = "bash"
command = "sh check.sh"
sandboxed = false
on_failure = "ignore"
"#;

/// Opens the hooks of a scenario, which run in its sandbox.
pub(crate) async fn open(world: &Fixture, sandbox: &Arc<dyn Sandbox>) -> CommandHooks {
    let folder = &world.targets.workspace;
    let mut policy = SandboxPolicy::new(folder);
    policy.accepted = Layer::ALL.into_iter().collect();
    let unconfined = PassthroughSandbox::open(policy).await.expect("a sandbox");
    let file = world.targets.home.join(".config/helve/helve.toml");
    let settings = HookSettings::from_toml(SETTINGS, file, HookScope::User).expect("settings");
    let lazy = |sandbox| Arc::new(LazySandbox::from_opened(sandbox));
    CommandHooks::new(settings, folder, lazy(Arc::clone(sandbox)))
        .unconfined(lazy(Arc::new(unconfined)))
}
