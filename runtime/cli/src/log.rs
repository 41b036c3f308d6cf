//! `--log`: writes traces to standard error or to a file, and never to standard output.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgMatches};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use super::args;
use super::log_mask::MaskedLog;
use helve_storage::private_files;

/// The environment variable of the flag.
const LOG_VARIABLE: &str = "HELVE_LOG";

/// The level if only `--log-file` is given.
const DEFAULT_LEVEL: &str = "info";

/// The flags `--log` and `--log-file`.
pub(super) fn arguments() -> [Arg; 2] {
    let filter = args::option(
        "log",
        "LEVEL",
        "Log to standard error: error, warn, info, debug, trace, or a filter such as `helve_agent=debug` [env: HELVE_LOG]",
    );
    let file = args::option("log-file", "FILE", "Append the log to this file instead");
    let file = file.value_parser(clap::value_parser!(PathBuf));
    [filter, file]
}

/// The reason why logging cannot be started.
#[derive(Debug, thiserror::Error)]
pub(super) enum LogError {
    #[error(
        "invalid log filter `{filter}` (from {origin}): expected error, warn, info, debug, trace, or a filter such as \
         `helve_agent=debug`"
    )]
    Filter {
        filter: String,
        origin: &'static str,
    },
    #[error("failed to open the log file `{}`", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Starts logging if it is enabled. If the process already has a subscriber, that subscriber is kept.
pub(super) fn start(matches: &ArgMatches) -> Result<(), LogError> {
    let file = matches.get_one::<PathBuf>("log-file");
    let Some((filter, origin)) = filter(matches, file.is_some()) else {
        return Ok(());
    };
    let Some(filter) = parse(&filter) else {
        return Err(LogError::Filter { filter, origin });
    };
    let writer = match file {
        Some(path) => BoxMakeWriter::new(MaskedLog(Arc::new(open(path)?))),
        None => BoxMakeWriter::new(MaskedLog(io::stderr)),
    };
    let log = tracing_subscriber::fmt::layer()
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(writer)
        .with_filter(filter);
    // The process may already have a subscriber.
    let _ = tracing_subscriber::registry().with(log).try_init();
    Ok(())
}

/// Parses a filter. A level without a target applies to the program, and not to the bytes of connections to providers.
fn parse(filter: &str) -> Option<Targets> {
    let level = filter.to_ascii_lowercase();
    let is_level = LEVELS.contains(&level.as_str());
    // `Targets` accepts other words as the name of a target, which does not exist.
    if !is_level && !filter.contains('=') {
        return None;
    }
    let is_chatty = is_level && matches!(&*level, "info" | "debug" | "trace");
    let filter = match is_chatty {
        true => format!("{level},{QUIET_TARGETS}"),
        false => filter.to_owned(),
    };
    filter.parse().ok()
}

/// The targets that a level without a target excludes.
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

/// Opens a file for appending. Only the user can read it, since the log may contain conversations.
fn open(path: &Path) -> Result<File, LogError> {
    let mut options = private_files::options();
    options.append(true).create(true);
    options.open(path).map_err(|source| LogError::File {
        path: path.to_owned(),
        source,
    })
}
