//! Which model the agent works with: a recording, the one that was chosen, or the app's own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgMatches, value_parser};

use crate::cli::assembly::Assembly;
use crate::cli::config::{Config, ConfigError};
#[cfg(feature = "models")]
use crate::cli::providers;
use crate::model::{Model, ModelError, RecordingError, ReplayModel};

/// The flags `--replay` and `--record`.
pub(in crate::cli) fn recording_arguments() -> [Arg; 2] {
    let file = |name: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
    };
    [
        file("replay").help("Let a recorded model speak in place of a real one"),
        file("record").help("Write what the model says to this file, for --replay and for tests"),
    ]
}

/// Returns where the model is to be recorded.
pub(super) fn record(matches: &ArgMatches) -> Option<&Path> {
    matches.get_one::<PathBuf>("record").map(PathBuf::as_path)
}

/// Says why there is no model to work with.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum ChoiceError {
    /// Nobody chose one.
    #[error("{0}")]
    None(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A recording cannot be played.
    #[error("{}: {why}", file.display())]
    Replay { file: PathBuf, why: RecordingError },
}

/// Finds the model.
pub(in crate::cli) fn model(
    assembly: &Assembly,
    config: &Config,
    matches: &ArgMatches,
) -> Result<Arc<dyn Model>, ChoiceError> {
    if let Some(file) = matches.get_one::<PathBuf>("replay") {
        let played = ReplayModel::open(file);
        return match played {
            Ok(model) => Ok(Arc::new(model)),
            Err(why) => Err(ChoiceError::Replay {
                file: file.clone(),
                why,
            }),
        };
    }
    if let Some(model) = chosen(config)? {
        return Ok(model);
    }
    let own = assembly.model.clone();
    own.ok_or_else(|| ChoiceError::None(advice(assembly, config)))
}

#[cfg(feature = "models")]
fn chosen(config: &Config) -> Result<Option<Arc<dyn Model>>, ChoiceError> {
    providers::chosen(config)
}

#[cfg(not(feature = "models"))]
fn chosen(config: &Config) -> Result<Option<Arc<dyn Model>>, ChoiceError> {
    let Some(model) = config.text(["model"])? else {
        return Ok(None);
    };
    Err(ChoiceError::None(format!(
        "`{}` (chosen by {}) needs the feature `models` of helve, which this program was built without",
        model.value, model.origin
    )))
}

/// Says what to do to whoever starts for the first time.
#[cfg(feature = "models")]
fn advice(assembly: &Assembly, config: &Config) -> String {
    let keys = providers::advice(config);
    format!(
        "no model is chosen: say which with `--model PROVIDER/MODEL`, as the variable HELVE_MODEL, or for good with \
         `model = \"PROVIDER/MODEL\"` in {}\n{keys}\nA recording needs no model: `--replay FILE`. What is set and what is \
         missing: `{} doctor`",
        crate::cli::config::user_file(),
        assembly.binary()
    )
}

#[cfg(not(feature = "models"))]
fn advice(_: &Assembly, _: &Config) -> String {
    "this app has no model: give it one with `.model(…)`, build it with the feature `models` of helve to choose one with \
     `--model`, or play a recording with `--replay FILE`"
        .to_owned()
}
