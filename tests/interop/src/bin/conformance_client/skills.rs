//! The skills of the suite: listed, approved, and loaded where the scenario is about that.

use std::error::Error;

use helve::mcp::McpServers;

/// Lists the skills of the server, approves them, and loads each.
pub(crate) async fn play(servers: &McpServers, are_loaded: bool) -> Result<(), Box<dyn Error>> {
    let difference = servers.difference("suite").await?;
    servers.approve(&difference).await?;
    for source in servers.skill_sources() {
        let list = source.list().await?;
        for problem in &list.problems {
            eprintln!("{problem:?}");
        }
        for skill in list.skills.iter().filter(|_| are_loaded) {
            let read = source.read(skill.name(), "SKILL.md").await?;
            eprintln!("{}: {} bytes", skill.name(), read.len());
        }
    }
    Ok(())
}
