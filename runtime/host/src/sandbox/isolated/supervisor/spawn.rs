//! Creates the sandbox from the supervisor's side.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::DirBuilder;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Instant;

use super::super::identity::{self, IdMappings, Identity, IdentityKind};
use super::super::init::{self, InitTask};
use super::super::mount;
use super::super::os::{self, ForkResult};
use super::super::owner_access;
use super::super::root::{self, BindMount, RootSpec};
use super::super::stage::{self, Staging};
use super::super::watch::Watch;
use super::super::wire::{self, OUTPUT_LINK, OpenRequest, STAGING_LINK, WireError};
use super::super::{Cgroup, Mechanism, Protection, Support, linked_repositories};
use super::state::{InitProcess, SandboxSupervisor, Sockets, no_answer};
use super::sweeper::Sweeper;
use super::{bubblewrap, reduced};
use crate::sandbox::{Enforcement, Layer, LayerStatus, NewPaths, Proxy, SandboxPolicy};

/// The namespaces of a new sandbox.
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Spawns the init process of a sandbox, and returns the supervisor of the sandbox.
pub(super) fn spawn(mut opening: OpenRequest) -> Result<SandboxSupervisor, WireError> {
    // Git commands in a worktree need the Git folder of its repository, wherever that folder is.
    let linked = linked_repositories(&opening.policy);
    opening.policy.writable.extend(linked);
    let support = opening.support.take().unwrap_or_else(Support::detect);
    let mechanism = support.choose(&opening.policy)?;
    if mechanism != Mechanism::Namespaces {
        opening.policy.reject_staged(mechanism.name())?;
    }
    let enforcement = support.enforcement(&opening.policy, &mechanism);
    let sockets = listen(&opening.folder, &opening.spool)?;
    let before = Instant::now();
    let watch = Watch::start(&opening.policy);
    let plan = match &watch {
        Ok(watch) if watch.gap().is_none() => watch.plan(&opening.policy),
        _ => Protection::plan(&opening.policy),
    };
    let mut enforcement = check_complete(enforcement, &plan, &opening.policy)?;
    enforcement.new_paths = Some(new_paths(&opening.policy, &watch, &plan));
    let mut watch = watch.ok();
    if let Some(watch) = &mut watch {
        watch.watch_plan(&plan, &BTreeSet::new());
        watch.clear_stale_plan();
    }
    let sweeper = Sweeper::new(plan.clone(), opening.quarantine.clone(), before.elapsed());
    let limits = &opening.policy.limits;
    // The status of the layers assumes this group.
    let group = support
        .has_cgroups()
        .then(|| Cgroup::create(opening.id.as_str(), limits).ok())
        .flatten();
    let staging = stage_commands(&opening, &support)?;
    let mut init = match mechanism {
        Mechanism::Namespaces => spawn_init(&opening, &support, plan, group.as_ref())?,
        Mechanism::Bubblewrap { program } => count(
            bubblewrap::spawn_init(&opening, &program, &support, &plan)?,
            group.as_ref(),
        )?,
        Mechanism::Reduced => count(reduced::spawn_init(&mut opening, &support)?, group.as_ref())?,
    };
    let mut environment = opening.environment;
    if let Some(port) = init.port {
        let proxy = Proxy::environment(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let named = proxy.into_iter();
        environment.extend(named.map(|(name, value)| (name.to_owned(), value)));
    }
    let mut supervisor = SandboxSupervisor {
        id: opening.id,
        policy: opening.policy,
        enforcement,
        environment,
        listener: init.listener.take(),
        init: Some(init),
        sockets,
        connections: BTreeMap::new(),
        next_connection: 0,
        processes: BTreeMap::new(),
        order: VecDeque::new(),
        waiters: Vec::new(),
        spare: None,
        spare_due: None,
        projected: BTreeMap::new(),
        closing: None,
        sweeper,
        watch,
        notes: Vec::new(),
        judged: Instant::now(),
        look_due: false,
        support,
        group,
        staging,
    };
    supervisor.prepare_shim();
    Ok(supervisor)
}

/// Creates the folder for the layers of commands, if commands are staged.
fn stage_commands(opening: &OpenRequest, support: &Support) -> Result<Option<Staging>, WireError> {
    if !opening.policy.staged {
        return Ok(None);
    }
    // Without Landlock, a command could use `/proc` to change the layers of another command after their check.
    if let Err(obstacle) = support.landlock() {
        let mend = "use a kernel with Landlock enabled (`lsm=landlock,…`), or do without `staged`";
        let why = format!("staged commands need it: {}", obstacle.why);
        let gap = (Layer::Landlock, why, mend.to_owned());
        return Err(WireError::Isolation(vec![gap]));
    }
    let folder = &opening.staging;
    let failed = |error| WireError::io(format!("`{}` cannot be made", folder.display()), error);
    let staging =
        Staging::create(folder, opening.policy.roots().cloned().collect()).map_err(failed)?;
    // A process that removes the folder of the sandbox after this process was killed finds the layers by this link.
    std::os::unix::fs::symlink(folder, opening.folder.join(STAGING_LINK)).map_err(failed)?;
    stage::with_merged_view(&[], || ()).map_err(|error| {
        let doing = "the changes of staged commands cannot be judged";
        let mend = "allow mounts on this machine";
        WireError::layer(Layer::ProtectedPaths, doing, error, mend)
    })?;
    Ok(Some(staging))
}

/// Returns the mechanism that detects new files at protected paths.
fn new_paths(policy: &SandboxPolicy, watch: &io::Result<Watch>, plan: &Protection) -> NewPaths {
    if policy.staged {
        return NewPaths::Staged;
    }
    let why = match watch {
        Ok(watch) => watch.gap().map(str::to_owned),
        Err(error) => Some(format!("folders cannot be watched: {error}")),
    };
    match why.or_else(|| plan.stopped.clone()) {
        None => NewPaths::Watched,
        Some(why) => NewPaths::Swept { why },
    }
}

/// Records the gaps of an incomplete plan, which the policy has to accept.
fn check_complete(
    mut enforcement: Enforcement,
    plan: &Protection,
    policy: &SandboxPolicy,
) -> Result<Enforcement, WireError> {
    const MEND: &str = "choose a smaller folder as the workspace, or accept the layer as missing";
    let Some(why) = &plan.stopped else {
        return Ok(enforcement);
    };
    let mut missing = Vec::new();
    for layer in [Layer::ProtectedPaths, Layer::MaskedPaths] {
        let (by, lacks, mend) = ("mounts".to_owned(), why.clone(), MEND.to_owned());
        enforcement = enforcement.with(layer, LayerStatus::Partly { by, lacks, mend });
        if !policy.accepted.contains(&layer) {
            missing.push((layer, why.clone(), MEND.to_owned()));
        }
    }
    if missing.is_empty() {
        Ok(enforcement)
    } else {
        Err(WireError::Isolation(missing))
    }
}

/// Moves the init process into the group, before it starts other processes.
fn count(init: InitProcess, group: Option<&Cgroup>) -> Result<InitProcess, WireError> {
    let process = init.pid.as_raw_nonzero().get().unsigned_abs();
    match group.map(|group| group.add(process)) {
        Some(Err(error)) => {
            os::kill_child(init.pid);
            Err(init::cgroup_error(error))
        }
        _ => Ok(init),
    }
}

/// Starts the init process in new namespaces.
fn spawn_init(
    opening: &OpenRequest,
    support: &Support,
    plan: Protection,
    group: Option<&Cgroup>,
) -> Result<InitProcess, WireError> {
    let (identity, shown, mut translations) = take(&opening.policy, &opening.home);
    let staging = opening.policy.staged.then(|| BindMount {
        path: opening.staging.clone(),
        writable: true,
        tree: translations
            .as_mut()
            .filter(|_| identity.kind == IdentityKind::Dedicated)
            .and_then(|to| take_mapped(&opening.staging, to).ok()),
    });
    // The process enters the group itself: moving another process takes the kernel milliseconds.
    let cgroup = group.map_or_else(|| Ok(Vec::new()), Cgroup::member_files);
    let task = InitTask {
        identity,
        blueprint: RootSpec {
            shown,
            home: opening.home.clone(),
            user: identity.user,
            group: identity.group,
            memory: opening.policy.limits.memory,
            staging,
        },
        policy: opening.policy.clone(),
        support: support.clone(),
        plan,
        cgroup: cgroup.map_err(init::cgroup_error)?,
    };
    let (socket, theirs) =
        os::socket_pair().map_err(|error| WireError::io("a socket cannot be made", error))?;
    let pid = match os::clone_into(NAMESPACES).map_err(no_namespaces)? {
        ForkResult::Child => {
            drop(socket);
            init::run(task, &theirs)
        }
        ForkResult::Parent(pid) => pid,
    };
    drop(theirs);
    let init = identity
        .map(pid)
        .map_err(|error| {
            WireError::layer(
                Layer::Privileges,
                "failed to map the user and group ids",
                error,
                "allow user namespaces on this machine",
            )
        })
        .and_then(|()| {
            let namespace = std::fs::File::open(format!("/proc/{pid}/ns/user")).ok();
            wire::send(&socket, &()).map_err(no_answer)?;
            Ok(InitProcess {
                namespace: namespace.map(OwnedFd::from),
                ..InitProcess::await_ready(socket, pid, identity)?
            })
        });
    init.inspect_err(|_| os::kill_child(pid))
}

fn no_namespaces(error: io::Error) -> WireError {
    WireError::layer(
        Layer::Processes,
        "failed to create namespaces for commands",
        error,
        "allow user namespaces (`sysctl user.max_user_namespaces`, and \
         `kernel.apparmor_restrict_unprivileged_userns=0` or a profile on Ubuntu)",
    )
}

fn listen(folder: &Path, spool: &Path) -> Result<Sockets, WireError> {
    DirBuilder::new()
        .mode(0o700)
        .create(folder)
        .map_err(|error| WireError::io(format!("`{}` cannot be made", folder.display()), error))?;
    // A process that removes the folder after this process was killed finds the output by this link.
    std::os::unix::fs::symlink(spool, folder.join(OUTPUT_LINK))
        .map_err(|error| WireError::io("failed to link the output folder", error))?;
    let failed = |error: io::Error| WireError::io("a socket cannot be made", error);
    // The folder is reached through its descriptor, because its path may be longer than the address of a socket.
    let open = owner_access::open_folder(folder).map_err(failed)?;
    let listener = UnixListener::bind(owner_access::proc_fd_path(&open) + "/control");
    let listener = listener.map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(Sockets {
        folder: folder.to_owned(),
        spool: spool.to_owned(),
        listener,
    })
}

/// Opens the folders of a policy as they are mounted inside, and chooses the identity of commands.
fn take(policy: &SandboxPolicy, home: &Path) -> (Identity, Vec<BindMount>, Option<IdMappings>) {
    let folders = || {
        let writable = policy.roots();
        let writable = writable.map(|path| (path.clone(), true));
        let readable = policy.readable.iter().map(|path| (path.clone(), false));
        writable.chain(readable)
    };
    let mut taken = BTreeMap::new();
    let mut translations = None;
    let identity = Identity::choose(|id| {
        let translations = translations.insert(IdMappings::new(id));
        for (path, writable) in folders() {
            match take_mapped(&path, translations) {
                Ok(tree) => drop(taken.insert(path, tree)),
                Err(_) if !writable => {}
                Err(_) => return false,
            }
        }
        true
    });
    if identity.kind == IdentityKind::Root {
        taken.clear();
    }
    let toolchains = root::toolchains(home).into_iter().map(|path| (path, false));
    let shown = folders().chain(toolchains).map(|(path, writable)| {
        let tree = taken.remove(&path).or_else(|| match identity.kind {
            IdentityKind::Own => None,
            IdentityKind::Dedicated => translations
                .as_mut()
                .and_then(|translations| take_mapped(&path, translations).ok())
                .or_else(|| mount::clone_tree(&path).ok()),
            IdentityKind::Root => mount::clone_tree(&path).ok(),
        });
        BindMount {
            path,
            writable,
            tree,
        }
    });
    let shown = shown.collect();
    (identity, shown, translations)
}

/// Clones a mount on which the files of the folder's owner belong to another ID.
pub(super) fn take_mapped(path: &Path, translations: &mut IdMappings) -> io::Result<OwnedFd> {
    let tree = mount::clone_tree(path)?;
    let owners = translations.namespace_for(identity::owner(path)?)?;
    let attributes = os::MountAttributes {
        recursive: true,
        ..Default::default()
    };
    os::set_mount_attributes(&tree, attributes, Some(owners))?;
    Ok(tree)
}

/// Clones a mount in the sandbox's user namespace, if this needs no privileges outside.
pub(super) fn take_in_namespace(namespace: &OwnedFd, path: &Path) -> io::Result<OwnedFd> {
    let ((), mut files) = wire::call_in_child(os::fork, None, || {
        let user = Some(rustix::thread::LinkNameSpaceType::User);
        rustix::thread::move_into_link_name_space(namespace.as_fd(), user)?;
        // A copy of the mounts outside, owned by the user namespace.
        os::unshare_mounts()?;
        Ok(((), vec![mount::clone_tree(path)?]))
    })?;
    files.pop().ok_or_else(|| io::ErrorKind::NotFound.into())
}
