//! Creates containers, and attaches to them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bollard::models::{ContainerCreateBody, HostConfig, SystemInfo};
use bollard::query_parameters::CreateContainerOptionsBuilder;

use super::enforcement::{ContainerStatus, INSPECT_SCRIPT, table};
use super::engine::{Container, connect};
use super::mounts::{self, Mounts, is_masked};
use super::{DockerSandbox, DockerSettings, WorkspaceTransfer};
use crate::remote::{
    CommandInput, RemoteConfig, RemoteHost, failure, new_id, pack_projection, quote, require,
    run_to_end, variables,
};
use helve_core::sandbox::{SandboxError, SandboxId, SandboxPolicy};

/// The parent of private folders in a container.
const PARENT: &str = "/run/helve";

/// The time limit for a container to report its attributes.
const DESCRIBE_TIMEOUT: Duration = Duration::from_secs(60);

/// The time that a container waits for its scripts, in tenths of a second.
const SCRIPT_WAIT_TENTHS: u32 = 600;

fn unavailable(why: impl Into<String>) -> SandboxError {
    SandboxError::Unavailable {
        kind: "docker".to_owned(),
        why: why.into(),
    }
}

impl DockerSandbox {
    /// Creates a container and starts it.
    ///
    /// # Errors
    /// Fails if the engine or the image cannot be used ([`SandboxError::Unavailable`]), or if a layer is missing that
    /// the policy does not accept as missing ([`SandboxError::Isolation`]).
    pub async fn open(
        settings: DockerSettings,
        policy: SandboxPolicy,
    ) -> Result<Self, SandboxError> {
        policy.reject_staged("docker")?;
        let docker = connect(&settings.endpoint).await?;
        let info = docker.info().await;
        let info =
            info.map_err(|error| unavailable(format!("failed to query the engine: {error}")))?;
        let name = &settings.image;
        let image = docker.inspect_image(name).await.map_err(|error| {
            unavailable(format!(
                "the image {name} cannot be used ({error}); pull or build it first"
            ))
        })?;
        let id = new_id();
        let (mounts, user) = inspect_workspace(&settings, &policy, &info).await?;
        let all_masked = mounts.complete;
        let body = container_config(&settings, &policy, &id, mounts, user);
        let options = CreateContainerOptionsBuilder::new()
            .name(id.as_str())
            .build();
        let created = docker.create_container(Some(options), body).await;
        created.map_err(|error| unavailable(format!("failed to create the container: {error}")))?;
        let container = Container::new(docker.clone(), &id);
        let variables_of_image = image.config.and_then(|config| config.env);
        let opened = async {
            let started = docker.start_container(id.as_str(), None).await;
            started
                .map_err(|error| unavailable(format!("failed to start the container: {error}")))?;
            let inside = inspect_container(&container).await?;
            let enforcement = table(&inside, &policy, settings.workspace, all_masked);
            require(&enforcement, &policy)?;
            let config = RemoteConfig {
                roots: if settings.workspace == WorkspaceTransfer::Mount {
                    policy.roots().chain(&policy.readable).cloned().collect()
                } else {
                    vec![policy.workspace.clone()]
                },
                environment: variables(
                    image_environment(variables_of_image.unwrap_or_default()),
                    &policy,
                ),
                refuses_read_only: true,
                enforcement,
            };
            let host = RemoteHost::new(Arc::new(container.clone()), PARENT, id.clone());
            host.install(&config, None).await?;
            let sandbox = Self::with_lease(container.clone(), host, config).await?;
            if settings.workspace == WorkspaceTransfer::Copy {
                let rules = policy.masked.clone();
                let skip = move |path: &Path| {
                    path.file_name()
                        .is_some_and(|name| is_masked(&name.to_string_lossy(), &rules))
                };
                let archive = pack_projection(policy.workspace.clone(), Arc::new(skip));
                let files = sandbox.remote_files();
                files.fill(&policy.workspace, archive).await?;
            }
            Ok(sandbox)
        };
        let opened = opened.await;
        if opened.is_err() {
            // The first error is reported.
            let _ = container.remove().await;
        }
        opened
    }

    /// Attaches to a container that another process opened.
    ///
    /// # Errors
    /// Fails if the engine cannot be used, or if the container has ended.
    pub async fn attach(settings: DockerSettings, id: &SandboxId) -> Result<Self, SandboxError> {
        let container = Container::new(connect(&settings.endpoint).await?, id);
        let host = RemoteHost::new(Arc::new(container.clone()), PARENT, id.clone());
        let config = host.read_record().await?;
        Self::with_lease(container, host, config).await
    }
}

/// Determines the mounts of the workspace, and the user that commands run as.
async fn inspect_workspace(
    settings: &DockerSettings,
    policy: &SandboxPolicy,
    info: &SystemInfo,
) -> Result<(Mounts, String), SandboxError> {
    if !policy.workspace.is_absolute() || policy.workspace.to_str().is_none() {
        let why = "the workspace has to be an absolute path in UTF-8";
        return Err(unavailable(why));
    }
    let announced = info
        .security_options
        .iter()
        .flatten()
        .any(|option| option.contains("rootless"));
    let socket = settings.endpoint.strip_prefix("unix://").map(PathBuf::from);
    let mount = settings.workspace == WorkspaceTransfer::Mount;
    let policy = policy.clone();
    let looked = tokio::task::spawn_blocking(move || {
        use std::os::unix::fs::MetadataExt;
        if !mount {
            let nothing = Mounts {
                complete: true,
                ..Mounts::default()
            };
            return Ok((nothing, "1000:1000".to_owned()));
        }
        let owner = std::fs::metadata(&policy.workspace)?;
        // Not every engine reports that it is rootless; the socket of a rootless engine does not belong to root.
        let theirs = socket.and_then(|socket| std::fs::metadata(socket).ok());
        let rootless = announced || theirs.is_some_and(|socket| socket.uid() != 0);
        // The user of a rootless engine is root in its containers, and unprivileged outside.
        let user = if rootless {
            "0:0".to_owned()
        } else {
            format!("{}:{}", owner.uid(), owner.gid())
        };
        Ok::<_, std::io::Error>((mounts::plan(&policy), user))
    });
    let (mounts, user) = looked
        .await
        .unwrap_or_else(|error| Err(std::io::Error::other(error)))
        .map_err(|source| SandboxError::Io {
            doing: "looking at the workspace".to_owned(),
            source,
        })?;
    Ok((mounts, settings.user.clone().unwrap_or(user)))
}

/// Returns the configuration of the container.
fn container_config(
    settings: &DockerSettings,
    policy: &SandboxPolicy,
    id: &SandboxId,
    mounts: Mounts,
    user: String,
) -> ContainerCreateBody {
    let private = format!(
        "rw,exec,nosuid,nodev,mode=1777,size={}",
        settings.private_bytes
    );
    let mut tmpfs = HashMap::from([
        ("/tmp".to_owned(), private.clone()),
        (PARENT.to_owned(), private.clone()),
    ]);
    if settings.workspace != WorkspaceTransfer::Mount {
        tmpfs.insert(policy.workspace.to_string_lossy().into_owned(), private);
    }
    let limit = |limit: Option<u64>, more| i64::try_from(limit?.saturating_add(more)).ok();
    // The first process waits for its scripts and then executes `keep.sh`; when the first process ends, the engine
    // kills all others. It also reaps orphaned processes, as an init does.
    let linger = settings.linger.as_secs();
    let folder = quote(&format!("{PARENT}/{id}"));
    let first = format!(
        "i=0; until [ -e {folder}/ground ]; do sleep 0.1; i=$((i+1)); [ $i -lt {SCRIPT_WAIT_TENTHS} ] || exit 1; done; \
         exec sh {folder}/far.sh keep {linger} {}",
        linger + 30,
    );
    ContainerCreateBody {
        image: Some(settings.image.clone()),
        entrypoint: Some(vec!["sh".to_owned(), "-c".to_owned(), first]),
        cmd: Some(Vec::new()),
        user: Some(user),
        working_dir: Some("/".to_owned()),
        labels: Some(HashMap::from([(
            "helve.sandbox".to_owned(),
            id.to_string(),
        )])),
        host_config: Some(HostConfig {
            network_mode: Some("none".to_owned()),
            cap_drop: Some(vec!["ALL".to_owned()]),
            security_opt: Some(vec!["no-new-privileges".to_owned()]),
            readonly_rootfs: Some(true),
            ipc_mode: Some("private".to_owned()),
            tmpfs: Some(tmpfs),
            mounts: Some(mounts.mounts),
            pids_limit: limit(policy.limits.processes, SCRIPT_PROCESSES),
            memory: limit(policy.limits.memory, settings.private_bytes),
            auto_remove: Some(true),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    }
}

/// The number of processes of the scripts that run commands.
const SCRIPT_PROCESSES: u64 = 256;

async fn inspect_container(container: &Container) -> Result<ContainerStatus, SandboxError> {
    let input = CommandInput::Bytes(Vec::new());
    let answer = run_to_end(container, INSPECT_SCRIPT, input, 64 << 10, DESCRIBE_TIMEOUT).await;
    let answer = answer.map_err(|error| failure("inspecting the container", error))?;
    let text = String::from_utf8_lossy(&answer.stdout);
    Ok(ContainerStatus::parse(&text))
}

/// Parses the environment of an image; the home is a folder that commands can write to.
fn image_environment(variables: Vec<String>) -> BTreeMap<String, String> {
    let pairs = variables.into_iter().filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    });
    let mut environment: BTreeMap<_, _> = pairs.collect();
    environment.insert("HOME".to_owned(), "/tmp".to_owned());
    let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    environment
        .entry("PATH".to_owned())
        .or_insert_with(|| path.to_owned());
    environment
}
