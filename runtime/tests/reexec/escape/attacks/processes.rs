//! Other processes, and the rights to rule over them.

use std::fs;

use helve_runtime::sandbox::Layer::{Environment, Limits, Privileges, Processes, SystemCalls};

use crate::escape::case::Proof::{ChangesState, PrintsReached, PrintsSecret};
use crate::escape::case::{EscapeCase, attack};
use crate::escape::fixture::EscapeWorld;

/// Attacks on processes.
pub(super) const CASES: &[EscapeCase] = &[
    attack(Processes, "environment_of_host_process", PrintsSecret, r#"cat "/proc/$VICTIM/environ""#),
    attack(Processes, "arguments_of_host_process", PrintsSecret, r#"cat "/proc/$VICTIM/cmdline""#),
    attack(Processes, "arguments_of_every_process", PrintsSecret, "cat /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/environ | tr '\\0' '\\n'"),
    attack(Processes, "kill_host_process", ChangesState(EscapeWorld::is_victim_dead), r#"kill -9 "$VICTIM""#),
    attack(Processes, "kill_everything", ChangesState(EscapeWorld::is_victim_dead), r#"case "$RUNNER" in plain) kill -9 "$VICTIM";; *) kill -9 -1;; esac"#),
    attack(Processes, "badness_of_host_process", ChangesState(|world| {
        fs::read_to_string(format!("/proc/{}/oom_score_adj", world.victim_id())).is_ok_and(|text| text.trim() == "700")
    }), r#"echo 700 > "/proc/$VICTIM/oom_score_adj""#),
    attack(Privileges, "badness_below_zero", PrintsReached, r#"echo -900 > /proc/self/oom_score_adj && grep -q -- -900 /proc/self/oom_score_adj && echo "reached $NONCE" || echo "refused: badness""#)
        .root_only("only root spares itself"),
    attack(Processes, "limits_of_host_process", PrintsReached, r#""$DOORS" limit_host"#),
    attack(Processes, "processors_of_host_process", PrintsReached, r#""$DOORS" pin_host"#),
    attack(SystemCalls, "trace_host_process", PrintsReached, r#""$DOORS" trace_host"#),
    attack(SystemCalls, "trace_child", PrintsReached, r#""$DOORS" trace_child"#),
    attack(SystemCalls, "read_memory_of_host_process", PrintsSecret, r#""$DOORS" read_memory host"#),
    attack(SystemCalls, "read_memory_of_child", PrintsReached, r#""$DOORS" read_memory child"#),
    attack(Processes, "memory_file_of_host_process", PrintsSecret, r#""$DOORS" proc_memory"#),
    attack(SystemCalls, "descriptor_of_host_process", PrintsReached, r#""$DOORS" steal_descriptor host"#),
    attack(Processes, "shared_memory", PrintsSecret, r#""$DOORS" shared_memory"#),
    attack(Processes, "message_queue", PrintsSecret, r#""$DOORS" message_queue"#).with_setup(EscapeWorld::make_queue),
    attack(SystemCalls, "keyring_of_user", PrintsSecret, r#""$DOORS" keyring_steal"#).with_setup(EscapeWorld::make_key),
    attack(SystemCalls, "namespaces_of_host_process", PrintsReached, r#""$DOORS" enter"#)
        .root_only("other namespaces are entered by root alone"),
    attack(Privileges, "real_time", PrintsReached, r#""$DOORS" real_time"#).root_only("only root runs in real time"),
    attack(Privileges, "higher_priority", PrintsReached, r#""$DOORS" raise_priority"#).root_only("only root goes first"),
    attack(Privileges, "change_user", PrintsReached, r#""$DOORS" change_user"#).root_only("only root becomes another user"),
    attack(Privileges, "su", PrintsReached, r#"su -s /bin/sh -c 'echo "reached $NONCE"' nobody"#).with_programs(&["su"]).root_only("a password is asked for"),
    attack(Privileges, "sudo", PrintsReached, r#"sudo -n -u nobody sh -c "echo reached $NONCE""#).with_programs(&["sudo"]).root_only("a password is asked for"),
    attack(Environment, "variable_of_app", PrintsSecret, "env; tr '\\0' '\\n' < /proc/self/environ"),
    attack(Environment, "environment_of_every_process", PrintsSecret, "cat /proc/[0-9]*/environ | tr '\\0' '\\n'"),
    attack(Limits, "core_dump", ChangesState(|world| {
        fs::read_dir(&world.workspace).is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("core")))
    }), "case \"$(cat /proc/sys/kernel/core_pattern)\" in core*) ;; *) echo 'refused: cores do not go into the folder';; esac\n\"$DOORS\" core_dump"),
];
