//! Files: what a command must neither read, nor write, nor leave behind with a mode that gives somebody else's rights.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use helve_runtime::sandbox::Layer::{Descriptors, Files, MaskedPaths, Privileges, SystemCalls};

use crate::escape::case::Proof::{ChangesState, PrintsReached, PrintsSecret, PrintsValue};
use crate::escape::case::{EscapeCase, attack};
use crate::escape::fixture::EscapeWorld;

const NODE: &str = "a device is made by root alone";
const ROOTS: &str = "the file belongs to root";

fn made_outside(world: &mut EscapeWorld) -> bool {
    world
        .outside_files()
        .iter()
        .any(|path| path.symlink_metadata().is_ok())
}

fn node_made(world: &mut EscapeWorld) -> bool {
    fs::symlink_metadata(world.workspace.join("node")).is_ok_and(|node| {
        let kind = node.file_type();
        kind.is_char_device() || kind.is_block_device()
    })
}

fn program_changed(world: &mut EscapeWorld) -> bool {
    fs::read(world.programs.join("doors")).is_ok_and(|bytes| bytes.ends_with(b"changed"))
}

fn mode_gives_rights(world: &mut EscapeWorld) -> bool {
    fs::symlink_metadata(world.workspace.join("setid")).is_ok_and(|file| file.mode() & 0o6000 != 0)
}

/// What must not be read.
pub(super) const READ: &[EscapeCase] = &[
    attack(Files, "read_sibling", PrintsSecret, r#"cat "$SECRET_FILE""#),
    attack(
        Files,
        "read_ssh_key",
        PrintsSecret,
        r#"cat "$REAL_HOME/.ssh/key""#,
    ),
    attack(
        Files,
        "read_credentials_of_tools",
        PrintsSecret,
        r#"cd "$REAL_HOME" && cat .aws/credentials .cargo/credentials.toml .config/gh/hosts.yml .netrc"#,
    ),
    attack(
        Files,
        "read_shadow",
        PrintsValue(|_| {
            let text = fs::read("/etc/shadow").ok()?;
            text.split(|&byte| byte == b'\n').next().map(<[u8]>::to_vec)
        }),
        "cat /etc/shadow",
    )
    .root_only(ROOTS),
    attack(
        Files,
        "read_through_symlink",
        PrintsSecret,
        r#"ln -s "$SECRET_FILE" link; cat link"#,
    ),
    attack(
        Files,
        "read_through_dot_dot",
        PrintsSecret,
        r#"cat "$WS/../sib/secret""#,
    ),
    attack(
        Files,
        "read_through_root_of_pid_1",
        PrintsSecret,
        r#"cat "/proc/1/root$SECRET_FILE" || echo "refused: pid 1 has another root""#,
    )
    .root_only("the root of another user's process is not to be seen"),
    attack(
        Files,
        "read_through_root_of_host_process",
        PrintsSecret,
        r#"cat "/proc/$VICTIM/root$SECRET_FILE""#,
    ),
    attack(
        Files,
        "read_through_folder_of_host_process",
        PrintsSecret,
        r#"cat "/proc/$VICTIM/cwd/secret""#,
    ),
    attack(
        Files,
        "read_through_every_process",
        PrintsSecret,
        r#"for p in /proc/[0-9]*; do cat "$p/root$SECRET_FILE" "$p/cwd/secret" "$p/cwd/../sib/secret"; done"#,
    ),
    attack(
        Files,
        "read_through_hard_link",
        PrintsSecret,
        r#"ln "$SECRET_FILE" hard && cat hard"#,
    ),
    attack(
        Files,
        "read_through_swapped_link",
        PrintsSecret,
        r#"mkdir inner; echo nothing > inner/secret; ln -s "$SIB" outer
"$DOORS" swap_links inner outer inner/secret"#,
    ),
    attack(
        Files,
        "read_from_deleted_folder",
        PrintsSecret,
        "mkdir gone; cd gone; rmdir ../gone; cat ../../sib/secret ../sib/secret \"$SECRET_FILE\"",
    ),
    attack(
        Files,
        "read_through_old_root",
        PrintsSecret,
        r#"for r in "" /oldroot /old_root /.oldroot /put_old /.pivot_root /mnt /newroot /host; do cat "$r$SECRET_FILE"; done"#,
    ),
    attack(
        Files,
        "read_by_chroot",
        PrintsSecret,
        r#""$DOORS" leave_chroot"#,
    )
    .root_only("chroot is for root"),
    attack(
        SystemCalls,
        "read_by_handle",
        PrintsSecret,
        r#""$DOORS" handle"#,
    )
    .with_setup(EscapeWorld::expose_handle)
    .root_only("handles are opened by root alone"),
    attack(
        Files,
        "read_host_tmp",
        PrintsSecret,
        r#"cat "/tmp/helve-$NONCE""#,
    )
    .with_setup(|world| world.write_secret("/tmp")),
    attack(
        Files,
        "read_host_shared_memory",
        PrintsSecret,
        r#"cat "/dev/shm/helve-$NONCE""#,
    )
    .with_setup(|world| world.write_secret("/dev/shm")),
    attack(
        Files,
        "read_block_device",
        PrintsReached,
        r#""$DOORS" read_device "$DISK""#,
    )
    .root_only(ROOTS),
    attack(Files, "open_kvm", PrintsReached, r#""$DOORS" kvm"#).root_only(ROOTS),
    attack(
        Files,
        "read_program_of_app",
        PrintsReached,
        r#""$DOORS" app_program"#,
    ),
    attack(MaskedPaths, "read_masked", PrintsSecret, "cat .env"),
    attack(
        MaskedPaths,
        "read_masked_below",
        PrintsSecret,
        "cat sub/deep/.env.local sub/deep/server.pem",
    ),
    attack(
        MaskedPaths,
        "read_masked_moved",
        PrintsSecret,
        "mv .env moved; cat moved",
    ),
    attack(
        MaskedPaths,
        "read_masked_hard_link",
        PrintsSecret,
        "ln .env linked; cat linked",
    ),
    attack(
        MaskedPaths,
        "read_masked_after_moving_its_folder",
        PrintsSecret,
        "mv sub moved; cat moved/deep/.env.local",
    ),
    attack(
        MaskedPaths,
        "read_masked_through_proc",
        PrintsSecret,
        r#"cat "/proc/self/cwd/.env" "/proc/self/root$WS/.env" "/proc/$$/cwd/.env""#,
    ),
    attack(
        MaskedPaths,
        "read_masked_after_unmounting",
        PrintsSecret,
        "umount -l .env; umount .env; cat .env",
    ),
    attack(
        Descriptors,
        "read_inherited_descriptor",
        PrintsSecret,
        r#""$DOORS" inherited"#,
    ),
];

/// What must not be written.
pub(super) const WRITE: &[EscapeCase] = &[
    attack(
        Files,
        "write_etc",
        ChangesState(made_outside),
        r#"echo changed > "/etc/helve-$NONCE""#,
    )
    .root_only(ROOTS),
    attack(
        Files,
        "write_usr",
        ChangesState(made_outside),
        r#"echo changed > "/usr/bin/helve-$NONCE""#,
    )
    .root_only(ROOTS),
    attack(
        Files,
        "write_root_folder",
        ChangesState(made_outside),
        r#"echo changed > "/helve-$NONCE""#,
    )
    .root_only(ROOTS),
    attack(
        Files,
        "write_sibling",
        ChangesState(made_outside),
        r#"mkdir -p "$SIB"; echo changed > "$SIB/new""#,
    ),
    attack(
        Files,
        "write_parent_of_workspace",
        ChangesState(made_outside),
        "echo changed > ../new",
    ),
    attack(
        Files,
        "write_home",
        ChangesState(made_outside),
        r#"echo changed > "$REAL_HOME/.helve-$NONCE""#,
    ),
    attack(
        Files,
        "write_tool_folder",
        ChangesState(made_outside),
        r#"echo changed > "$REAL_HOME/.cargo/bin/helve-$NONCE""#,
    ),
    attack(
        Files,
        "write_through_folder_symlink",
        ChangesState(made_outside),
        r#"ln -s "$SIB" out; echo changed > out/new"#,
    ),
    attack(
        Files,
        "write_through_hard_link",
        ChangesState(|world| {
            fs::read(&world.secret_file).is_ok_and(|text| text.ends_with(b"changed\n"))
        }),
        r#"ln "$SECRET_FILE" hard; echo changed >> hard"#,
    ),
    attack(
        Files,
        "write_readable_folder",
        ChangesState(|world| world.programs.join("new").exists()),
        r#"echo changed > "$PROGRAMS/new""#,
    ),
    attack(
        Files,
        "rename_sibling_into_workspace",
        ChangesState(|world| world.workspace.join("taken/secret").exists()),
        r#"mv "$SIB" taken"#,
    ),
    attack(
        Files,
        "rename_workspace",
        ChangesState(|world| !world.workspace.exists()),
        r#"mv "$WS" "$WS-2""#,
    ),
    attack(
        Files,
        "host_tmp_write",
        ChangesState(made_outside),
        r#"echo changed > "/tmp/helve-$NONCE""#,
    ),
    attack(
        Files,
        "host_shared_memory_write",
        ChangesState(made_outside),
        r#"echo changed > "/dev/shm/helve-$NONCE""#,
    ),
    attack(
        Files,
        "host_var_tmp_write",
        ChangesState(made_outside),
        r#"echo changed > "/var/tmp/helve-$NONCE""#,
    ),
    attack(
        Files,
        "change_own_program",
        ChangesState(program_changed),
        r#""$PROGRAMS/doors" own_program"#,
    ),
    attack(
        Files,
        "chmod_outside",
        ChangesState(|world| {
            fs::metadata(&world.secret_file).is_ok_and(|file| file.mode() & 0o777 == 0o777)
        }),
        r#"chmod 777 "$SECRET_FILE""#,
    ),
    attack(
        Files,
        "chmod_readable",
        ChangesState(|world| {
            fs::metadata(world.programs.join("doors"))
                .is_ok_and(|file| file.mode() & 0o777 == 0o777)
        }),
        r#"chmod 777 "$PROGRAMS/doors""#,
    ),
    attack(
        Files,
        "touch_outside",
        ChangesState(|world| {
            fs::metadata(&world.secret_file).is_ok_and(|file| file.mtime() == 86400)
        }),
        r#"touch -d @86400 "$SECRET_FILE""#,
    ),
    attack(
        Files,
        "touch_readable",
        ChangesState(|world| {
            fs::metadata(world.programs.join("doors")).is_ok_and(|file| file.mtime() == 86400)
        }),
        r#"touch -d @86400 "$PROGRAMS/doors""#,
    ),
    attack(
        Files,
        "truncate_outside",
        ChangesState(|world| fs::metadata(&world.secret_file).is_ok_and(|file| file.len() == 0)),
        r#"truncate -s 0 "$SECRET_FILE""#,
    ),
];

/// What a file must not become: a device, or a program that gives its owner's rights.
pub(super) const MODE: &[EscapeCase] = &[
    attack(SystemCalls, "mknod_character", ChangesState(node_made), "mknod node c 1 5").root_only(NODE),
    attack(SystemCalls, "mknod_block", ChangesState(node_made), "mknod node b 7 0").root_only(NODE),
    attack(
        SystemCalls,
        "chmod_6755",
        ChangesState(mode_gives_rights),
        "cp /bin/true setid; chmod 6755 setid",
    ),
    attack(
        SystemCalls,
        "install_4755",
        ChangesState(mode_gives_rights),
        "install -m4755 /bin/true setid",
    ),
    attack(SystemCalls, "setid_by_chmod", ChangesState(mode_gives_rights), r#""$DOORS" setid chmod setid"#),
    attack(SystemCalls, "setid_by_fchmod", ChangesState(mode_gives_rights), r#""$DOORS" setid fchmod setid"#),
    attack(SystemCalls, "setid_by_fchmodat", ChangesState(mode_gives_rights), r#""$DOORS" setid fchmodat setid"#),
    attack(SystemCalls, "setid_by_fchmodat2", ChangesState(mode_gives_rights), r#""$DOORS" setid fchmodat2 setid"#),
    attack(SystemCalls, "setid_by_open", ChangesState(mode_gives_rights), r#""$DOORS" setid open setid"#),
    attack(SystemCalls, "setid_by_openat", ChangesState(mode_gives_rights), r#""$DOORS" setid openat setid"#),
    attack(SystemCalls, "setid_by_openat2", ChangesState(mode_gives_rights), r#""$DOORS" setid openat2 setid"#),
    attack(SystemCalls, "setid_by_creat", ChangesState(mode_gives_rights), r#""$DOORS" setid creat setid"#),
    attack(SystemCalls, "setid_by_mknod", ChangesState(mode_gives_rights), r#""$DOORS" setid mknod setid"#),
    attack(SystemCalls, "setid_by_unnamed_file", ChangesState(mode_gives_rights), r#""$DOORS" setid tmpfile setid"#),
    attack(SystemCalls, "setid_by_tar", ChangesState(mode_gives_rights), "cp /bin/true setid; chmod 755 setid\npython3 - <<'E'\nimport tarfile\nt = tarfile.open('a.tar', 'w')\ni = t.gettarinfo('setid'); i.mode = 0o4755\nt.addfile(i, open('setid', 'rb'))\nE\nrm setid; tar -xpf a.tar")
        .with_programs(&["python3", "tar"]),
    attack(Privileges, "file_capability", PrintsReached, r#""$DOORS" file_capability capable"#)
        .root_only("capabilities are given by root alone"),
    attack(Privileges, "immutable_file", PrintsReached, r#""$DOORS" immutable stays"#)
        .root_only("the flag is set by root alone"),
    attack(Privileges, "chown_to_other", ChangesState(|world| fs::metadata(world.workspace.join("given")).is_ok_and(|file| file.uid() == 12345)), "touch given; chown 12345 given")
        .root_only("files are given away by root alone"),
    attack(SystemCalls, "watch_mount", PrintsReached, r#""$DOORS" fanotify"#)
        .root_only("whole mounts are watched by root alone"),
    attack(Privileges, "setuid_program", PrintsValue(EscapeWorld::owner_secret), r#""$SETUID_PROGRAM" as_owner "$OWNER_FILE""#)
        .root_only("root alone gives programs to another owner"),
];
