//! Hosts that publish skills, some of them hostile.

use helve_core::support::hex;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Project, Server, archive, manifest};

const INDEX: &str = "https://skills.example.com/.well-known/agent-skills/index.json";

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(&Sha256::digest(bytes)))
}

fn entry(name: &str, kind: &str, url: &str, digest: &str) -> Value {
    json!({ "name": name, "type": kind, "description": "Reads PDF files.", "url": url, "digest": digest })
}

fn index(skills: &[Value]) -> String {
    json!({ "$schema": "https://schemas.example.com/discovery/0.2.0/schema.json", "skills": skills }).to_string()
}

/// A host with one skill, as an archive with a script.
fn host() -> (Server, Vec<u8>) {
    let packed = archive(&[
        (
            "pdf/SKILL.md",
            0o644,
            &manifest("pdf", "Reads PDF files.", "Run `scripts/read.py`."),
        ),
        (
            "pdf/scripts/read.py",
            0o755,
            "#!/usr/bin/env python3\nprint('text')\n",
        ),
    ]);
    let mut server = Server::default();
    server.answer("https://skills.example.com/pdf.tar.gz", packed.clone());
    let skill = entry("pdf", "archive", "/pdf.tar.gz", &digest(&packed));
    server.answer(INDEX, index(&[skill]));
    (server, packed)
}

#[tokio::test]
async fn a_skill_of_a_host_is_installed_with_its_modes() {
    let (mut server, _) = host();
    let text = manifest("notes", "Takes notes.", "Take them.");
    server.answer("https://skills.example.com/notes/SKILL.md", text.clone());
    let project = Project::new();
    assert_eq!(
        project
            .add(&server, "https://skills.example.com")
            .await
            .unwrap(),
        ["pdf"]
    );
    let entry = entry(
        "notes",
        "skill-md",
        "/notes/SKILL.md",
        &digest(text.as_bytes()),
    );
    server.answer(INDEX, index(&[entry]));
    assert_eq!(
        project
            .add(&server, "https://skills.example.com")
            .await
            .unwrap(),
        ["notes"]
    );
    assert_eq!(project.read(".agents/skills/notes/SKILL.md"), text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let script = project
            .installer
            .skills_folder()
            .join("pdf/scripts/read.py");
        let mode = std::fs::metadata(script).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one row a case")]
async fn hostile_indexes_are_refused_and_leave_nothing_behind() {
    let (server, packed) = host();
    drop(server);
    let good = digest(&packed);
    let many: Vec<Value> = (0..100_000)
        .map(|number| entry(&format!("s{number}"), "archive", "/pdf.tar.gz", &good))
        .collect();
    let bounded: Vec<Value> = many[..1_001].iter().map(|skill| json!({ "name": skill["name"], "type": "archive", "description": "", "url": "", "digest": "" })).collect();
    let mut cases: Vec<(&str, String)> = vec![
        ("not JSON", "<html>".to_owned()),
        ("100,000 entries", index(&many)),
        ("1,001 entries", index(&bounded)),
        (
            "another version",
            json!({ "$schema": "https://x.example.com/discovery/0.3.0/schema.json", "skills": [] })
                .to_string(),
        ),
        ("no skills", index(&[])),
    ];
    let one = |skill: Value| index(&[skill]);
    cases.extend([
        (
            "a name that leaves the folder",
            one(entry("../../x", "archive", "/pdf.tar.gz", &good)),
        ),
        (
            "a name of look-alikes",
            one(entry("рdf", "archive", "/pdf.tar.gz", &good)),
        ),
        (
            "a name in capitals",
            one(entry("PDF", "archive", "/pdf.tar.gz", &good)),
        ),
        (
            "a name that is not the skill's",
            one(entry("csv", "archive", "/pdf.tar.gz", &good)),
        ),
        (
            "a name twice",
            index(&[
                entry("pdf", "archive", "/pdf.tar.gz", &good),
                entry("pdf", "archive", "/x", &good),
            ]),
        ),
        (
            "another digest",
            one(entry("pdf", "archive", "/pdf.tar.gz", &digest(b"other"))),
        ),
        ("no digest", one(entry("pdf", "archive", "/pdf.tar.gz", ""))),
        (
            "a weak digest",
            one(entry(
                "pdf",
                "archive",
                "/pdf.tar.gz",
                "md5:d41d8cd98f00b204e9800998ecf8427e",
            )),
        ),
        (
            "another host",
            one(entry(
                "pdf",
                "archive",
                "https://evil.example.com/pdf.tar.gz",
                &good,
            )),
        ),
        (
            "a redirect to another host",
            one(entry("pdf", "archive", "/moved", &good)),
        ),
        (
            "a redirect without end",
            one(entry("pdf", "archive", "/loop", &good)),
        ),
        (
            "a redirect to plain HTTP",
            one(entry("pdf", "archive", "/plain", &good)),
        ),
        (
            "a file",
            one(entry("pdf", "archive", "file:///etc/passwd", &good)),
        ),
        (
            "an unknown type",
            one(entry("pdf", "program", "/pdf.tar.gz", &good)),
        ),
        (
            "several skills in one archive",
            one(entry(
                "pdf",
                "archive",
                "/two.tar.gz",
                &digest(&two_skills()),
            )),
        ),
    ]);
    let mut shown = String::new();
    for (case, body) in cases {
        let (mut server, _) = host();
        server.answer(INDEX, body);
        server.answer("https://skills.example.com/two.tar.gz", two_skills());
        server.redirect(
            "https://skills.example.com/moved",
            "https://evil.example.com/pdf.tar.gz",
        );
        server.redirect("https://skills.example.com/loop", "/loop");
        server.redirect(
            "https://skills.example.com/plain",
            "http://skills.example.com/pdf.tar.gz",
        );
        let project = Project::new();
        let before = project.everything();
        let refusal = project
            .add(&server, "https://skills.example.com")
            .await
            .unwrap_err();
        assert_eq!(project.everything(), before, "{case}");
        let requests = server.requests.lock();
        assert!(
            requests
                .iter()
                .all(|request| request.url.starts_with("https://skills.example.com/")),
            "{case}"
        );
        shown.push_str(&format!("{case}: {}\n", refusal.lines().next().unwrap()));
    }
    insta::assert_snapshot!(shown, @r#"
    not JSON: the index is refused: it is invalid: expected value at line 1 column 1
    100,000 entries: failed to fetch `https://skills.example.com/.well-known/agent-skills/index.json`: it has more than 1048576 bytes
    1,001 entries: the index is refused: it has 1001 entries; at most 1000 are read
    another version: the index is refused: its schema is `https://x.example.com/discovery/0.3.0/schema.json`; discovery 0.2.0 is read
    no skills: `https://skills.example.com` has no skill: a skill is a folder with a `SKILL.md`
    a name that leaves the folder: the index is refused: `../../x` is no name of a skill
    a name of look-alikes: the index is refused: `рdf` is no name of a skill
    a name in capitals: the index is refused: `PDF` is no name of a skill
    a name that is not the skill's: the skill `csv` is refused: its `SKILL.md` has the name `pdf`
    a name twice: the index is refused: the skill `pdf` is there twice
    another digest: the skill `pdf` is refused: its content has the digest sha256:9c519200a575341633fc4a17658cb2670ed50ae88f0306d999dff841d738b588, and the index says sha256:d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa
    no digest: the skill `pdf` is refused: its digest is not of the form `sha256:…`
    a weak digest: the skill `pdf` is refused: its digest is not of the form `sha256:…`
    another host: failed to fetch `https://evil.example.com/pdf.tar.gz`: it leads to another host, `evil.example.com:443`, which the source does not name
    a redirect to another host: failed to fetch `https://skills.example.com/moved`: it leads to another host, `evil.example.com:443`, which the source does not name
    a redirect without end: failed to fetch `https://skills.example.com/loop`: it was redirected more than 5 times
    a redirect to plain HTTP: failed to fetch `http://skills.example.com/pdf.tar.gz`: only `https://` is used
    a file: failed to fetch `file:///etc/passwd`: only `https://` is used
    an unknown type: the index is refused: it is invalid: unknown variant `program`, expected `skill-md` or `archive` at line 1 column 109
    several skills in one archive: the skill `pdf` is refused: its archive has several skills
    "#);
}

fn two_skills() -> Vec<u8> {
    let [one, two] = ["pdf", "csv"].map(|name| manifest(name, "Reads files.", "Read."));
    archive(&[("pdf/SKILL.md", 0o644, &one), ("csv/SKILL.md", 0o644, &two)])
}
