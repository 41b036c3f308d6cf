//! The client that the official conformance suite is run against: helve's, driven as an app would drive it.
//!
//! The suite starts it with the address of a server, and says in variables which scenario that server plays.

mod arguments;
mod person;
mod scenario;
mod skills;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use helve::acceptances::Acceptances;
use helve::capability::Grants;
use helve::mcp::{Logins, McpServers, ServerConfig, ServerTrust};
use helve::prelude::*;

use scenario::Scenario;

/// A little less than the suite waits.
const PATIENCE: Duration = Duration::from_secs(100);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args()
        .nth(1)
        .ok_or("the address of a server is missing")?;
    let scenario = Scenario::from_environment()?;
    let servers = servers(&url, &scenario)?;
    let played = tokio::time::timeout(PATIENCE, play(&servers, &scenario)).await;
    servers.close().await;
    played?
}

fn servers(url: &str, scenario: &Scenario) -> Result<McpServers, Box<dyn Error>> {
    // The suite is the user who has approved everything.
    let mut trust = ServerTrust::default();
    (trust.definitions, trust.hints, trust.output, trust.sampling) = (true, true, true, true);
    let config = ServerConfig::http("suite".parse()?, url)
        .with_trust(trust)
        .with_auth(scenario.auth());
    let logins = Logins::in_memory()
        .registered_as("helve-conformance")
        .shown_by(person::log_in);
    Ok(McpServers::builder()
        .client("helve-conformance", env!("CARGO_PKG_VERSION"))
        .logins(logins)
        .acceptances(Acceptances::in_memory())
        .without_context_tools()
        .server(config)
        .build())
}

/// Connects, and calls every tool once.
async fn play(servers: &McpServers, scenario: &Scenario) -> Result<(), Box<dyn Error>> {
    servers.connect_to("suite").await?;
    for warning in servers.status().iter().flat_map(|status| &status.withheld) {
        eprintln!("{warning:?}");
    }
    let grants = Grants {
        client: Some(Arc::new(person::Person)),
        ..Grants::default()
    };
    let context = ToolContext::builder().grants(grants).build();
    let toolset = servers.toolset();
    let mut failed = None;
    for (name, arguments) in arguments::calls(&toolset, scenario) {
        match toolset.call(&name, &arguments.to_string(), &context).await {
            Ok(output) => eprintln!("{name}: {}", output.text()),
            Err(error) => {
                eprintln!("{name}: {error}");
                failed = Some(error);
            }
        }
    }
    if scenario.is_about_skills() {
        skills::play(servers, scenario.loads_skills()).await?;
    }
    match failed {
        Some(error) => Err(error.to_string().into()),
        None => Ok(()),
    }
}
