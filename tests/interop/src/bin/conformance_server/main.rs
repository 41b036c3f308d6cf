//! The server that the official conformance suite is run against: helve's, with the fixtures that the suite wants.
//!
//! It listens on a port of its own choice, prints the address, and serves until its standard input ends.

mod client;
mod content;
mod live;
mod long;
mod prompts;
mod resources;
mod rounds;
mod schemas;

use std::error::Error;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use helve::permission::{Mode, Policy};
use helve::prelude::*;
use helve::serve::{HttpSettings, Server, TaskPolicy};
use helve::skill::{SkillCatalog, SkillLibrary};
use helve::tool::State;
use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;

helve::include_skills!("skills");

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("http://{}/mcp", listener.local_addr()?);
    let stop = CancellationToken::new();
    let until = stop.clone();
    tokio::spawn(async move {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
        until.cancel();
    });
    let server = server()?;
    server
        .serve_http(listener, HttpSettings::new(), stop)
        .await?;
    Ok(())
}

fn server() -> Result<Server, Box<dyn Error>> {
    let live = live::LiveTools::default();
    let prompts = prompts::prompts();
    let mut state = State::new();
    state.insert(live.clone());
    state.insert(prompts.clone());
    let context = ToolContext::builder().app(Arc::new(state)).build();
    let tools = Toolset::from_definitions(
        helve::Registry::from_packages(&[env!("CARGO_PKG_NAME")])?.iter(),
    );
    let tools = tools.layered(&Toolset::from_tools(schemas::tools()?));
    // Long enough for what answers at once, and short for the suite, which waits for tasks.
    let tasks = TaskPolicy::new()
        .after(Duration::from_millis(100))
        .at_once(["confirm_delete", "multi_input"])
        .required([
            "confirm_delete",
            "multi_input",
            "failing_job",
            "test_tool_with_task",
        ]);
    let skills = SkillLibrary::new(SkillCatalog::collect()?);
    Ok(
        Server::builder("helve-conformance", env!("CARGO_PKG_VERSION"))
            .instructions("The fixtures of the conformance suite.")
            .tools(tools.layered(&Toolset::new(live)))
            .context(context)
            .policy(Policy::new(Mode::Bypass))
            .prompts(prompts)
            .resources(Arc::new(resources::Fixtures))
            .skills(Arc::new(skills))
            .tasks(tasks)
            .build(),
    )
}
