//! How much of the machine a command takes, and for how long.

use helve_runtime::sandbox::Layer::{Lifetime, Limits};

use crate::escape::case::Proof::{Changes, Reaches};
use crate::escape::case::{Case, attack};
use crate::escape::world::World;

fn big_file(world: &mut World) -> bool {
    world
        .workspace
        .join("big")
        .metadata()
        .is_ok_and(|file| file.len() >= 200 << 20)
}

/// Attacks on the machine's resources. Those that leave something running wait until it stands.
pub(super) const CASES: &[Case] = &[
    attack(Limits, "forks_400", Reaches, r#""$DOORS" forks 400"#),
    attack(Limits, "threads_400", Reaches, r#""$DOORS" threads 400"#),
    attack(
        Limits,
        "memory_above_2_gib",
        Reaches,
        r#""$DOORS" memory private 2112"#,
    ),
    attack(
        Limits,
        "shared_memory_above_2_gib",
        Reaches,
        r#""$DOORS" memory shared 2112"#,
    )
    .known("shared memory is counted by control groups alone, and not reliably by those of the first version"),
    attack(
        Limits,
        "fill_shared_memory_folder",
        Reaches,
        r#""$DOORS" fill /dev/shm 2112"#,
    ),
    attack(Limits, "fill_tmp", Reaches, r#""$DOORS" fill /tmp 2112"#),
    attack(
        Limits,
        "fill_home",
        Reaches,
        r#""$DOORS" fill "$REAL_HOME" 2112"#,
    ),
    attack(
        Limits,
        "file_of_200_mb",
        Changes(big_file),
        "head -c 209715200 /dev/zero > big",
    ),
    attack(
        Limits,
        "sparse_file_of_200_mb",
        Changes(big_file),
        "truncate -s 200M big",
    ),
    attack(
        Limits,
        "descriptors_5000",
        Reaches,
        r#""$DOORS" descriptors 5000"#,
    ),
    attack(
        Lifetime,
        "daemon",
        Changes(World::still_runs),
        r#"setsid sh -c 'echo > up; sleep 600; : '"$NONCE" </dev/null >/dev/null 2>&1 & until [ -e up ]; do :; done"#,
    ),
    attack(
        Lifetime,
        "daemon_twice_forked",
        Changes(World::still_runs),
        r#"(setsid sh -c '(trap "" TERM HUP INT; echo > up; sleep 600; : '"$NONCE"') & ' </dev/null >/dev/null 2>&1 &); until [ -e up ]; do :; done"#,
    ),
    attack(
        Lifetime,
        "daemon_holds_output",
        Changes(World::still_runs),
        r#"setsid sh -c 'echo > up; sleep 600; : '"$NONCE" & until [ -e up ]; do :; done"#,
    ),
    attack(
        Lifetime,
        "stopped_child",
        Changes(World::still_runs),
        r#"sh -c 'echo > up; kill -STOP $$; : '"$NONCE" </dev/null >/dev/null 2>&1 & until [ -e up ]; do :; done"#,
    ),
];
