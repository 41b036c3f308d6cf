//! Skills laid out as files: by many processes at once, by processes that are killed, on disks that are full.
//!
//! The program starts itself again as the process that projects, so it has a `main` of its own.

#![allow(clippy::unwrap_used, reason = "tests panic")]

#[cfg(unix)]
mod disks;
#[cfg(unix)]
mod places;
#[cfg(unix)]
mod processes;
#[cfg(unix)]
mod trees;
#[cfg(unix)]
mod world;

#[cfg(unix)]
fn main() {
    if let Some(role) = std::env::var_os(world::ROLE) {
        processes::play(&role.to_string_lossy());
        return;
    }
    let arguments = libtest_mimic::Arguments::from_args();
    let tests = [
        processes::tests(),
        places::tests(),
        disks::tests(),
        trees::tests(),
    ];
    libtest_mimic::run(&arguments, tests.into_iter().flatten().collect()).exit();
}

#[cfg(not(unix))]
fn main() {
    println!("skills are laid out on Unix alone: nothing was run");
}
