//! `config`: the settings and their sources.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::json;

use crate::app_context::AppContext;
use crate::config::{self, Config, ConfigEntry, KeyPath, SettingOrigin, display_path};
use crate::exit::{CommandResult, OrExit as _, WRONG_USAGE};
use crate::{args, permissions};
use helve_permission::Mode;
use helve_terminal::output;

pub(super) fn command() -> Command {
    let [mode, ..] = permissions::arguments();
    Command::new("config")
        .about("Show the settings and their sources")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(config::HELP)
        .subcommand(
            Command::new("show")
                .about("Show every setting with its value and source; secrets are not shown")
                .arg(args::json())
                .args(config::arguments())
                .arg(mode),
        )
        .subcommand(
            Command::new("path")
                .about("Show the paths of the configuration files")
                .arg(args::json()),
        )
        .subcommand(
            Command::new("keys")
                .about("List the keys of a configuration file")
                .arg(args::json()),
        )
}

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    match matches.subcommand() {
        Some(("show", matches)) => show(app, matches),
        Some(("path", matches)) => path(app, matches.get_flag("json")),
        Some(("keys", matches)) => Ok(keys(app, matches.get_flag("json"))),
        _ => Err(ExitCode::from(WRONG_USAGE)),
    }
}

/// A setting as it is shown.
struct SettingRow {
    key: String,
    value: String,
    origin: SettingOrigin,
}

fn show(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let config = app.settings_with_notes().or_wrong_usage()?;
    let lines = setting_rows(app, config);
    if matches.get_flag("json") {
        let lines = lines.iter().map(|line| {
            json!({ "key": line.key, "value": line.value, "origin": line.origin.to_string() })
        });
        output::line(&serde_json::Value::from_iter(lines).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let width = |text: fn(&SettingRow) -> &str| {
        let widths = lines.iter().map(|line| text(line).chars().count());
        widths.max().unwrap_or_default()
    };
    let (key, value) = (width(|line| &line.key), width(|line| &line.value).min(50));
    for line in &lines {
        let shown = format!("{:key$}  {:value$}  {}", line.key, line.value, line.origin);
        output::one_line(&shown);
    }
    for section in config.foreign_sections() {
        output::remark(&section.to_string());
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists all settings with a fixed name, with or without a value, and the settings of named tables that have a value.
fn setting_rows(app: &AppContext, config: &Config) -> Vec<SettingRow> {
    let mut lines = Vec::new();
    for key in app.setting_keys.iter().filter(|key| key.is_single()) {
        let all = config
            .cumulative_entries()
            .filter(|(_, entry)| entry.key.name == key.name);
        let all: Vec<SettingRow> = all.map(|(place, entry)| entry_row(place, entry)).collect();
        // All values apply.
        if !all.is_empty() {
            lines.extend(all);
            continue;
        }
        let said = config
            .entries()
            .find(|(_, entry)| entry.key.name == key.name);
        let (value, origin) = match said {
            // The choice of the app overrides the files and the environment.
            Some((_, entry))
                if key.name == "sandbox.kind"
                    && app.definition.sandbox.is_some()
                    && !matches!(entry.origin, SettingOrigin::Flag(_)) =>
            {
                app_default(app, &key.name)
                    .unwrap_or_else(|| (entry.render_value(), entry.origin.clone()))
            }
            Some((_, entry)) => (entry.render_value(), entry.origin.clone()),
            None => app_default(app, &key.name).unwrap_or_else(|| {
                let default = match &*key.default {
                    "" => "(none)".to_owned(),
                    words if words.contains(' ') && !key.is_declared() => format!("({words})"),
                    value => value.to_owned(),
                };
                (default, SettingOrigin::Default)
            }),
        };
        let key = key.name.to_string();
        lines.push(SettingRow { key, value, origin });
    }
    for (place, entry) in config.entries().filter(|(_, entry)| !entry.key.is_single()) {
        lines.push(entry_row(place, entry));
    }
    lines
}

fn entry_row(place: &KeyPath, entry: &ConfigEntry) -> SettingRow {
    SettingRow {
        key: place.to_string(),
        value: entry.render_value(),
        origin: entry.origin.clone(),
    }
}

/// Returns the app's value of a setting that has no other source.
fn app_default(app: &AppContext, key: &str) -> Option<(String, SettingOrigin)> {
    match key {
        "model" => {
            let own = app.definition.model.as_ref()?.name();
            let shown = own.map_or_else(
                || "(set by the app)".to_owned(),
                |name| format!("\"{name}\""),
            );
            Some((shown, SettingOrigin::App))
        }
        "sandbox.kind" => {
            let own = app.definition.sandbox.as_ref()?;
            Some((format!("{:?}", own.to_string()), SettingOrigin::App))
        }
        "mode" => match app.definition.policy.current_mode() {
            Mode::Default => Some((
                format!("{:?}", Mode::Default.name()),
                SettingOrigin::Default,
            )),
            mode => Some((format!("{:?}", mode.name()), SettingOrigin::App)),
        },
        _ => None,
    }
}

fn path(app: &AppContext, as_json: bool) -> CommandResult {
    let config = app.settings_with_notes().or_wrong_usage()?;
    if as_json {
        let files = config.files().iter().map(|file| {
            let path = file.path.display().to_string();
            json!({ "owner": file.owner, "path": path, "exists": file.exists })
        });
        output::json(&files.collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    for file in config.files() {
        let there = if file.exists { "" } else { "  (not found)" };
        let (owner, path) = (file.owner, display_path(&file.path));
        output::line(&format!("{owner:7}  {path}{there}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn keys(app: &AppContext, as_json: bool) -> ExitCode {
    if as_json {
        let keys = app.setting_keys.iter().map(|key| {
            let default = Some(&*key.default).filter(|default| !default.is_empty());
            json!({
                "key": key.name,
                "description": key.about,
                "type": key.kind.describe(),
                "default": default,
                "required": key.is_required,
            })
        });
        output::json(&keys.collect::<Vec<_>>());
        return ExitCode::SUCCESS;
    }
    let names = app.setting_keys.iter().map(|key| key.name.len());
    let width = names.max().unwrap_or_default();
    for key in app.setting_keys.iter() {
        let line = format!("{:width$}  {}", key.name, key.about);
        output::one_line(line.trim_end());
        let kind = key.kind.describe();
        let note = match &*key.default {
            "" if key.is_required => " [required]".to_owned(),
            "" => String::new(),
            default => format!(" [default: {default}]"),
        };
        output::one_line(&format!("{:width$}  {kind}{note}", ""));
    }
    ExitCode::SUCCESS
}
