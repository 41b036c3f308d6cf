//! Other processes, and the rights to rule over them.

use std::fs;

use helve_runtime::sandbox::Layer::{Environment, Limits, Privileges, Processes, SystemCalls};

use crate::escape::case::Proof::{Changes, Reaches, Reads};
use crate::escape::case::{Case, attack};
use crate::escape::world::World;

/// Attacks on processes.
pub(super) const CASES: &[Case] = &[
    attack(Processes, "environment_of_host_process", Reads, r#"cat "/proc/$VICTIM/environ""#),
    attack(Processes, "arguments_of_host_process", Reads, r#"cat "/proc/$VICTIM/cmdline""#),
    attack(Processes, "arguments_of_every_process", Reads, "cat /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/environ | tr '\\0' '\\n'"),
    attack(Processes, "kill_host_process", Changes(World::victim_dead), r#"kill -9 "$VICTIM""#),
    attack(Processes, "kill_everything", Changes(World::victim_dead), r#"case "$RUNNER" in plain) kill -9 "$VICTIM";; *) kill -9 -1;; esac"#),
    attack(Processes, "badness_of_host_process", Changes(|world| {
        fs::read_to_string(format!("/proc/{}/oom_score_adj", world.victim_id())).is_ok_and(|text| text.trim() == "700")
    }), r#"echo 700 > "/proc/$VICTIM/oom_score_adj""#),
    attack(Privileges, "badness_below_zero", Reaches, r#"echo -900 > /proc/self/oom_score_adj && grep -q -- -900 /proc/self/oom_score_adj && echo "reached $NONCE" || echo "refused: badness""#)
        .privileged("only root spares itself"),
    attack(Processes, "limits_of_host_process", Reaches, r#""$DOORS" limit_host"#),
    attack(Processes, "processors_of_host_process", Reaches, r#""$DOORS" pin_host"#),
    attack(SystemCalls, "trace_host_process", Reaches, r#""$DOORS" trace_host"#),
    attack(SystemCalls, "trace_child", Reaches, r#""$DOORS" trace_child"#),
    attack(SystemCalls, "read_memory_of_host_process", Reads, r#""$DOORS" read_memory host"#),
    attack(SystemCalls, "read_memory_of_child", Reaches, r#""$DOORS" read_memory child"#),
    attack(Processes, "memory_file_of_host_process", Reads, r#""$DOORS" proc_memory"#),
    attack(SystemCalls, "descriptor_of_host_process", Reaches, r#""$DOORS" steal_descriptor host"#),
    attack(Processes, "shared_memory", Reads, r#""$DOORS" shared_memory"#),
    attack(Processes, "message_queue", Reads, r#""$DOORS" message_queue"#).given(World::make_queue),
    attack(SystemCalls, "keyring_of_user", Reads, r#""$DOORS" keyring_steal"#).given(World::make_key),
    attack(SystemCalls, "namespaces_of_host_process", Reaches, r#""$DOORS" enter"#)
        .privileged("other namespaces are entered by root alone"),
    attack(Privileges, "real_time", Reaches, r#""$DOORS" real_time"#).privileged("only root runs in real time"),
    attack(Privileges, "higher_priority", Reaches, r#""$DOORS" raise_priority"#).privileged("only root goes first"),
    attack(Privileges, "change_user", Reaches, r#""$DOORS" change_user"#).privileged("only root becomes another user"),
    attack(Privileges, "su", Reaches, r#"su -s /bin/sh -c 'echo "reached $NONCE"' nobody"#).needs(&["su"]).privileged("a password is asked for"),
    attack(Privileges, "sudo", Reaches, r#"sudo -n -u nobody sh -c "echo reached $NONCE""#).needs(&["sudo"]).privileged("a password is asked for"),
    attack(Environment, "variable_of_app", Reads, "env; tr '\\0' '\\n' < /proc/self/environ"),
    attack(Environment, "environment_of_every_process", Reads, "cat /proc/[0-9]*/environ | tr '\\0' '\\n'"),
    attack(Limits, "core_dump", Changes(|world| {
        fs::read_dir(&world.workspace).is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("core")))
    }), "case \"$(cat /proc/sys/kernel/core_pattern)\" in core*) ;; *) echo 'refused: cores do not go into the folder';; esac\n\"$DOORS\" core_dump"),
];
