//! The skills of a server: withheld until they are approved, and held against their digests.

use std::fmt::Write as _;

use helve_runtime::acceptances::Acceptances;
use helve_runtime::mcp::McpServers;
use helve_runtime::skill::{SkillCatalog, SkillLibrary};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::mcp_tools::mcp_server::TestServer;
use crate::mcp_tools::support::{approve, approved, config, connect, servers};

const SKILL_MD: &str = "---\nname: notes\ndescription: Takes notes.\n---\nWrite it down.\n";

fn file(uri: &str, text: &str) -> Value {
    let mut digest = "sha256:".to_owned();
    for byte in Sha256::digest(text) {
        write!(digest, "{byte:02x}").unwrap();
    }
    json!({ "uri": uri, "digest": digest, "size": text.len() })
}

fn skill(name: &str, files: &Value) -> Value {
    json!({
        "uri": format!("skill://offer/{name}/SKILL.md"),
        "frontmatter": { "name": name, "description": "Takes notes." },
        "resources": files,
    })
}

fn says() -> Value {
    let (main, more) = (
        "skill://offer/notes/SKILL.md",
        "skill://offer/notes/docs/more%20words.md",
    );
    json!({
        "skills": [
            skill("notes", &json!([file(main, SKILL_MD), file(more, "More.")])),
            skill("moving", &json!("dynamic")),
            skill("outside", &json!([
                file("skill://offer/outside/SKILL.md", SKILL_MD),
                file("skill://offer/outside/%2e%2e/notes/SKILL.md", SKILL_MD),
            ])),
        ],
        "files": { main: SKILL_MD, more: "More." },
    })
}

async fn catalog(servers: &McpServers) -> SkillCatalog {
    SkillCatalog::new()
        .with_sources(servers.skill_sources())
        .await
}

fn told(catalog: &SkillCatalog) -> String {
    let names = catalog
        .skills()
        .map(|skill| format!("{}: {}", skill.name(), skill.description()));
    let notes = catalog.notes().iter().map(|note| format!("note: {note}"));
    names.chain(notes).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_skill_is_left_out_until_it_is_approved() {
    let offer = TestServer::new(says());
    let servers = servers(config("fs"), &offer, &Acceptances::in_memory());
    connect(&servers).await;
    let library = SkillLibrary::new(catalog(&servers).await);
    insta::assert_snapshot!(told(&library.current()), @r#"
    note: in the server `fs`: the skill `notes` is left out until you approve what its server says
    note: in the server `fs`: the skill `moving` is unavailable: its files change with each reading, so they cannot be approved
    note: in the server `fs`: the skill `outside` is unavailable: resource skill://offer/outside/%2e%2e/notes/SKILL.md does not identify a file within the directory of skill://offer/outside/SKILL.md
    "#);
    insta::assert_snapshot!(servers.difference("fs").await.unwrap(), @r#"
    the MCP server `fs`, reached by `never-started`
    + skill `notes` (new)
        Takes notes.
        SKILL.md (61 bytes, afb46275…)
        docs/more words.md (5 bytes, 2e823667…)
    "#);
    approve(&servers).await;
    library.refresh().await.expect("there is something new");
    let catalog = library.current();
    insta::assert_snapshot!(told(&catalog), @r#"
    notes: Takes notes.
    note: in the server `fs`: the skill `moving` is unavailable: its files change with each reading, so they cannot be approved
    note: in the server `fs`: the skill `outside` is unavailable: resource skill://offer/outside/%2e%2e/notes/SKILL.md does not identify a file within the directory of skill://offer/outside/SKILL.md
    "#);
    let notes = catalog.get("notes").unwrap();
    assert_eq!(notes.instructions().await.unwrap(), "Write it down.\n");
    assert_eq!(&*notes.read("docs/more words.md").await.unwrap(), b"More.");
}

#[tokio::test]
async fn a_file_that_is_another_is_not_handed_out() {
    let offer = TestServer::new(says());
    let servers = approved(&offer, &Acceptances::in_memory()).await;
    let catalog = catalog(&servers).await;
    offer.set(
        "files",
        json!({ "skill://offer/notes/docs/more%20words.md": "Evil." }),
    );
    let read = catalog
        .get("notes")
        .unwrap()
        .read("docs/more words.md")
        .await;
    insta::assert_snapshot!(read.unwrap_err(), @"the skills of the server `fs` are not available: `docs/more words.md` is not the file that the server described");
}

#[tokio::test]
async fn a_skill_that_changes_is_left_out_again() {
    let offer = TestServer::new(says());
    let servers = approved(&offer, &Acceptances::in_memory()).await;
    let text = SKILL_MD.replace("Write", "Burn");
    let main = "skill://offer/notes/SKILL.md";
    offer.set(
        "skills",
        json!([skill("notes", &json!([file(main, &text)]))]),
    );
    offer.set("files", json!({ main: text }));
    insta::assert_snapshot!(told(&catalog(&servers).await), @"note: in the server `fs`: the skill `notes` has changed since it was approved, and is left out until it is approved again");
}
