//! The model of the agent: a recording, the model that the settings choose, or the model of the app.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Arg, ArgMatches, value_parser};

use crate::app_context::AppContext;
use crate::args;
use crate::config::Config;
use crate::providers::{self, ModelChoiceError};
use helve_model::{Model, ReplayModel};

/// The flags `--replay` and `--record`.
pub(crate) fn recording_arguments() -> [Arg; 2] {
    let replay = "Replay a recording instead of calling a model";
    let record = "Record the replies of the model to this file, for --replay and for tests";
    [("replay", replay), ("record", record)]
        .map(|(name, help)| args::option(name, "FILE", help).value_parser(value_parser!(PathBuf)))
}

/// Returns the model of a command: a recording, the model that the settings choose, or the model of the app.
pub(crate) fn choose_model(
    app: &AppContext,
    config: &Config,
    matches: &ArgMatches,
) -> Result<Arc<dyn Model>, ModelChoiceError> {
    if let Some(file) = matches.get_one::<PathBuf>("replay") {
        let file = file.clone();
        let played = ReplayModel::open(&file);
        let played = played.map_err(|why| ModelChoiceError::Replay { file, why })?;
        return Ok(Arc::new(played));
    }
    if let Some(model) = providers::chosen_model(config)? {
        return Ok(model);
    }
    let own = app.definition.model.clone();
    own.ok_or_else(|| ModelChoiceError::NoModel(no_model_message(app, config)))
}

/// Returns the error text for users who have not selected a model.
#[cfg(feature = "models")]
fn no_model_message(app: &AppContext, config: &Config) -> String {
    let keys = providers::key_hint(config);
    format!(
        "no model is selected\nhelp: use `--model PROVIDER/MODEL`, set HELVE_MODEL, or set \
         `model = \"PROVIDER/MODEL\"` in {}\n\
         help: {keys}\n\
         help: use `--replay FILE` to run without a model, or run `{} doctor` to check the configuration",
        crate::config::user_file_text(),
        app.binary()
    )
}

#[cfg(not(feature = "models"))]
fn no_model_message(_: &AppContext, _: &Config) -> String {
    "this app has no model: add one with `.model(…)`, enable the `models` feature of helve to use `--model`, or use \
     `--replay FILE`"
        .to_owned()
}
