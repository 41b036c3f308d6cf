//! How much of the machine a command takes, and for how long.

use helve_runtime::sandbox::Layer::{Lifetime, Limits};

use crate::escape::case::Proof::{ChangesState, PrintsReached};
use crate::escape::case::{EscapeCase, attack};
use crate::escape::fixture::EscapeWorld;

fn big_file(world: &mut EscapeWorld) -> bool {
    world
        .workspace
        .join("big")
        .metadata()
        .is_ok_and(|file| file.len() >= 200 << 20)
}

/// Attacks on the machine's resources. Those that leave something running wait until it stands.
pub(super) const CASES: &[EscapeCase] = &[
    attack(Limits, "forks_400", PrintsReached, r#""$DOORS" forks 400"#),
    attack(Limits, "threads_400", PrintsReached, r#""$DOORS" threads 400"#),
    attack(
        Limits,
        "memory_above_2_gib",
        PrintsReached,
        r#""$DOORS" memory private 2112"#,
    ),
    attack(
        Limits,
        "shared_memory_above_2_gib",
        PrintsReached,
        r#""$DOORS" memory shared 2112"#,
    )
    .with_known_gap("shared memory is counted by control groups alone, and not reliably by those of the first version"),
    attack(
        Limits,
        "fill_shared_memory_folder",
        PrintsReached,
        r#""$DOORS" fill /dev/shm 2112"#,
    ),
    attack(Limits, "fill_tmp", PrintsReached, r#""$DOORS" fill /tmp 2112"#),
    attack(
        Limits,
        "fill_home",
        PrintsReached,
        r#""$DOORS" fill "$REAL_HOME" 2112"#,
    ),
    attack(
        Limits,
        "file_of_200_mb",
        ChangesState(big_file),
        "head -c 209715200 /dev/zero > big",
    ),
    attack(
        Limits,
        "sparse_file_of_200_mb",
        ChangesState(big_file),
        "truncate -s 200M big",
    ),
    attack(
        Limits,
        "descriptors_5000",
        PrintsReached,
        r#""$DOORS" descriptors 5000"#,
    ),
    attack(
        Lifetime,
        "daemon",
        ChangesState(EscapeWorld::still_runs),
        r#"setsid sh -c 'echo > up; sleep 600; : '"$NONCE" </dev/null >/dev/null 2>&1 & until [ -e up ]; do :; done"#,
    ),
    attack(
        Lifetime,
        "daemon_twice_forked",
        ChangesState(EscapeWorld::still_runs),
        r#"(setsid sh -c '(trap "" TERM HUP INT; echo > up; sleep 600; : '"$NONCE"') & ' </dev/null >/dev/null 2>&1 &); until [ -e up ]; do :; done"#,
    ),
    attack(
        Lifetime,
        "daemon_holds_output",
        ChangesState(EscapeWorld::still_runs),
        r#"setsid sh -c 'echo > up; sleep 600; : '"$NONCE" & until [ -e up ]; do :; done"#,
    ),
    attack(
        Lifetime,
        "stopped_child",
        ChangesState(EscapeWorld::still_runs),
        r#"sh -c 'echo > up; kill -STOP $$; : '"$NONCE" </dev/null >/dev/null 2>&1 & until [ -e up ]; do :; done"#,
    ),
];
