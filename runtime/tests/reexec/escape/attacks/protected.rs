//! What would run outside later: hooks, settings of git, start files, settings of editors and agents.
//!
//! Where it can be, the proof is that it does run: after the command, the test uses git in the workspace as a person
//! would, and looks whether the attack's command was run.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use helve_runtime::sandbox::Layer::ProtectedPaths;

use crate::escape::case::Proof::{ChangesState, WritesNonce};
use crate::escape::case::{EscapeCase, attack};
use crate::escape::fixture::EscapeWorld;

/// A person looks at the state of the workspace.
fn runs_at_status(world: &mut EscapeWorld) -> bool {
    world.use_git(&[], &["status"])
}

fn runs_at_commit(world: &mut EscapeWorld) -> bool {
    world.use_git(&[], &["commit", "--allow-empty", "-m", "mine"])
}

fn runs_in_made(world: &mut EscapeWorld) -> bool {
    let made = world.workspace.join("made");
    made.exists()
        && (world.use_git(&["made"], &["status"])
            | world.use_git(&["made"], &["commit", "--allow-empty", "-m", "mine"]))
}

fn runs_in_nested(world: &mut EscapeWorld) -> bool {
    world.use_git(&["nested"], &["commit", "--allow-empty", "-m", "mine"])
}

fn runs_below_unlisted(world: &mut EscapeWorld) -> bool {
    world.use_git(&["unlisted", "made"], &["status"])
}

/// The hook is a script of the project, as teams set it up.
fn hook_is_a_link(world: &mut EscapeWorld) {
    let script = world.workspace.join("check.sh");
    fs::write(&script, "#!/bin/sh\n").expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a mode");
    let hooks = world.workspace.join(".git/hooks");
    fs::create_dir_all(&hooks).expect("hooks");
    let hook = hooks.join("pre-commit");
    let _ = fs::remove_file(&hook);
    symlink("../../check.sh", hook).expect("a link");
}

fn editor_folder_is_a_link(world: &mut EscapeWorld) {
    let settings = world.workspace.join("settings");
    fs::create_dir(&settings).expect("a folder");
    fs::write(settings.join("tasks.json"), "{}").expect("a file");
    let editor = world.workspace.join(".vscode");
    let _ = fs::remove_dir_all(&editor);
    symlink("settings", editor).expect("a link");
}

fn changes_linked_editor_folder(world: &mut EscapeWorld) -> bool {
    let tasks = fs::read_to_string(world.workspace.join(".vscode/tasks.json"));
    tasks.is_ok_and(|tasks| tasks.contains("evil"))
}

fn no_hook_folder(world: &mut EscapeWorld) {
    fs::remove_dir_all(world.workspace.join(".git/hooks")).expect("hooks to remove");
}

/// What must not be written, so that nothing of it runs outside.
pub(super) const CASES: &[EscapeCase] = &[
    attack(
        ProtectedPaths,
        "write_hook",
        ChangesState(runs_at_commit),
        r#"cp "$EVIL" .git/hooks/pre-commit"#,
    ),
    attack(
        ProtectedPaths,
        "write_hook_through_proc",
        ChangesState(runs_at_commit),
        r#"cp "$EVIL" /proc/self/cwd/.git/hooks/pre-commit; cp "$EVIL" "/proc/$$/root$WS/.git/hooks/pre-commit""#,
    ),
    attack(
        ProtectedPaths,
        "write_hook_where_no_folder_was",
        ChangesState(runs_at_commit),
        r#"mkdir -p .git/hooks; cp "$EVIL" .git/hooks/pre-commit"#,
    )
    .with_setup(no_hook_folder),
    attack(
        ProtectedPaths,
        "move_over_hook",
        ChangesState(runs_at_commit),
        r#"cp "$EVIL" evil; mv -f evil .git/hooks/pre-commit"#,
    ),
    attack(
        ProtectedPaths,
        "hard_link_over_hook",
        ChangesState(runs_at_commit),
        r#"cp "$EVIL" evil; ln -f evil .git/hooks/pre-commit"#,
    ),
    attack(
        ProtectedPaths,
        "move_hook_folder",
        ChangesState(runs_at_commit),
        r#"mv .git/hooks .git/other; mkdir .git/hooks; cp "$EVIL" .git/hooks/pre-commit"#,
    ),
    attack(
        ProtectedPaths,
        "replace_hook_folder_by_link",
        ChangesState(runs_at_commit),
        r#"mkdir evil; cp "$EVIL" evil/pre-commit; rm -rf .git/hooks; ln -s ../evil .git/hooks"#,
    ),
    attack(
        ProtectedPaths,
        "exchange_hook_folder",
        ChangesState(runs_at_commit),
        r#"mkdir evil; cp "$EVIL" evil/pre-commit; "$DOORS" exchange evil .git/hooks"#,
    ),
    attack(
        ProtectedPaths,
        "move_git_folder",
        ChangesState(runs_at_commit),
        r#"mv .git .git2; cp -r .git2 .git; mkdir -p .git/hooks; cp "$EVIL" .git/hooks/pre-commit"#,
    ),
    attack(
        ProtectedPaths,
        "exchange_git_folder",
        ChangesState(runs_at_commit),
        r#"cp -r .git evil; mkdir -p evil/hooks; cp "$EVIL" evil/hooks/pre-commit; "$DOORS" exchange evil .git"#,
    ),
    attack(
        ProtectedPaths,
        "remove_git_folder",
        ChangesState(runs_at_commit),
        r#"cp -r .git evil; rm -rf .git; mv evil .git; mkdir -p .git/hooks; cp "$EVIL" .git/hooks/pre-commit"#,
    ),
    attack(
        ProtectedPaths,
        "nested_hook",
        ChangesState(runs_in_nested),
        r#"cp "$EVIL" nested/.git/hooks/pre-commit"#,
    ),
    attack(
        ProtectedPaths,
        "move_nested_repository",
        ChangesState(runs_in_nested),
        r#"mv nested other; cp -r other nested; mkdir -p nested/.git/hooks; cp "$EVIL" nested/.git/hooks/pre-commit"#,
    ),
    attack(
        ProtectedPaths,
        "git_config_fsmonitor",
        ChangesState(runs_at_status),
        r#"git config core.fsmonitor "touch '$SIB/ran-$NONCE'""#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "git_config_hooks_path",
        ChangesState(runs_at_commit),
        r#"mkdir evil; cp "$EVIL" evil/pre-commit; git config core.hooksPath evil; printf '[core]\nhooksPath = evil\n' >> .git/config"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "git_config_of_worktree",
        ChangesState(runs_at_status),
        r#"printf '[core]\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" > .git/config.worktree"#,
    )
    .with_setup(|world| world.git_config("extensions.worktreeConfig", "true")),
    attack(
        ProtectedPaths,
        "git_common_folder",
        ChangesState(|world| runs_at_status(world) | runs_at_commit(world)),
        r#"cp -r .git evil; mkdir -p evil/hooks; cp "$EVIL" evil/hooks/pre-commit
printf '[core]\nrepositoryformatversion = 0\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" > evil/config; echo ../evil > .git/commondir"#,
    ),
    attack(
        ProtectedPaths,
        "git_attributes_of_repository",
        WritesNonce(".git/info/attributes"),
        r#"mkdir -p .git/info; echo "* filter=$NONCE" >> .git/info/attributes"#,
    ),
    attack(
        ProtectedPaths,
        "git_modules",
        WritesNonce(".gitmodules"),
        r#"printf '[submodule "%s"]\n' "$NONCE" >> .gitmodules"#,
    ),
    attack(
        ProtectedPaths,
        "git_hook_of_submodule",
        ChangesState(|world| {
            fs::read_to_string(world.workspace.join(".git/modules/part/hooks/post-checkout"))
                .is_ok_and(|text| text.contains("ran-"))
        }),
        r#"mkdir -p .git/modules/part/hooks; cp "$EVIL" .git/modules/part/hooks/post-checkout"#,
    )
    .with_setup(EscapeWorld::make_submodule),
    attack(
        ProtectedPaths,
        "git_config_of_submodule",
        WritesNonce(".git/modules/part/config"),
        r#"printf '[core]\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" >> .git/modules/part/config"#,
    )
    .with_setup(EscapeWorld::make_submodule),
    attack(
        ProtectedPaths,
        "hook_in_repository_made_here",
        ChangesState(runs_in_made),
        r#"git init -q made; mkdir -p made/.git/hooks; cp "$EVIL" made/.git/hooks/pre-commit"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "config_in_repository_made_here",
        ChangesState(runs_in_made),
        r#"git init -q made; git -C made config core.fsmonitor "touch '$SIB/ran-$NONCE'""#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "bare_repository_made_here",
        ChangesState(runs_in_made),
        r#"git init -q --bare made; printf '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" > made/config"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "linked_config_in_repository_made_here",
        ChangesState(runs_in_made),
        r#"git init -q made
printf '[core]\nrepositoryformatversion = 0\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" > evil
ln -sf ../../evil made/.git/config"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "linked_hooks_in_repository_made_here",
        ChangesState(runs_in_made),
        r#"git init -q made; mkdir evil; cp "$EVIL" evil/pre-commit; rm -rf made/.git/hooks; ln -s ../../evil made/.git/hooks"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "repository_by_common_folder",
        ChangesState(runs_in_made),
        r#"git init -q --bare evil
printf '[core]\nrepositoryformatversion = 1\nfsmonitor = touch "%s"\n[extensions]\nworktreeConfig = true\n' "$SIB/ran-$NONCE" > evil/config
mkdir made; echo 'ref: refs/heads/main' > made/HEAD; echo ../evil > made/commondir
printf '[core]\nbare = false\nworktree = %s\n' "$WS/made" > made/config.worktree"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "repository_in_a_folder_that_cannot_be_written",
        ChangesState(runs_in_made),
        r#"git init -q made; git -C made config core.fsmonitor "touch '$SIB/ran-$NONCE'"; chmod 555 made/.git made"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "repository_in_a_folder_that_cannot_be_listed",
        ChangesState(runs_below_unlisted),
        r#"mkdir unlisted; git init -q unlisted/made; git -C unlisted/made config core.fsmonitor "touch '$SIB/ran-$NONCE'"; chmod 311 unlisted"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "repository_made_elsewhere_and_moved",
        ChangesState(runs_in_made),
        r#"mkdir -p build/out; git init -q build/out/x; git -C build/out/x config core.fsmonitor "touch '$SIB/ran-$NONCE'"; mv build/out other; mv other/x made"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "bare_repository_assembled_by_two_processes",
        ChangesState(runs_in_made),
        r#"mkdir made; (mkdir -p made/refs/heads; echo ref: refs/heads/main > made/HEAD) & mkdir -p made/objects
printf '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" > made/config; wait"#,
    ),
    attack(
        ProtectedPaths,
        "config_of_repository_made_here_by_another_name",
        ChangesState(runs_in_made),
        r#"git init -q made; ln made/.git/config other
printf '[core]\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" >> other"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "config_of_repository_made_here_by_memory",
        ChangesState(runs_in_made),
        r#"git init -q made; python3 -c '
import mmap, os
text = ("[core]\nfsmonitor = touch %s/ran-%s\n" % (os.environ["SIB"], os.environ["NONCE"])).encode()
with open("made/.git/config", "r+b") as f:
    f.truncate(); f.write(b"\n" * len(text)); f.flush()
    memory = mmap.mmap(f.fileno(), len(text))
os.fork() or os.setsid()
import time; time.sleep(0.3)
memory[:] = text'"#,
    )
    .with_programs(&["git", "python3"]),
    attack(
        ProtectedPaths,
        "repository_planted_between_many_changes",
        ChangesState(runs_in_made),
        r#"git init -q x; for i in 1 2 3 4 5 6 7 8 9; do mkdir -p y/$i/a/b; mv x y/$i; mv y z; mv z/$i/x x; mv z y; done
mv x made; printf '[core]\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" >> made/.git/config"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "steps_of_a_rebase",
        ChangesState(|world| world.use_git(&[], &["rebase", "--continue"])),
        r#"echo x > x; git add x; git commit -qm x; GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i HEAD~1
echo "exec touch '$SIB/ran-$NONCE'" >> .git/rebase-merge/git-rebase-todo"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "gitlink_to_a_repository_made_here",
        ChangesState(runs_at_status),
        r#"git init -q made; git -C made commit -q --allow-empty -m x; git -C made config core.fsmonitor "touch '$SIB/ran-$NONCE'"
git update-index --add --cacheinfo 160000,$(git -C made rev-parse HEAD),made"#,
    )
    .with_programs(&["git"]),
    attack(
        ProtectedPaths,
        "target_of_linked_hook",
        ChangesState(runs_at_commit),
        r#"cp "$EVIL" check.sh"#,
    )
    .with_setup(hook_is_a_link),
    attack(
        ProtectedPaths,
        "target_of_linked_editor_folder",
        ChangesState(changes_linked_editor_folder),
        "echo evil > settings/tasks.json",
    )
    .with_setup(editor_folder_is_a_link),
    attack(
        ProtectedPaths,
        "bare_repository_in_root_of_workspace",
        ChangesState(runs_at_status),
        r#"mv .git/HEAD .git/HEAD2; mkdir -p objects refs; echo ref: refs/heads/main > HEAD
printf '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" > config"#,
    ),
    attack(
        ProtectedPaths,
        "git_file_made_here",
        ChangesState(runs_in_made),
        r#"cp -r .git evil; printf '[core]\nrepositoryformatversion = 0\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" > evil/config
mkdir made; echo 'gitdir: ../evil' > made/.git"#,
    ),
    attack(
        ProtectedPaths,
        "take_protection_away",
        ChangesState(runs_at_commit),
        r#"umount .git/hooks || umount -l .git/hooks; umount -l .git; cp "$EVIL" .git/hooks/pre-commit"#,
    ),
    attack(
        ProtectedPaths,
        "make_protection_writable",
        ChangesState(runs_at_commit),
        r#""$DOORS" make_writable "$WS/.git/hooks"; cp "$EVIL" .git/hooks/pre-commit"#,
    ),
    attack(
        ProtectedPaths,
        "create_bashrc",
        WritesNonce(".bashrc"),
        "echo \"touch ran-$NONCE\" > .bashrc",
    ),
    attack(
        ProtectedPaths,
        "link_bashrc",
        WritesNonce(".bashrc"),
        "echo \"touch ran-$NONCE\" > innocent; ln -s innocent .bashrc",
    ),
    attack(
        ProtectedPaths,
        "leave_bashrc_to_child",
        WritesNonce(".bashrc"),
        "(setsid sh -c 'sleep 0.3; echo \"touch ran-$NONCE\" > .bashrc; sleep 0.2' >/dev/null 2>&1 &) ; sleep 1",
    ),
    attack(
        ProtectedPaths,
        "change_profile",
        WritesNonce(".profile"),
        "echo \"touch ran-$NONCE\" >> .profile",
    )
    .with_setup(|world| fs::write(world.workspace.join(".profile"), "echo hello\n").expect("a profile")),
    attack(
        ProtectedPaths,
        "editor_tasks",
        WritesNonce(".vscode/tasks.json"),
        r#"mkdir -p .vscode; echo "{\"command\": \"$NONCE\"}" > .vscode/tasks.json"#,
    ),
    attack(
        ProtectedPaths,
        "move_editor_folder",
        WritesNonce(".vscode/tasks.json"),
        r#"mv .vscode old; mkdir .vscode; echo "{\"command\": \"$NONCE\"}" > .vscode/tasks.json"#,
    )
    .with_setup(|world| {
        let folder = world.workspace.join(".vscode");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("settings.json"), "{}").expect("settings");
    }),
    attack(
        ProtectedPaths,
        "agent_settings",
        WritesNonce(".claude/settings.json"),
        r#"mkdir -p .claude; echo "{\"hook\": \"$NONCE\"}" > .claude/settings.json"#,
    ),
    attack(
        ProtectedPaths,
        "rules_of_agent",
        WritesNonce("helve.toml"),
        r#"echo "allow = [\"$NONCE\"]" > helve.toml"#,
    ),
    attack(
        ProtectedPaths,
        "servers_of_agent",
        WritesNonce(".mcp.json"),
        r#"echo "{\"$NONCE\": {}}" > new; mv new .mcp.json"#,
    ),
    attack(
        ProtectedPaths,
        "folder_variables",
        WritesNonce(".envrc"),
        r#"echo "export A=$NONCE" > .envrc"#,
    ),
];
