//! Apps that fit together, and apps that do not.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{AppContext, assemble_context, folder, open_files, pack_settings};
use crate::config::Config;
use crate::{App, Package};
use helve_core::tool::{ToolContext, ToolOrigin};
use helve_core::toolset::{DynamicTool, ToolFilter};
use helve_core::{Toolset, tool, tools, toolset};

mod settings;

/// A database.
struct Database;

/// A count.
struct Count(usize);

/// A clock.
trait Clock: Send + Sync {}

/// Asks the database.
#[tool(name = "assembly_query", read_only)]
fn query(_database: &Database, _clock: &dyn Clock) {}

/// Asks the database, where there is one.
#[tool(name = "assembly_peek", read_only)]
fn peek(database: Option<&Database>) -> bool {
    database.is_some()
}

/// Takes a count.
#[tool(name = "assembly_count", read_only)]
fn count(count: &Count) -> usize {
    count.0
}

#[tools]
impl Database {
    /// Counts the tables.
    #[tool(name = "assembly_tables", read_only)]
    fn tables(&self) -> u8 {
        3
    }
}

/// An app of a package that has no tools of its own.
fn app() -> App {
    App::new(Package {
        name: "nothing",
        version: "0.0.0",
        description: "",
        binary: None,
    })
}

fn assemble(app: App) -> Result<AppContext, String> {
    assemble_in(app, Path::new("."))
}

fn assemble_in(app: App, root: &Path) -> Result<AppContext, String> {
    let files = open_files(root, &[]);
    let folder = folder(files.as_ref().ok().and_then(Option::as_ref), root);
    let settings = pack_settings(&app.definition).map_err(|error| error.to_string())?;
    let config = Ok(Config::default());
    let context = assemble_context(app.definition, files, folder, config, &settings);
    context.map_err(|error| error.to_string())
}

/// Calls a tool of an assembled app.
async fn call(app: &AppContext, tool: &str) -> String {
    let context = app.tool_context();
    let result = app.tools.granted().call(tool, "", &context).await;
    result.map_or_else(
        |error| format!("error: {error}"),
        |output| output.text().into_owned(),
    )
}

/// Leaves out the numbers of lines, which change with this file.
fn redact_lines(text: &str) -> String {
    regex_lite::Regex::new(r"rs:\d+")
        .expect("a pattern")
        .replace_all(text, "rs:LINE")
        .into_owned()
}

#[test]
fn every_missing_type_of_every_tool_is_named_at_once() {
    let error = assemble(app().pack(toolset![query, peek, count, Database::tables])).unwrap_err();
    insta::assert_snapshot!(redact_lines(&error), @r#"
        some tools need state that this app does not provide:
          `assembly_count` (runtime/cli/src/startup/tests.rs:LINE) takes `&helve_cli::startup::tests::Count`: add it with `.state(…)` or `.state_with(…)`
          `assembly_query` (runtime/cli/src/startup/tests.rs:LINE) takes `&helve_cli::startup::tests::Database`: add it with `.state(…)` or `.state_with(…)`
          `assembly_query` (runtime/cli/src/startup/tests.rs:LINE) takes `&dyn helve_cli::startup::tests::Clock`: add it with `.state(…)` or `.state_with(…)`
          `assembly_tables` (runtime/cli/src/startup/tests.rs:LINE) takes `&helve_cli::startup::tests::Database`: add `.pack(helve_cli::startup::tests::Database::toolset(…))` or `.state(…)`
        "#);
}

#[test]
fn a_method_comes_with_the_value_that_a_pack_binds_it_to() {
    let bound = Database::toolset(Arc::new(Database));
    let context = assemble(app().pack(toolset![Database::tables]).pack(bound)).expect("it fits");
    let names = context.tools.granted().names();
    let own = names.iter().filter(|name| *name == "assembly_tables");
    assert_eq!(own.count(), 1);
}

#[tokio::test]
async fn a_method_finds_its_value_in_the_state_too() {
    let context =
        assemble(app().state(Database).pack(toolset![Database::tables])).expect("it fits");
    assert_eq!(call(&context, "assembly_tables").await, "3");
}

#[test]
fn one_type_in_two_scopes_is_refused() {
    let error = assemble(app().state(Count(1)).session_state(|| Count(2))).unwrap_err();
    insta::assert_snapshot!(error, @"`helve_cli::startup::tests::Count` is both app state and session state, so `&helve_cli::startup::tests::Count` is ambiguous");
}

#[test]
fn two_packs_with_a_tool_of_one_name_are_refused() {
    let other = DynamicTool::new(
        "assembly_count",
        "Another.",
        serde_json::json!({ "type": "object" }),
        |_, _| Box::pin(std::future::ready(Ok("other".into()))),
    );
    let other = Toolset::from_tools([Arc::new(other.expect("a tool")) as _]);
    let error = assemble(app().state(Count(1)).pack(toolset![count]).pack(other)).unwrap_err();
    insta::assert_snapshot!(redact_lines(&error), @r#"
    several packs provide a tool named `assembly_count`: use `.prefixed("…")` on one of them
      helve-runtime (runtime/cli/src/startup/tests.rs:LINE)
    "#);
}

#[tokio::test]
async fn lazy_state_is_made_by_the_first_call_that_takes_it() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let make = || Ok::<_, String>(Count(MADE.fetch_add(1, Ordering::Relaxed) + 41));
    let context = assemble(app().state_with(make).pack(toolset![count, peek])).expect("it fits");
    assert_eq!(call(&context, "assembly_peek").await, "false");
    assert_eq!(MADE.load(Ordering::Relaxed), 0);
    assert_eq!(call(&context, "assembly_count").await, "41");
    assert_eq!(call(&context, "assembly_count").await, "41");
}

#[tokio::test]
async fn state_that_cannot_be_made_fails_the_call_and_says_why() {
    let make = || Err::<Count, _>("the database is locked");
    let context = assemble(app().state_with(make).pack(toolset![count])).expect("it fits");
    insta::assert_snapshot!(call(&context, "assembly_count").await, @r#"error: the state `helve_cli::startup::tests::Count` could not be made: the database is locked"#);
}

#[tokio::test]
async fn each_session_has_its_own_state() {
    let made = Arc::new(AtomicUsize::new(0));
    let make = move || Count(made.fetch_add(1, Ordering::Relaxed));
    let context = assemble(app().session_state(make).pack(toolset![count])).expect("it fits");
    let (first, second): (ToolContext, ToolContext) =
        (context.tool_context(), context.tool_context());
    let call = async |session| {
        let tools = context.tools.granted();
        let output = tools.call("assembly_count", "", session).await;
        output
            .map(|output| output.text().into_owned())
            .unwrap_or_default()
    };
    let (one, two, again) = (call(&first).await, call(&second).await, call(&first).await);
    assert_ne!(one, two);
    assert_eq!(one, again);
}

#[test]
fn filters_leave_tools_out_and_say_who_did() {
    let pack = toolset![count, peek, query].layered(&linked_toolset());
    let of_pack = ToolFilter::new()
        .tools(["assembly_count"])
        .packages(["plugin"]);
    let excluded = ToolFilter::new().without(["assembly_count", "plugged"]);
    let app = || {
        let app = app().state(Count(1)).state(Database);
        app.state_arc::<dyn Clock>(Arc::new(Noon))
            .pack(pack.clone())
    };
    let context = assemble(app().filter(of_pack.clone())).expect("it fits");
    assert_eq!(
        context.tools.granted().names(),
        ["assembly_count", "plugged"]
    );
    insta::assert_snapshot!(context.tools.describe_missing("assembly_peek"), @"the tool `assembly_peek` is disabled by a filter: it is not among the tools that are granted by name (the filter of the app)");
    insta::assert_snapshot!(context.tools.describe_missing("assembly_paek"), @"
    unknown tool `assembly_paek`; did you mean `assembly_count`?
    help: run `tools` for a list
    ");

    let context = assemble(app().filter(of_pack).filter(excluded)).expect("it fits");
    assert!(context.tools.granted().names().is_empty());
    insta::assert_snapshot!(context.tools.describe_missing("plugged"), @"the tool `plugged` is disabled by a filter: it is excluded by its name (the filter of the app)");
}

/// A clock that stands still.
struct Noon;

impl Clock for Noon {}

/// A tool of another package.
fn linked_toolset() -> Toolset {
    let schema = serde_json::json!({ "type": "object" });
    let tool = DynamicTool::new("plugged", "Plugged.", schema, |_, _| {
        Box::pin(std::future::ready(Ok("plugged".into())))
    });
    let tool = tool
        .expect("a tool")
        .with_origin(ToolOrigin::package("plugin"));
    Toolset::from_tools([Arc::new(tool) as _])
}

#[cfg(feature = "mcp")]
#[test]
fn a_sandbox_protects_the_programs_of_the_settings_that_it_is_made_for() {
    let root = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(root.path().join("tools")).expect("a folder");
    std::fs::write(root.path().join("tools/server.py"), "").expect("a file");
    let context = assemble_in(app(), root.path()).expect("it fits");
    let protects_tools = |is_sandboxed: bool| {
        let config = Config::from_text(&format!(
            "[mcp.servers.notes]\ncommand = \"python3\"\nargs = [\"tools/server.py\"]\nsandboxed = {is_sandboxed}\n"
        ));
        let sandboxes = context.sandbox_factory(&config).expect("it is valid");
        let protected = &sandboxes.policy.protected;
        protected.iter().any(|path| path == "tools")
    };
    assert!(!protects_tools(true));
    assert!(protects_tools(false));
}
