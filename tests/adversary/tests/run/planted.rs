//! What a command plants for each of the user's programs. Outside of the sandbox it runs, so that the case can fail;
//! what the same command plants in the sandbox does not.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use helve::sandbox::{Access, IsolatedSandbox, ProcessId, ProcessSpec, Sandbox as _};
use helve_adversary::Targets;
use libtest_mimic::Failed;

use crate::fixture::{Fixture, HomeFolder, Ports};
use crate::programs::{self, DIRENV, PRE_COMMIT, VIM};
use crate::user::{OPEN_IN_VIM, User};

/// How long a command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(20);

/// A case: a command, and what the user does afterwards.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// A program that has to be installed.
    needs: Option<&'static str>,
    /// What the user did before the command.
    before: &'static [Step],
    /// The command; `$MARK` is what must not run, `$REAL_HOME` the user's home.
    command: &'static str,
    /// What the user does after it.
    after: &'static [Step],
    /// How often it is tried in the sandbox.
    rounds: usize,
    /// Whether another command, which only reads, runs meanwhile.
    beside_reader: bool,
}

/// A program that the user runs in a folder of the workspace.
type Step = (&'static str, &'static [&'static str]);

const COMMIT: &[&str] = &["git", "commit", "--allow-empty", "-a", "-m", "mine"];

const fn case(name: &'static str, command: &'static str, after: &'static [Step]) -> Case {
    Case {
        name,
        needs: None,
        before: &[],
        command,
        after,
        rounds: 1,
        beside_reader: false,
    }
}

impl Case {
    const fn with_program(mut self, program: &'static str) -> Self {
        self.needs = Some(program);
        self
    }

    const fn beside_reader(mut self) -> Self {
        self.beside_reader = true;
        self.rounds = 10;
        self
    }

    const fn with_setup(mut self, steps: &'static [Step]) -> Self {
        self.before = steps;
        self
    }
}

const PLANT_REBASE: &str = "mkdir -p .git/rebase-merge && cd .git/rebase-merge && git rev-parse HEAD > onto; cp onto orig-head; \
     echo refs/heads/main > head-name; echo 1 > msgnum; echo 1 > end; : > interactive; : > done; \
     echo \"exec $MARK\" > git-rebase-todo";

const CONTINUE: &[Step] = &[("", &["git", "rebase", "--continue"])];

/// Makes the repository `sub` a submodule `part`, which has two commits.
const ADD_SUBMODULE: &[Step] = &[
    ("sub", COMMIT),
    (
        "",
        &[
            "git",
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "add",
            "-q",
            "./sub",
            "part",
        ],
    ),
    ("", COMMIT),
    ("part", &["git", "checkout", "-q", "HEAD~1"]),
];

pub(crate) const CASES: &[Case] = &[
    case(
        "git_status",
        "git init -q made; git -C made config core.fsmonitor \"$MARK;\"",
        &[("made", &["git", "status"])],
    ),
    case(
        "git_commit",
        "mkdir -p .git/hooks; printf '#!/bin/sh\\n%s\\n' \"$MARK\" > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit",
        &[("", COMMIT)],
    ),
    case("git_rebase", PLANT_REBASE, CONTINUE),
    // It ends with the very change, so that both are seen at once.
    case(
        "git_rebase_beside_a_reader",
        "mkdir -p .git/rebase-merge && cd .git/rebase-merge && git rev-parse HEAD > onto; cp onto orig-head; \
         echo refs/heads/main > head-name; echo 1 > msgnum; echo 1 > end; : > interactive; : > done; \
         echo \"exec $MARK\" > todo; exec mv todo git-rebase-todo",
        CONTINUE,
    )
    .beside_reader(),
    // The command is ended for what it makes second; what it made first goes, too.
    case(
        "git_rebase_before_something_else",
        "mkdir -p .git/rebase-merge && cd .git/rebase-merge && git rev-parse HEAD > onto; cp onto orig-head; \
         echo refs/heads/main > head-name; echo \"exec $MARK\" > git-rebase-todo; echo 1 > msgnum; echo 1 > end; \
         : > interactive; : > done; cd ../..; echo evil > .exrc; sleep 1",
        CONTINUE,
    ),
    case(
        "git_submodule_hook",
        "mkdir -p .git/modules/part/hooks; printf '#!/bin/sh\\n%s\\n' \"$MARK\" > .git/modules/part/hooks/post-checkout; \
         chmod 755 .git/modules/part/hooks/post-checkout",
        &[("", &["git", "submodule", "update"])],
    )
    .with_setup(ADD_SUBMODULE),
    case(
        "git_submodule_setting",
        "git config submodule.part.update \"!$MARK;\"",
        &[("", &["git", "submodule", "update"])],
    )
    .with_setup(ADD_SUBMODULE),
    case(
        "git_status_with_submodule",
        "git config -f .git/modules/part/config core.fsmonitor \"$MARK;\"",
        &[("", &["git", "submodule", "summary"]), ("", &["git", "status"])],
    )
    .with_setup(ADD_SUBMODULE),
    case(
        "login_shell",
        "echo \"$MARK\" >> \"$REAL_HOME/.bash_profile\"; echo \"$MARK\" >> ~/.bash_profile",
        &[("", &["bash", "-lc", "true"])],
    ),
    case(
        "login_shell_of_a_home_that_is_a_workspace",
        "echo \"$MARK\" >> .bash_profile; echo \"$MARK\" >> .profile",
        &[("", &["sh", "-c", "HOME=$PWD exec bash -lc true"])],
    ),
    case(
        "interactive_shell",
        "echo \"$MARK\" >> \"$REAL_HOME/.bashrc\"; echo \"$MARK\" >> .bashrc",
        &[
            ("", &["bash", "-ic", "true"]),
            ("", &["sh", "-c", "HOME=$PWD exec bash -ic true"]),
        ],
    ),
    case(
        "vim",
        "for f in .exrc .vimrc sub/.exrc sub/.vimrc; do echo \"call system('$MARK')\" > $f; done",
        &[("", OPEN_IN_VIM), ("sub", OPEN_IN_VIM)],
    )
    .with_program(VIM),
    case(
        "direnv",
        "echo \"$MARK\" > sub/.envrc",
        &[("", &[DIRENV, "exec", ".", "true"])],
    )
    .with_program(DIRENV),
    case(
        "pre_commit",
        "sed -i \"s|\\\"true\\\"|$MARK|\" .pre-commit-config.yaml; cat .pre-commit-config.yaml > new; mv new .pre-commit-config.yaml",
        &[("", &[PRE_COMMIT, "run", "--all-files"])],
    )
    .with_program(PRE_COMMIT),
    case(
        "husky",
        "echo \"$MARK\" > sub/.husky/pre-commit",
        &[("sub", COMMIT)],
    ),
    case(
        "husky_itself",
        "echo \"$MARK\" > sub/.husky/_/h",
        &[("sub", COMMIT)],
    ),
];

/// Runs a case without the sandbox, and with it.
pub(crate) fn runs_outside_alone(
    home: &Arc<HomeFolder>,
    case: &'static Case,
) -> Result<(), Failed> {
    if let Some(program) = case
        .needs
        .filter(|program| !programs::is_installed(program))
    {
        println!(
            "planted_for_{}: not run, {program} is not installed",
            case.name
        );
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let world = Fixture::new(home, Ports::NONE).with_own_home();
        prepare(&world, case).await?;
        outside(&world, case)?;
        use_afterwards(&world.user, case).await;
        if world.marks().is_empty() {
            return Err(Failed::from("it does not even run without a sandbox"));
        }
        let rounds = (0..case.rounds).map(|_| false).chain([true]);
        for (round, staged) in rounds.enumerate() {
            let world = Fixture::new(home, Ports::NONE).with_own_home();
            prepare(&world, case).await?;
            let told = inside(&world, case, staged).await?;
            if !world.marks().is_empty() {
                let why =
                    format!("it ran in round {round}, staged: {staged}; the sandbox said {told:?}");
                return Err(Failed::from(why));
            }
        }
        Ok(())
    })
}

async fn prepare(world: &Fixture, case: &Case) -> Result<(), Failed> {
    world.user.accept_project().await;
    for (folder, argv) in case.before {
        if !world.user.run(folder, argv).await {
            return Err(Failed::from(format!("{argv:?} failed")));
        }
    }
    Ok(())
}

async fn use_afterwards(user: &User, case: &Case) {
    for (folder, argv) in case.after {
        user.run(folder, argv).await;
    }
}

fn mark(targets: &Targets) -> String {
    targets.mark_command("planted")
}

fn outside(world: &Fixture, case: &Case) -> Result<(), Failed> {
    let ended = Command::new("bash")
        .args(["-c", case.command])
        .current_dir(&world.targets.workspace)
        .env("MARK", mark(&world.targets))
        .env("REAL_HOME", &world.user.home)
        .env("HOME", &world.user.home)
        .stdin(Stdio::null())
        .output()?;
    if !ended.status.success() || !world.marks().is_empty() {
        return Err(Failed::from(format!("outside: {ended:?}")));
    }
    Ok(())
}

/// Runs the command in the sandbox, uses the programs, and returns how the command ended.
async fn inside(world: &Fixture, case: &Case, staged: bool) -> Result<String, Failed> {
    let mut policy = world.policy();
    policy.staged = staged;
    let sandbox = IsolatedSandbox::open(policy).await?;
    if case.beside_reader {
        let mut reader = ProcessSpec::new(ProcessId::new("reader")?, ["sleep", "20"]);
        reader.access = Access::Read;
        sandbox.start(reader).await?;
    }
    let id = ProcessId::new("planted")?;
    let mut spec = ProcessSpec::new(id.clone(), ["bash", "-c", case.command]);
    spec.environment
        .insert("MARK".to_owned(), mark(&world.targets));
    let home = world.user.home.display().to_string();
    spec.environment.insert("REAL_HOME".to_owned(), home);
    sandbox.start(spec).await?;
    let status = sandbox.status(&id, COMMAND_TIMEOUT).await?;
    let told = status.exit.map(|exit| exit.to_string());
    // Before the end of the sandbox, which looks once more.
    use_afterwards(&world.user, case).await;
    sandbox.close().await?;
    told.ok_or_else(|| Failed::from("the command did not end"))
}
