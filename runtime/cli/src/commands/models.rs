//! `models`: lists the models of a provider.

use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use crate::app_context::AppContext;
use crate::config::{Config, Setting};
use crate::exit::{self, CommandResult, OrExit as _};
use crate::{args, providers, runner};
use helve_core::transcript::Cost;
use helve_model::ModelTier;
use helve_model::{ModelName, OfferedModel, Price};
use helve_terminal::output;

/// The timeout of the request to the provider.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(super) fn command() -> Command {
    let provider = args::positional(
        "provider",
        "PROVIDER",
        "The provider [default: that of the selected model]",
    );
    Command::new("models")
        .about("List the models of a provider, with context window and price where they are known")
        .after_help(
            "The context window is in tokens, and prices are in US dollars per million tokens of input and output. \
             They are those of `[prices]` in the settings, those that the provider reports, or those of a table that \
             helve contains, whose date `doctor` shows.",
        )
        .arg(provider)
        .arg(args::json())
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let config = app.settings_with_notes().or_wrong_usage()?;
    let provider = provider_name(app, config, matches)?;
    let own_prices = runner::own_prices(config).or_wrong_usage()?;
    // `base_url` of the settings belongs to the selected model.
    let chosen = providers::model_names(config).or_wrong_usage()?;
    let is_chosen = chosen
        .first()
        .is_some_and(|model| model.provider() == provider);
    let providers = match is_chosen {
        true => providers::build_providers(config, &chosen).or_wrong_usage()?,
        false => providers::all_providers(config),
    };
    // An unknown provider and a missing key are wrong usage.
    providers.status(&provider).or_wrong_usage()?;
    let listed = providers.list_models(&provider, TIMEOUT).await;
    let mut models = listed.or_failed()?;
    let tiers = providers::tier_names(config).or_wrong_usage()?;
    for model in &mut models {
        let name = format!("{provider}/{}", model.id);
        let known = name.parse().ok();
        let known = known.and_then(|name| providers.known_model(&name));
        let known_price = known.and_then(|known| known.price);
        let known_window = known.map(|known| known.context_window);
        let own = own_prices.get(&name).copied();
        model.price = own.or(model.price).or(known_price);
        model.context_window = model.context_window.or(known_window);
    }
    if matches.get_flag("json") {
        let models = models
            .iter()
            .map(|model| model_json(&provider, model, &tiers));
        output::json(&models.collect::<Vec<_>>());
    } else if models.is_empty() {
        output::line(&format!("{provider} lists no models"));
    } else {
        output::print(&table(&provider, &models, &tiers));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the provider of the argument, or that of the selected model.
fn provider_name(
    app: &AppContext,
    config: &Config,
    matches: &ArgMatches,
) -> Result<String, ExitCode> {
    if let Some(name) = matches.get_one::<String>("provider") {
        return Ok(name.clone());
    }
    let chosen = providers::chosen_name(config).or_wrong_usage()?;
    chosen
        .map(|chosen| chosen.value.provider().to_owned())
        .ok_or_else(|| {
            let (binary, keys) = (app.binary(), providers::key_hint(config));
            let message = format_args!(
                "no model is selected\nhelp: run `{binary} models PROVIDER`\nhelp: {keys}"
            );
            exit::with_message(exit::WRONG_USAGE, message)
        })
}

/// The models that the settings name beside the main one.
type Tiers = [(ModelTier, Setting<ModelName>)];

/// Returns the tiers that use a model.
fn tiers_of(tiers: &Tiers, name: &str) -> Vec<&'static str> {
    let own = tiers
        .iter()
        .filter(|(_, chosen)| chosen.value.to_string() == name);
    own.map(|(tier, _)| tier.name()).collect()
}

fn model_json(provider: &str, model: &OfferedModel, tiers: &Tiers) -> Value {
    let name = format!("{provider}/{}", model.id);
    json!({
        "name": &name,
        "context_window": model.context_window,
        "input_price": model.price.map(|price| dollars(price.input)),
        "output_price": model.price.map(|price| dollars(price.output)),
        "tiers": tiers_of(tiers, &name),
    })
}

fn table(provider: &str, models: &[OfferedModel], tiers: &Tiers) -> String {
    let rows: Vec<[String; 4]> = models
        .iter()
        .map(|model| row(provider, model, tiers))
        .collect();
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or_default()
    };
    let [name_width, context_width, price_width] = [0, 1, 2].map(width);
    let lines = rows.iter().map(|[name, context, price, tiers]| {
        let line =
            format!("{name:name_width$}  {context:>context_width$}  {price:price_width$}  {tiers}");
        format!("{}\n", helve_terminal::sanitize::one_line(line.trim_end()))
    });
    lines.collect()
}

fn row(provider: &str, model: &OfferedModel, tiers: &Tiers) -> [String; 4] {
    let name = format!("{provider}/{}", model.id);
    let tiers = tiers_of(tiers, &name).into_iter();
    let tiers: Vec<String> = tiers.map(|tier| format!("models.{tier}")).collect();
    let context = model.context_window.map(|tokens| tokens.to_string());
    let price =
        |Price { input, output, .. }: Price| format!("${} / ${}", dollars(input), dollars(output));
    [
        name,
        context.unwrap_or_default(),
        model.price.map(price).unwrap_or_default(),
        tiers.join(", "),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "a price has few digits")]
fn dollars(cost: Cost) -> f64 {
    cost.micros() as f64 / 1e6
}
