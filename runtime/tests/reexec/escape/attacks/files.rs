//! Files: what a command must neither read, nor write, nor leave behind with a mode that gives somebody else's rights.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use helve_runtime::sandbox::Layer::{Descriptors, Files, MaskedPaths, Privileges, SystemCalls};

use crate::escape::case::Proof::{Changes, Reaches, Reads, Shows};
use crate::escape::case::{Case, attack};
use crate::escape::world::World;

const NODE: &str = "a device is made by root alone";
const ROOTS: &str = "the file belongs to root";

fn made_outside(world: &mut World) -> bool {
    world
        .litter()
        .iter()
        .any(|path| path.symlink_metadata().is_ok())
}

fn node_made(world: &mut World) -> bool {
    fs::symlink_metadata(world.workspace.join("node")).is_ok_and(|node| {
        let kind = node.file_type();
        kind.is_char_device() || kind.is_block_device()
    })
}

fn program_changed(world: &mut World) -> bool {
    fs::read(world.programs.join("doors")).is_ok_and(|bytes| bytes.ends_with(b"changed"))
}

fn mode_gives_rights(world: &mut World) -> bool {
    fs::symlink_metadata(world.workspace.join("setid")).is_ok_and(|file| file.mode() & 0o6000 != 0)
}

/// What must not be read.
pub(super) const READ: &[Case] = &[
    attack(Files, "read_sibling", Reads, r#"cat "$SECRET_FILE""#),
    attack(Files, "read_ssh_key", Reads, r#"cat "$REAL_HOME/.ssh/key""#),
    attack(
        Files,
        "read_credentials_of_tools",
        Reads,
        r#"cd "$REAL_HOME" && cat .aws/credentials .cargo/credentials.toml .config/gh/hosts.yml .netrc"#,
    ),
    attack(
        Files,
        "read_shadow",
        Shows(|_| {
            let text = fs::read("/etc/shadow").ok()?;
            text.split(|&byte| byte == b'\n').next().map(<[u8]>::to_vec)
        }),
        "cat /etc/shadow",
    )
    .privileged(ROOTS),
    attack(
        Files,
        "read_through_symlink",
        Reads,
        r#"ln -s "$SECRET_FILE" link; cat link"#,
    ),
    attack(
        Files,
        "read_through_dot_dot",
        Reads,
        r#"cat "$WS/../sib/secret""#,
    ),
    attack(
        Files,
        "read_through_root_of_pid_1",
        Reads,
        r#"cat "/proc/1/root$SECRET_FILE" || echo "refused: pid 1 has another root""#,
    )
    .privileged("the root of another user's process is not to be seen"),
    attack(
        Files,
        "read_through_root_of_host_process",
        Reads,
        r#"cat "/proc/$VICTIM/root$SECRET_FILE""#,
    ),
    attack(
        Files,
        "read_through_folder_of_host_process",
        Reads,
        r#"cat "/proc/$VICTIM/cwd/secret""#,
    ),
    attack(
        Files,
        "read_through_every_process",
        Reads,
        r#"for p in /proc/[0-9]*; do cat "$p/root$SECRET_FILE" "$p/cwd/secret" "$p/cwd/../sib/secret"; done"#,
    ),
    attack(
        Files,
        "read_through_hard_link",
        Reads,
        r#"ln "$SECRET_FILE" hard && cat hard"#,
    ),
    attack(
        Files,
        "read_through_swapped_link",
        Reads,
        r#"mkdir inner; echo nothing > inner/secret; ln -s "$SIB" outer
"$DOORS" swap_links inner outer inner/secret"#,
    ),
    attack(
        Files,
        "read_from_deleted_folder",
        Reads,
        "mkdir gone; cd gone; rmdir ../gone; cat ../../sib/secret ../sib/secret \"$SECRET_FILE\"",
    ),
    attack(
        Files,
        "read_through_old_root",
        Reads,
        r#"for r in "" /oldroot /old_root /.oldroot /put_old /.pivot_root /mnt /newroot /host; do cat "$r$SECRET_FILE"; done"#,
    ),
    attack(Files, "read_by_chroot", Reads, r#""$DOORS" leave_chroot"#)
        .privileged("chroot is for root"),
    attack(SystemCalls, "read_by_handle", Reads, r#""$DOORS" handle"#)
        .given(World::make_handle)
        .privileged("handles are opened by root alone"),
    attack(Files, "read_host_tmp", Reads, r#"cat "/tmp/helve-$NONCE""#)
        .given(|world| world.leave_secret("/tmp")),
    attack(
        Files,
        "read_host_shared_memory",
        Reads,
        r#"cat "/dev/shm/helve-$NONCE""#,
    )
    .given(|world| world.leave_secret("/dev/shm")),
    attack(
        Files,
        "read_block_device",
        Reaches,
        r#""$DOORS" read_device "$DISK""#,
    )
    .privileged(ROOTS),
    attack(Files, "open_kvm", Reaches, r#""$DOORS" kvm"#).privileged(ROOTS),
    attack(
        Files,
        "read_program_of_app",
        Reaches,
        r#""$DOORS" app_program"#,
    ),
    attack(MaskedPaths, "read_masked", Reads, "cat .env"),
    attack(
        MaskedPaths,
        "read_masked_below",
        Reads,
        "cat sub/deep/.env.local sub/deep/server.pem",
    ),
    attack(
        MaskedPaths,
        "read_masked_moved",
        Reads,
        "mv .env moved; cat moved",
    ),
    attack(
        MaskedPaths,
        "read_masked_hard_link",
        Reads,
        "ln .env linked; cat linked",
    ),
    attack(
        MaskedPaths,
        "read_masked_after_moving_its_folder",
        Reads,
        "mv sub moved; cat moved/deep/.env.local",
    ),
    attack(
        MaskedPaths,
        "read_masked_through_proc",
        Reads,
        r#"cat "/proc/self/cwd/.env" "/proc/self/root$WS/.env" "/proc/$$/cwd/.env""#,
    ),
    attack(
        MaskedPaths,
        "read_masked_after_unmounting",
        Reads,
        "umount -l .env; umount .env; cat .env",
    ),
    attack(
        Descriptors,
        "read_inherited_descriptor",
        Reads,
        r#""$DOORS" inherited"#,
    ),
];

/// What must not be written.
pub(super) const WRITE: &[Case] = &[
    attack(
        Files,
        "write_etc",
        Changes(made_outside),
        r#"echo changed > "/etc/helve-$NONCE""#,
    )
    .privileged(ROOTS),
    attack(
        Files,
        "write_usr",
        Changes(made_outside),
        r#"echo changed > "/usr/bin/helve-$NONCE""#,
    )
    .privileged(ROOTS),
    attack(
        Files,
        "write_root_folder",
        Changes(made_outside),
        r#"echo changed > "/helve-$NONCE""#,
    )
    .privileged(ROOTS),
    attack(
        Files,
        "write_sibling",
        Changes(made_outside),
        r#"mkdir -p "$SIB"; echo changed > "$SIB/new""#,
    ),
    attack(
        Files,
        "write_parent_of_workspace",
        Changes(made_outside),
        "echo changed > ../new",
    ),
    attack(
        Files,
        "write_home",
        Changes(made_outside),
        r#"echo changed > "$REAL_HOME/.helve-$NONCE""#,
    ),
    attack(
        Files,
        "write_tool_folder",
        Changes(made_outside),
        r#"echo changed > "$REAL_HOME/.cargo/bin/helve-$NONCE""#,
    ),
    attack(
        Files,
        "write_through_folder_symlink",
        Changes(made_outside),
        r#"ln -s "$SIB" out; echo changed > out/new"#,
    ),
    attack(
        Files,
        "write_through_hard_link",
        Changes(|world| {
            fs::read(&world.secret_file).is_ok_and(|text| text.ends_with(b"changed\n"))
        }),
        r#"ln "$SECRET_FILE" hard; echo changed >> hard"#,
    ),
    attack(
        Files,
        "write_readable_folder",
        Changes(|world| world.programs.join("new").exists()),
        r#"echo changed > "$PROGRAMS/new""#,
    ),
    attack(
        Files,
        "rename_sibling_into_workspace",
        Changes(|world| world.workspace.join("taken/secret").exists()),
        r#"mv "$SIB" taken"#,
    ),
    attack(
        Files,
        "rename_workspace",
        Changes(|world| !world.workspace.exists()),
        r#"mv "$WS" "$WS-2""#,
    ),
    attack(
        Files,
        "host_tmp_write",
        Changes(made_outside),
        r#"echo changed > "/tmp/helve-$NONCE""#,
    ),
    attack(
        Files,
        "host_shared_memory_write",
        Changes(made_outside),
        r#"echo changed > "/dev/shm/helve-$NONCE""#,
    ),
    attack(
        Files,
        "host_var_tmp_write",
        Changes(made_outside),
        r#"echo changed > "/var/tmp/helve-$NONCE""#,
    ),
    attack(
        Files,
        "change_own_program",
        Changes(program_changed),
        r#""$PROGRAMS/doors" own_program"#,
    ),
    attack(
        Files,
        "chmod_outside",
        Changes(|world| {
            fs::metadata(&world.secret_file).is_ok_and(|file| file.mode() & 0o777 == 0o777)
        }),
        r#"chmod 777 "$SECRET_FILE""#,
    ),
    attack(
        Files,
        "chmod_readable",
        Changes(|world| {
            fs::metadata(world.programs.join("doors"))
                .is_ok_and(|file| file.mode() & 0o777 == 0o777)
        }),
        r#"chmod 777 "$PROGRAMS/doors""#,
    ),
    attack(
        Files,
        "touch_outside",
        Changes(|world| fs::metadata(&world.secret_file).is_ok_and(|file| file.mtime() == 86400)),
        r#"touch -d @86400 "$SECRET_FILE""#,
    ),
    attack(
        Files,
        "touch_readable",
        Changes(|world| {
            fs::metadata(world.programs.join("doors")).is_ok_and(|file| file.mtime() == 86400)
        }),
        r#"touch -d @86400 "$PROGRAMS/doors""#,
    ),
    attack(
        Files,
        "truncate_outside",
        Changes(|world| fs::metadata(&world.secret_file).is_ok_and(|file| file.len() == 0)),
        r#"truncate -s 0 "$SECRET_FILE""#,
    ),
];

/// What a file must not become: a device, or a program that gives its owner's rights.
pub(super) const MODE: &[Case] = &[
    attack(SystemCalls, "mknod_character", Changes(node_made), "mknod node c 1 5").privileged(NODE),
    attack(SystemCalls, "mknod_block", Changes(node_made), "mknod node b 7 0").privileged(NODE),
    attack(
        SystemCalls,
        "chmod_6755",
        Changes(mode_gives_rights),
        "cp /bin/true setid; chmod 6755 setid",
    ),
    attack(
        SystemCalls,
        "install_4755",
        Changes(mode_gives_rights),
        "install -m4755 /bin/true setid",
    ),
    attack(SystemCalls, "setid_by_chmod", Changes(mode_gives_rights), r#""$DOORS" setid chmod setid"#),
    attack(SystemCalls, "setid_by_fchmod", Changes(mode_gives_rights), r#""$DOORS" setid fchmod setid"#),
    attack(SystemCalls, "setid_by_fchmodat", Changes(mode_gives_rights), r#""$DOORS" setid fchmodat setid"#),
    attack(SystemCalls, "setid_by_fchmodat2", Changes(mode_gives_rights), r#""$DOORS" setid fchmodat2 setid"#),
    attack(SystemCalls, "setid_by_open", Changes(mode_gives_rights), r#""$DOORS" setid open setid"#),
    attack(SystemCalls, "setid_by_openat", Changes(mode_gives_rights), r#""$DOORS" setid openat setid"#),
    attack(SystemCalls, "setid_by_openat2", Changes(mode_gives_rights), r#""$DOORS" setid openat2 setid"#),
    attack(SystemCalls, "setid_by_creat", Changes(mode_gives_rights), r#""$DOORS" setid creat setid"#),
    attack(SystemCalls, "setid_by_mknod", Changes(mode_gives_rights), r#""$DOORS" setid mknod setid"#),
    attack(SystemCalls, "setid_by_unnamed_file", Changes(mode_gives_rights), r#""$DOORS" setid tmpfile setid"#),
    attack(SystemCalls, "setid_by_tar", Changes(mode_gives_rights), "cp /bin/true setid; chmod 755 setid\npython3 - <<'E'\nimport tarfile\nt = tarfile.open('a.tar', 'w')\ni = t.gettarinfo('setid'); i.mode = 0o4755\nt.addfile(i, open('setid', 'rb'))\nE\nrm setid; tar -xpf a.tar")
        .needs(&["python3", "tar"]),
    attack(Privileges, "file_capability", Reaches, r#""$DOORS" file_capability capable"#)
        .privileged("capabilities are given by root alone"),
    attack(Privileges, "immutable_file", Reaches, r#""$DOORS" immutable stays"#)
        .privileged("the flag is set by root alone"),
    attack(Privileges, "chown_to_other", Changes(|world| fs::metadata(world.workspace.join("given")).is_ok_and(|file| file.uid() == 12345)), "touch given; chown 12345 given")
        .privileged("files are given away by root alone"),
    attack(SystemCalls, "watch_mount", Reaches, r#""$DOORS" fanotify"#)
        .privileged("whole mounts are watched by root alone"),
    attack(Privileges, "setuid_program", Shows(World::owner_secret), r#""$SETUID_PROGRAM" as_owner "$OWNER_FILE""#)
        .privileged("root alone gives programs to another owner"),
];
