//! The oracle: generated command lines run in the real bash, and whatever ran or was written has to be in the analysis,
//! or the verdict was not to allow.
//!
//! Each worker is this binary, as the first process of an empty sandbox (`sandbox.sh`), where a recorder (`recorder.c`)
//! is loaded into every program. `HELVE_ORACLE_LINES` says how many allowed lines run (20,000), `HELVE_ORACLE_SEED` with
//! which numbers, `HELVE_ORACLE_OUT` a file to which violations are appended.

#[cfg(target_os = "linux")]
mod bash;
#[cfg(target_os = "linux")]
mod generate;
#[cfg(target_os = "linux")]
#[path = "../../../tests/support/isolation.rs"]
mod isolation;
#[cfg(target_os = "linux")]
mod log;
#[cfg(target_os = "linux")]
mod properties;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod rng;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod shrink;
#[cfg(target_os = "linux")]
mod stage;
#[cfg(target_os = "linux")]
mod subject;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod worker;

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    return run::main();
    #[cfg(not(target_os = "linux"))]
    {
        println!("oracle: not run, it needs the namespaces of Linux");
        std::process::ExitCode::SUCCESS
    }
}
