//! The sandbox of an app's commands: which one, and what it is to allow.

use std::path::{Path, PathBuf};

use super::assembly::Assembly;
use super::config::{Config, ConfigError, Origin, Setting};
use super::permissions;
use crate::dangerous_paths::Guard;
use crate::permission::AddedPath;
use crate::sandbox::{Layer, SandboxChoice, SandboxPolicy};

/// Says which sandbox it is: the argument wins over the app, the app over the environment and the files.
pub(super) fn choice(
    assembly: &Assembly,
    config: &Config,
) -> Result<Setting<SandboxChoice>, ConfigError> {
    let said = config.text(["sandbox", "kind"])?;
    let is_argument = |said: &Setting<String>| matches!(said.origin, Origin::Flag(_));
    match (said, &assembly.sandbox) {
        (said, Some(own)) if !said.as_ref().is_some_and(is_argument) => Ok(Setting {
            value: own.clone(),
            origin: Origin::App,
        }),
        (Some(said), _) => Ok(Setting {
            // What is set was judged when it was read.
            value: said.value.parse().unwrap_or_default(),
            origin: said.origin,
        }),
        (None, _) => Ok(Setting {
            value: SandboxChoice::default(),
            origin: Origin::Default,
        }),
    }
}

/// Says what commands may reach: what the app says, and the settings on top of it.
pub(super) fn policy(assembly: &Assembly, config: &Config) -> Result<SandboxPolicy, ConfigError> {
    let mut policy = SandboxPolicy::new(assembly.folder());
    for settings in &assembly.sandbox_settings {
        settings(&mut policy);
    }
    let texts = |key| {
        let said = config.texts(["sandbox", key])?;
        Ok::<_, ConfigError>(said.map(|said| said.value).unwrap_or_default())
    };
    let home = std::env::home_dir();
    let paths = |texts: Vec<String>| {
        let path = |text: String| absolute(assembly.folder(), home.as_deref(), &text);
        texts.into_iter().map(path).collect::<Vec<PathBuf>>()
    };
    policy.network.allow.extend(texts("hosts")?);
    policy.network.deny.extend(texts("denied_hosts")?);
    policy.network.even_tainted.extend(texts("even_tainted")?);
    policy.writable.extend(paths(texts("writable")?));
    policy.readable.extend(paths(texts("readable")?));
    policy.pass.extend(texts("environment")?);
    policy.protected.extend(texts("protected")?);
    policy.masked.extend(texts("masked")?);
    for path in permissions::dangerous(config)? {
        keep_from_commands(&mut policy, &path, home.as_deref());
    }
    #[cfg(feature = "skills")]
    {
        let catalog = assembly.skills.current();
        let hidden = catalog
            .hidden_paths()
            .filter_map(|path| path.canonicalize().ok());
        policy.masked_paths.extend(hidden);
    }
    #[cfg(feature = "mcp")]
    {
        let servers = super::mcp::Known::of(assembly, config);
        policy
            .protected
            .extend(servers.folders_that_run(assembly.folder()));
    }
    let accepted = texts("accept_missing")?;
    let accepted = accepted.iter().filter_map(|name| Layer::of_name(name));
    policy.accepted.extend(accepted);
    if let Some(private) = config.switch(["sandbox", "private_networks"]) {
        policy.network.private = private;
    }
    if let Some(staged) = config.switch(["sandbox", "staged"]) {
        policy.staged = staged;
    }
    let limits = &mut policy.limits;
    for (key, unit, limit) in [
        ("memory_mib", 1 << 20, &mut limits.memory),
        ("file_size_mib", 1 << 20, &mut limits.file_size),
        ("processes", 1, &mut limits.processes),
    ] {
        if let Some(most) = config.whole(["sandbox", key]) {
            *limit = Some(most.saturating_mul(unit));
        }
    }
    Ok(policy)
}

/// Keeps a dangerous path of the settings from commands: what asks before it is read shows nothing, the rest stays as it is.
fn keep_from_commands(policy: &mut SandboxPolicy, path: &AddedPath, home: Option<&Path>) {
    let pattern = path.pattern.trim_start_matches("**/");
    let name = pattern.trim_end_matches('/');
    let is_secret = path.reading >= Guard::Asks;
    if is_secret && !pattern.contains(['/', '~']) {
        policy.masked.push(name.to_owned());
        return;
    }
    let place = absolute(&policy.workspace, home, name);
    if is_secret && place.exists() {
        policy.masked_paths.push(place);
    } else if let Ok(below) = place.strip_prefix(&policy.workspace)
        && path.writing >= Guard::Asks
    {
        policy.protected.push(below.to_string_lossy().into_owned());
    }
}

/// Reads a path of a setting: from the folder where it is relative, from the user's home behind `~/`.
pub(super) fn absolute(folder: &Path, home: Option<&Path>, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), home) {
        (Some(inside), Some(home)) => home.join(inside),
        _ if text == "~" => home.map_or_else(|| folder.join(text), Path::to_owned),
        _ => folder.join(text),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::absolute;

    #[test]
    fn paths_start_at_the_folder_or_at_home() {
        let (folder, home) = (Path::new("/work"), Path::new("/home/me"));
        for (text, path) in [
            ("~/.cargo", "/home/me/.cargo"),
            ("~", "/home/me"),
            ("data", "/work/data"),
            ("/opt/x", "/opt/x"),
        ] {
            assert_eq!(absolute(folder, Some(home), text), Path::new(path));
        }
    }
}
