//! `--log`: what the program traces, on standard error or in a file, and never on standard output.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgMatches};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use helve_core::support::private_files;

/// The variable that says the same as the flag.
const LOG_VARIABLE: &str = "HELVE_LOG";

/// What holds where only a file is named.
const DEFAULT_LEVEL: &str = "info";

/// The flags `--log` and `--log-file`.
pub(super) fn arguments() -> [Arg; 2] {
    let filter = Arg::new("log")
        .long("log")
        .global(true)
        .value_name("LEVEL")
        .help("Log to standard error: error, warn, info, debug, trace, or a filter such as `helve_agent=debug` [env: HELVE_LOG]");
    let file = Arg::new("log-file")
        .long("log-file")
        .global(true)
        .value_name("FILE")
        .value_parser(clap::value_parser!(PathBuf))
        .help("Log to the end of this file instead");
    [filter, file]
}

/// Says why nothing can be logged.
#[derive(Debug, thiserror::Error)]
pub(super) enum LogError {
    #[error(
        "`{filter}` (from {origin}) says no level: write error, warn, info, debug or trace, or a filter such as `helve_agent=debug`"
    )]
    Filter {
        filter: String,
        origin: &'static str,
    },
    #[error("the log cannot be written to `{}`", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Starts to log, where that was asked for. Where the program has a log of its own already, that one stays.
pub(super) fn start(matches: &ArgMatches) -> Result<(), LogError> {
    let file = matches.get_one::<PathBuf>("log-file");
    let Some((filter, origin)) = filter(matches, file.is_some()) else {
        return Ok(());
    };
    let Some(filter) = parse(&filter) else {
        return Err(LogError::Filter { filter, origin });
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false);
    // Who started us may have set a log of their own.
    let _ = match file {
        Some(path) => log.with_writer(Arc::new(open(path)?)).try_init(),
        None => log.with_writer(io::stderr).try_init(),
    };
    Ok(())
}

/// Reads a filter. A level alone is meant of what the program does, not of each byte on the way to a provider.
fn parse(filter: &str) -> Option<EnvFilter> {
    let level = filter.to_ascii_lowercase();
    let is_level = LEVELS.contains(&level.as_str());
    // A word that is no level passes for the name of a target, of which there is none.
    if !is_level && !filter.contains('=') {
        return None;
    }
    let is_chatty = is_level && matches!(&*level, "info" | "debug" | "trace");
    let filter = match is_chatty {
        true => format!("{level},{QUIET_TARGETS}"),
        false => filter.to_owned(),
    };
    EnvFilter::try_new(filter).ok()
}

/// What a level alone leaves out.
const QUIET_TARGETS: &str =
    "h2=warn,hyper=warn,hyper_util=warn,reqwest=warn,rustls=warn,rustyline=warn";

const LEVELS: [&str; 6] = ["error", "warn", "info", "debug", "trace", "off"];

fn filter(matches: &ArgMatches, to_file: bool) -> Option<(String, &'static str)> {
    if let Some(filter) = matches.get_one::<String>("log") {
        return Some((filter.trim().to_owned(), "--log"));
    }
    let variable = std::env::var(LOG_VARIABLE).ok();
    let variable = variable.map(|filter| filter.trim().to_owned());
    match variable.filter(|filter| !filter.is_empty()) {
        Some(filter) => Some((filter, LOG_VARIABLE)),
        None => to_file.then(|| (DEFAULT_LEVEL.to_owned(), "--log-file")),
    }
}

/// Opens a file to write at its end. It is the user's alone: what is logged may be of a conversation.
fn open(path: &Path) -> Result<File, LogError> {
    let mut options = private_files::options();
    options.append(true).create(true);
    options.open(path).map_err(|source| LogError::File {
        path: path.to_owned(),
        source,
    })
}
