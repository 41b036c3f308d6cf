//! Skills over MCP (SEP-2640).

use std::fs;
use std::path::Path;
use std::sync::Arc;

use helve::serve::Server;
use helve::skill::{SkillCatalog, SkillFolder, SkillLibrary};
use serde_json::{Value, json};

use crate::serve_more::wire::WireClient;

const SKILL_MD: &str = "---\nname: forms\ndescription: Fills forms.\nmetadata:\n  revision: 3\n  version: \"1.0\"\n---\n\nRead `docs/a b.md`.\n";

async fn serve(folder: &Path) -> Server {
    let catalog = SkillCatalog::new();
    let catalog = catalog
        .with_source(Arc::new(SkillFolder::from_config(folder)))
        .await;
    let skills = SkillLibrary::new(catalog);
    Server::builder("skills", "1")
        .skills(Arc::new(skills))
        .build()
}

fn write(folder: &Path, path: &str, contents: &[u8]) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, contents).unwrap();
}

async fn read(wire: &mut WireClient, uri: &str) -> Value {
    wire.request("resources/read", json!({ "uri": uri })).await
}

#[tokio::test]
async fn a_skill_is_listed_with_its_digests_and_read_file_by_file() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "forms/SKILL.md", SKILL_MD.as_bytes());
    write(folder.path(), "forms/docs/a b.md", b"# Fields\n");
    write(folder.path(), "forms/logo.png", b"\x89PNG\r\n\x1a\n\0");
    // A name that the extension does not take.
    write(
        folder.path(),
        "Shouting/SKILL.md",
        b"---\nname: Shouting\ndescription: No.\n---\n",
    );
    let server = serve(folder.path()).await;
    let mut wire = WireClient::connect_modern(&server, json!({}));

    let listed = wire.request("skills/list", json!({})).await;
    let skills = listed["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 1, "{listed}");
    assert_eq!(skills[0]["uri"], "skill://forms/SKILL.md");
    let expected = json!({
        "name": "forms",
        "description": "Fills forms.",
        "metadata": { "revision": 3, "version": "1.0" },
    });
    assert_eq!(skills[0]["frontmatter"], expected);
    let files = skills[0]["resources"].as_array().unwrap();
    let uris: Vec<_> = files
        .iter()
        .map(|file| file["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        uris,
        [
            "skill://forms/SKILL.md",
            "skill://forms/docs/a%20b.md",
            "skill://forms/logo.png"
        ]
    );
    assert_eq!(files[1]["size"], 9);
    // What `printf '# Fields\n' | sha256sum` says.
    let digest = "sha256:3cbcf0c9c32e0328dd320d0adf68d7ccf3c180c9ee9ed52c8aba6adb75220937";
    assert_eq!(files[1]["digest"], digest);

    let got = wire
        .request("skills/get", json!({ "uri": "skill://forms/SKILL.md" }))
        .await;
    assert_eq!(got["skill"], skills[0]);
    let text = read(&mut wire, "skill://forms/docs/a%20b.md").await;
    assert_eq!(text["contents"][0]["text"], "# Fields\n", "{text}");
    assert_eq!(text["contents"][0]["mimeType"], "text/markdown", "{text}");
    let image = read(&mut wire, "skill://forms/logo.png").await;
    assert_eq!(image["contents"][0]["blob"], "iVBORw0KGgoA", "{image}");
}

#[tokio::test]
async fn a_folder_of_a_skill_is_read_and_nothing_outside_of_it() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "forms/SKILL.md", SKILL_MD.as_bytes());
    write(folder.path(), "forms/docs/a b.md", b"# Fields\n");
    write(folder.path(), "secret.txt", b"secret");
    let server = serve(folder.path()).await;
    let mut wire = WireClient::connect_modern(&server, json!({}));
    let list = wire
        .request(
            "resources/directory/read",
            json!({ "uri": "skill://forms" }),
        )
        .await;
    let children: Vec<_> = list["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|child| {
            (
                child["uri"].as_str().unwrap(),
                child["mimeType"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        children,
        [
            ("skill://forms/SKILL.md", "text/markdown"),
            ("skill://forms/docs", "inode/directory"),
        ]
    );
    for uri in [
        "skill://forms/SKILL.md",
        "skill://forms/nothing",
        "skill://other",
        "skill://forms/",
    ] {
        let refused = wire
            .request("resources/directory/read", json!({ "uri": uri }))
            .await;
        let is_root = uri == "skill://forms/";
        assert_eq!(refused.get("error").is_some(), !is_root, "{uri}: {refused}");
    }
    for uri in [
        "skill://forms/../secret.txt",
        "skill://forms/%2E%2E/secret.txt",
        "skill://forms/docs/../SKILL.md",
        "skill://../secret.txt",
        "file:///etc/passwd",
    ] {
        let refused = read(&mut wire, uri).await;
        assert_eq!(refused["error"]["code"], -32602, "{uri}: {refused}");
    }
}

#[tokio::test]
async fn a_changed_skill_is_told_and_listed_anew() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "forms/SKILL.md", SKILL_MD.as_bytes());
    let server = serve(folder.path()).await;
    let mut wire = WireClient::connect_modern(&server, json!({}));
    let first = wire.request("skills/list", json!({})).await;
    write(
        folder.path(),
        "more/SKILL.md",
        b"---\nname: more\ndescription: More.\n---\n",
    );
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let second = wire.request("skills/list", json!({})).await;
        if second["skills"].as_array().unwrap().len() == 2 {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "{first}\n{second}");
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
}
