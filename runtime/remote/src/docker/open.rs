//! How a container comes into being.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bollard::Docker;
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

/// Where private folders are made in a container.
const PARENT: &str = "/run/helve";

/// How long a container may take to say what it is.
const DESCRIBE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a container waits for its scripts, in tenths of a second.
const SCRIPT_WAIT_TENTHS: u32 = 600;

fn unavailable(why: impl Into<String>) -> SandboxError {
    SandboxError::Unavailable {
        kind: "docker".to_owned(),
        why: why.into(),
    }
}

pub(super) async fn open(
    settings: DockerSettings,
    policy: SandboxPolicy,
) -> Result<DockerSandbox, SandboxError> {
    let docker = connect(&settings.endpoint).await?;
    let info = docker
        .info()
        .await
        .map_err(|error| unavailable(format!("failed to query the engine: {error}")))?;
    let image = docker
        .inspect_image(&settings.image)
        .await
        .map_err(|error| {
            unavailable(format!(
                "the image {} cannot be used ({error}); pull or build it first",
                settings.image
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
    let container = Container::new(docker.clone(), id.as_str());
    let theirs = image
        .config
        .and_then(|config| config.env)
        .unwrap_or_default();
    let done = async {
        start(&docker, &id).await?;
        let inside = inspect_container(&container).await?;
        let enforcement = table(&inside, &policy, settings.workspace, all_masked);
        require(&enforcement, &policy)?;
        let ground = RemoteConfig {
            roots: if settings.workspace == WorkspaceTransfer::Mount {
                mounts::roots(&policy)
            } else {
                vec![policy.workspace.clone()]
            },
            environment: variables(chosen_environment(theirs), &policy),
            refuses_read_only: true,
            enforcement,
        };
        let host = RemoteHost::new(Arc::new(container.clone()), PARENT, id.clone());
        host.install(&ground, None).await?;
        let sandbox = DockerSandbox::with_lease(container.clone(), host, ground).await?;
        if settings.workspace == WorkspaceTransfer::Copy {
            let rules = policy.masked.clone();
            let skip = move |path: &Path| {
                path.file_name()
                    .is_some_and(|name| is_masked(&name.to_string_lossy(), &rules))
            };
            let archive = pack_projection(policy.workspace.clone(), Arc::new(skip));
            sandbox
                .remote_files()
                .fill(&policy.workspace, archive)
                .await?;
        }
        Ok(sandbox)
    };
    let done = done.await;
    if done.is_err() {
        // What is wrong is said already.
        let _ = container.remove().await;
    }
    done
}

pub(super) async fn attach(
    settings: &DockerSettings,
    id: &SandboxId,
) -> Result<DockerSandbox, SandboxError> {
    let container = Container::new(connect(&settings.endpoint).await?, id.as_str());
    let host = RemoteHost::new(Arc::new(container.clone()), PARENT, id.clone());
    let ground = host.read_record().await?;
    DockerSandbox::with_lease(container, host, ground).await
}

/// Looks at the workspace on this machine: what to mount, and who owns it.
async fn inspect_workspace(
    settings: &DockerSettings,
    policy: &SandboxPolicy,
    info: &SystemInfo,
) -> Result<(Mounts, String), SandboxError> {
    if !policy.workspace.is_absolute() || policy.workspace.to_str().is_none() {
        return Err(unavailable(
            "the workspace has to be an absolute path in UTF-8",
        ));
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
                mounts: Vec::new(),
                complete: true,
            };
            return Ok((nothing, "1000:1000".to_owned()));
        }
        let owner = std::fs::metadata(&policy.workspace)?;
        // Not every engine announces it; the socket of one without privileges is not root's.
        let theirs = socket.and_then(|socket| std::fs::metadata(socket).ok());
        let rootless = announced || theirs.is_some_and(|socket| socket.uid() != 0);
        // The user of an engine without privileges is root in its containers, and unprivileged outside.
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

/// Describes the container.
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
    let number = |number: Option<u64>| number.and_then(|number| i64::try_from(number).ok());
    // The first process waits for its scripts, becomes `keep.sh`, and takes all others with it. It waits for children of
    // others as well, as an init does.
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
            pids_limit: number(
                policy
                    .limits
                    .processes
                    .map(|count| count.saturating_add(SCRIPT_PROCESSES)),
            ),
            memory: number(
                policy
                    .limits
                    .memory
                    .map(|bytes| bytes.saturating_add(settings.private_bytes)),
            ),
            auto_remove: Some(true),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    }
}

/// How many processes the scripts take that run commands.
const SCRIPT_PROCESSES: u64 = 256;

async fn start(docker: &Docker, id: &SandboxId) -> Result<(), SandboxError> {
    let started = docker.start_container(id.as_str(), None).await;
    started.map_err(|error| unavailable(format!("failed to start the container: {error}")))
}

async fn inspect_container(container: &Container) -> Result<ContainerStatus, SandboxError> {
    let answer = run_to_end(
        container,
        INSPECT_SCRIPT,
        CommandInput::Bytes(Vec::new()),
        64 << 10,
        DESCRIBE_TIMEOUT,
    )
    .await;
    let answer = answer.map_err(|error| failure("inspecting the container", error))?;
    Ok(ContainerStatus::parse(&String::from_utf8_lossy(
        &answer.stdout,
    )))
}

/// Reads the variables of an image; a home is where commands can write.
fn chosen_environment(theirs: Vec<String>) -> BTreeMap<String, String> {
    let pairs = theirs.into_iter().filter_map(|pair| {
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
