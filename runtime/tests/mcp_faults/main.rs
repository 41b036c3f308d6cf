//! helve's client against a server that does what no server should: each fault over each transport, beside a good
//! server, in a process of its own whose memory is counted. The program is its own client and its own server, so it has
//! a `main` of its own.

#![allow(clippy::unwrap_used, reason = "tests panic")]

#[cfg(target_os = "linux")]
mod cases;
#[cfg(target_os = "linux")]
mod client;
#[cfg(target_os = "linux")]
mod hostile;
#[cfg(target_os = "linux")]
mod run;

fn main() {
    #[cfg(target_os = "linux")]
    run::main();
    #[cfg(not(target_os = "linux"))]
    println!("ran nothing: memory is read from /proc");
}
