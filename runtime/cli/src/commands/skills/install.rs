//! `skills add`, `skills update` and `skills search`: skills from repositories, hosts, archives, folders and MCP servers.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use helve_skill_install::{
    FetchedSkills, InstallError, InstallOptions, InstallSource, LockedSkill, PlannedInstall,
    SkillInstaller, SkillSources,
};

use super::installed::{installer, user_flag};
use crate::app_context::AppContext;
use crate::exit::{CommandResult, OrExit as _};
use crate::{acceptance, args, skills};
use helve_terminal::output;

/// Prints the list of no skills.
pub(super) fn print_none_installed(app: &AppContext) {
    let binary = app.binary();
    output::line(&format!(
        "no skills are installed; `{binary} skills add SOURCE` installs some"
    ));
}

pub(super) fn commands() -> [Command; 3] {
    let source = args::positional("source", "SOURCE", "The source of the skills").required(true);
    let names = args::positional("name", "SKILL", "The skills to update, or all").num_args(0..);
    let with_answers = |command: Command| {
        command
            .arg(args::flag("force", "Replace changed or foreign files"))
            .arg(acceptance::findings_argument())
            .arg(args::flag(
                "lenient",
                "Allow what the specification does not, as in folders of skills",
            ))
            .arg(acceptance::argument())
            .arg(user_flag())
    };
    [
        with_answers(Command::new("add"))
            .about("Install skills from a repository, a host, an archive, a folder or an MCP server")
            .after_help(
                "Sources: owner/repo[@REF][#PATH], https://host, https://host/skills.tar.gz, ./folder, ./skills.zip,\n\
                 mcp:SERVER[/SKILL], or the name of a skill of the hub (`[skills.hub]`).",
            )
            .arg(source)
            .arg(args::repeated("skill", "SKILL", "Install only this skill of the source"))
            .arg(args::flag("list", "List the skills of the source, and install none"))
            .arg(args::flag("allow-similar", "Allow a name that looks like that of another skill")),
        with_answers(Command::new("update"))
            .about("Update installed skills, and show what changes")
            .after_help("A skill whose scripts, requested tools or description change is asked about again.")
            .arg(names),
        Command::new("search")
            .about("Search the hub, or a source, for skills")
            .arg(args::positional("query", "WORDS", "The words to search for").num_args(0..))
            .arg(args::option("source", "SOURCE", "The source to search instead of the hub")),
    ]
}

pub(super) async fn run(app: &AppContext, name: &str, matches: &ArgMatches) -> CommandResult {
    let config = app.settings.as_ref().or_wrong_usage()?;
    let sources = skills::install_sources(config, &app.folder);
    match name {
        "add" => add(app, &sources, matches).await,
        "update" => update(app, &sources, matches).await,
        _ => search(&sources, matches).await,
    }
}

async fn add(app: &AppContext, sources: &SkillSources, matches: &ArgMatches) -> CommandResult {
    let mut names = texts(matches, "skill");
    let source = sources
        .parse(args::text(matches, "source"), &mut names)
        .or_wrong_usage()?;
    if matches.get_flag("list") {
        output::print(&sources.search(&source, &[]).await.or_failed()?);
        return Ok(ExitCode::SUCCESS);
    }
    let lenient = matches.get_flag("lenient");
    let fetched = fetch(app, sources, &source, &names, lenient)
        .await
        .or_failed()?;
    for problem in &fetched.problems {
        output::note(&format!("warning: {problem}"));
    }
    let installer = installer(app, matches)?;
    let mut options = options(app, matches);
    options.allow_similar = matches.get_flag("allow-similar");
    let mut plans = installer.plan(&fetched, &options).or_failed()?;
    plans.retain(|plan| {
        let is_installed = !options.force && installer.is_installed(plan);
        if is_installed {
            output::line(&format!("{} is installed already", plan.skill.name));
        }
        !is_installed
    });
    if plans.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let text: Vec<&str> = plans.iter().map(|plan| &*plan.review.text).collect();
    let command = format!(
        "{} skills add {}",
        app.binary(),
        args::text(matches, "source")
    );
    ask(&plans, &text.join("\n"), &command, matches).await?;
    install(&installer, &plans)
}

async fn update(app: &AppContext, sources: &SkillSources, matches: &ArgMatches) -> CommandResult {
    let installer = installer(app, matches)?;
    let lock = installer.lock_file().or_failed()?;
    if lock.skills().is_empty() && texts(matches, "name").is_empty() {
        print_none_installed(app);
    }
    let mut code = ExitCode::SUCCESS;
    for locked in lock.select(&texts(matches, "name")).or_wrong_usage()? {
        if let Err(failed) = update_one(app, sources, &installer, locked, matches).await {
            code = failed;
        }
    }
    Ok(code)
}

async fn update_one(
    app: &AppContext,
    sources: &SkillSources,
    installer: &SkillInstaller,
    locked: &LockedSkill,
    matches: &ArgMatches,
) -> CommandResult {
    let name = &locked.name;
    if locked.is_created() {
        return Ok(ExitCode::SUCCESS);
    }
    let source = sources.parse_locked(&locked.source).or_failed()?;
    let names = [name.clone()];
    let fetched = fetch(app, sources, &source, &names, matches.get_flag("lenient"))
        .await
        .or_failed()?;
    let plan = installer
        .plan_update(&fetched, locked, &options(app, matches))
        .or_failed()?;
    let Some(plan) = plan else {
        output::line(&format!("{name} is up to date"));
        return Ok(ExitCode::SUCCESS);
    };
    let review = &plan.review;
    if review.reasons.is_empty() {
        output::print(&review.text);
    } else {
        let text = format!("{}{name}: {}\n", review.text, review.reasons.join(", "));
        let command = format!("{} skills update {name}", app.binary());
        ask(std::slice::from_ref(&plan), &text, &command, matches).await?;
    }
    install(installer, &[plan])
}

async fn search(sources: &SkillSources, matches: &ArgMatches) -> CommandResult {
    let source = match args::text(matches, "source") {
        "" => sources.hub().or_wrong_usage()?,
        text => sources.parse(text, &mut Vec::new()).or_wrong_usage()?,
    };
    let found = sources
        .search(&source, &texts(matches, "query"))
        .await
        .or_failed()?;
    output::print(&found);
    Ok(ExitCode::SUCCESS)
}

async fn fetch(
    app: &AppContext,
    sources: &SkillSources,
    source: &InstallSource,
    names: &[String],
    lenient: bool,
) -> Result<FetchedSkills, InstallError> {
    #[cfg(feature = "mcp")]
    if let InstallSource::Server { server, .. } = source {
        return super::accept::fetch_from_server(app, source, server, names).await;
    }
    #[cfg(not(feature = "mcp"))]
    let _ = app;
    sources.fetch(source, names, lenient).await
}

fn install(installer: &SkillInstaller, plans: &[PlannedInstall]) -> CommandResult {
    for plan in plans {
        output::one_line(&installer.install(plan).or_failed()?.to_string());
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks the user about skills. An answer that was given beforehand does not accept severe findings.
async fn ask(
    plans: &[PlannedInstall],
    text: &str,
    command: &str,
    matches: &ArgMatches,
) -> Result<(), ExitCode> {
    let severe = plans.iter().map(|plan| plan.review.severe).sum();
    acceptance::ask_about_findings(text, severe, matches, command).await
}

/// Shows a draft that the agent made, asks, and installs it; `None` if there is no draft of this name.
pub(super) async fn accept_draft(
    app: &AppContext,
    name: &str,
    matches: &ArgMatches,
) -> Option<CommandResult> {
    let data = SkillInstaller::data_folder()?;
    let installer = SkillInstaller::new(&app.folder, data, acceptance::user_store());
    installer.drafts().ok()?.get(name)?;
    Some(install_draft(app, &installer, name, matches).await)
}

async fn install_draft(
    app: &AppContext,
    installer: &SkillInstaller,
    name: &str,
    matches: &ArgMatches,
) -> CommandResult {
    let plan = installer.plan_draft(name, &reserved(app)).or_failed()?;
    let command = format!("{} skills accept {name}", app.binary());
    let plans = [plan];
    ask(&plans, &plans[0].review.text, &command, matches).await?;
    install(installer, &plans)?;
    installer.remove_draft(name).or_failed()?;
    Ok(ExitCode::SUCCESS)
}

fn options(app: &AppContext, matches: &ArgMatches) -> InstallOptions {
    let mut options = reserved(app);
    options.force = matches.get_flag("force");
    options
}

/// Returns options with the names of the embedded skills.
fn reserved(app: &AppContext) -> InstallOptions {
    let mut options = InstallOptions::default();
    let catalog = app.skills.current();
    let embedded = catalog
        .skills()
        .filter(|skill| skill.origin().is_embedded());
    options.reserved = embedded.map(|skill| skill.name().to_owned()).collect();
    options
}

/// Returns the values of an argument.
pub(super) fn texts(matches: &ArgMatches, name: &str) -> Vec<String> {
    let values = matches.try_get_many::<String>(name).ok().flatten();
    values.into_iter().flatten().cloned().collect()
}
