//! `init`: writes a file of settings with every key as a comment.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::private_files;

use crate::app_context::AppContext;
use crate::args;
use crate::config::{self, Key, KeySet};
use crate::exit::{self, CommandResult, OrExit as _};
use helve_terminal::output;
use helve_terminal::questions::{self, Terminal};

/// The name in a table that stands for the names that a user chooses.
const PLACEHOLDER: &str = "NAME";

pub(super) fn command() -> Command {
    let model = args::option("model", "PROVIDER/MODEL", "The model to set in the file");
    Command::new("init")
        .about("Write a helve.toml in which every setting is explained")
        .after_help("Each setting is a comment with its default; remove the `#` to change it.")
        .arg(model.short('m'))
        .arg(args::flag(
            "user",
            "Write the file of the user instead of that of the project",
        ))
        .arg(args::flag("yes", "Replace an existing file without asking"))
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let model = matches.get_one::<String>("model");
    let path = if matches.get_flag("user") {
        config::user_path().ok_or_else(|| {
            let message =
                "no configuration folder was found\nhelp: set `HOME` or `XDG_CONFIG_HOME`";
            exit::with_message(exit::FAILED, message)
        })?
    } else {
        app.folder.join("helve.toml")
    };
    let text = render(app, model.map(String::as_str));
    config::check_settings(&app.setting_keys, &path, &text).or_wrong_usage()?;
    if path.symlink_metadata().is_ok() && !matches.get_flag("yes") {
        confirm_replacement(&path).await?;
    }
    write(&path, &text).map_err(|error| {
        let message = format_args!("failed to write `{}`: {error}", path.display());
        exit::with_message(exit::FAILED, message)
    })?;
    output::line(&format!("wrote {}", path.display()));
    if !matches.get_flag("user") && model.is_some() {
        let binary = app.binary();
        output::line(&format!(
            "help: run `{binary} permissions trust` to accept the model of the project"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks whether an existing file is replaced. The error is the exit code; its reason is printed already.
async fn confirm_replacement(path: &Path) -> Result<(), ExitCode> {
    let shown = path.display();
    if !Terminal::is_attached() {
        let message =
            format_args!("`{shown}` already exists\nhelp: use `--yes` to replace the file");
        return Err(exit::with_message(exit::FAILED, message));
    }
    if questions::confirm(&format!("Replace `{shown}`?")).await {
        return Ok(());
    }
    output::line("nothing was changed");
    Err(ExitCode::from(exit::FAILED))
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    // A link is kept, and its target is replaced.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    AtomicFile::new(&path, FilePermissions::PreserveOrUmask).replace(&[text.as_bytes()])
}

/// Renders the keys by their tables, in the order in which the tables first appear. Keys without a table come first, as
/// TOML wants it.
fn render(app: &AppContext, model: Option<&str>) -> String {
    let mut text = format!(
        "# Settings of {}. Run `{} config show` to see the values in force and their sources.\n",
        app.package.name,
        app.binary()
    );
    for table in tables(&app.setting_keys) {
        text.push('\n');
        if !table.is_empty() {
            text.push_str(&format!("# [{table}]\n"));
        }
        let keys = app.setting_keys.iter().map(|key| &**key);
        for key in keys.filter(|key| table_of(key) == table && is_in_files(key)) {
            let value = model.filter(|_| key.name == "model");
            text.push_str(&render_key(key, value));
        }
    }
    text
}

fn tables(keys: &KeySet) -> Vec<String> {
    let mut tables = vec![String::new()];
    for key in keys.iter().filter(|key| is_in_files(key)) {
        let table = table_of(key);
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    tables
}

/// Reports whether a file can have the key.
fn is_in_files(key: &Key) -> bool {
    !matches!(key.allowed_files, config::AllowedFiles::None)
}

/// Returns the table of a key, with a placeholder for the names that the user chooses.
fn table_of(key: &Key) -> String {
    let name = key.name.rsplit_once('.').map_or("", |(table, _)| table);
    name.replace('*', PLACEHOLDER)
}

fn render_key(key: &Key, value: Option<&str>) -> String {
    let name = key.name.rsplit('.').next().unwrap_or_default();
    let name = name.replace('*', PLACEHOLDER);
    let about = &key.about;
    if let Some(value) = value {
        return format!("# {about}.\n{name} = {}\n", toml::Value::from(value));
    }
    match toml_default(&key.default) {
        Some(default) => format!("# {about}.\n# {name} = {default}\n"),
        None => {
            let (kind, default) = (key.kind.describe(), &key.default);
            let default = match default.is_empty() {
                true => String::new(),
                false => format!(" (default: {default})"),
            };
            format!("# {about}.\n# {name} =   # {kind}{default}\n")
        }
    }
}

/// Returns a default as a TOML value; `None` where it is described in words.
fn toml_default(default: &str) -> Option<String> {
    let is_literal = default == "true"
        || default == "false"
        || default.starts_with('[')
        || default.parse::<f64>().is_ok();
    if is_literal {
        return Some(default.to_owned());
    }
    let is_word = !default.is_empty() && default.chars().all(|c| c.is_ascii_alphanumeric());
    (is_word && default != "all").then(|| format!("\"{default}\""))
}
