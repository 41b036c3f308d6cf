//! Sources of a host's own, such as a server.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use helve_runtime::skill::{
    Skill, SkillCatalog, SkillEnvironment, SkillError, SkillFile, SkillLibrary, SkillList,
    SkillOrigin, SkillSource,
};
use sha2::{Digest as _, Sha256};

use crate::skills_runtime::fixture::{Fixture, embedded, names};

/// A server that lists one skill and gives its text when it is asked for.
#[derive(Debug, Default)]
struct Server {
    version: AtomicU64,
    reads: AtomicU64,
}

impl Server {
    fn text(&self) -> String {
        let version = self.version.load(Ordering::SeqCst);
        format!("---\nname: remote\ndescription: d\n---\n# Version {version}\n")
    }
}

impl SkillSource for Server {
    fn origin(&self) -> SkillOrigin {
        let name = "shop".into();
        SkillOrigin::Server { name }
    }

    fn list(&self) -> BoxFuture<'_, Result<SkillList, SkillError>> {
        Box::pin(async {
            let revision = self.version.load(Ordering::SeqCst);
            if revision == 13 {
                let (origin, reason) = (self.origin(), "connection refused".into());
                return Err(SkillError::Unavailable { origin, reason });
            }
            let text = self.text();
            let sha256 = Sha256::digest(&text).into();
            let file = SkillFile::new("SKILL.md", text.len() as u64, &sha256);
            let skill = Skill::builder("remote", "Does it far away.", self.origin()).file(file);
            Ok(SkillList::new([skill.build()]).with_revision(revision))
        })
    }

    fn read<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Cow<'static, [u8]>, SkillError>> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(Cow::Owned(self.text().into_bytes())) })
    }

    fn revision(&self) -> BoxFuture<'_, u64> {
        Box::pin(async { self.version.load(Ordering::SeqCst) })
    }
}

#[tokio::test]
async fn a_servers_skill_is_fetched_when_it_is_loaded_and_not_before() {
    let server = Arc::new(Server::default());
    let library = SkillLibrary::new(SkillCatalog::new().with_source(server.clone()).await);
    let catalog = library.current();
    assert!(catalog.prompt().contains("Does it far away."));
    assert_eq!(catalog.get("remote").unwrap().body(), None);
    assert_eq!(server.reads.load(Ordering::SeqCst), 0);
    assert_eq!(catalog.load("remote").await.unwrap().body, "# Version 0");

    // What it gives now is not what it listed.
    server.version.store(1, Ordering::SeqCst);
    let error = catalog.load("remote").await.unwrap_err();
    assert!(matches!(error, SkillError::Changed { .. }), "{error}");
    let now = library.refresh().await.unwrap();
    assert_eq!(now.load("remote").await.unwrap().body, "# Version 1");

    server.version.store(13, Ordering::SeqCst);
    let now = library.refresh().await.unwrap();
    insta::assert_snapshot!(Fixture::new().notes(&now), @r#"the skills of the server `shop` are not available: connection refused"#);
}

/// A source that never answers.
#[derive(Debug)]
struct Silent;

impl SkillSource for Silent {
    fn origin(&self) -> SkillOrigin {
        SkillOrigin::Other("database".into())
    }

    fn list(&self) -> BoxFuture<'_, Result<SkillList, SkillError>> {
        Box::pin(std::future::pending())
    }

    fn read<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Cow<'static, [u8]>, SkillError>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_does_not_answer_keeps_nobody_waiting() {
    let catalog = SkillCatalog::new()
        .with(embedded(&[("pdf", "# PDF")]))
        .unwrap();
    let catalog = catalog.with_source(Arc::new(Silent)).await;
    assert_eq!(names(&catalog), ["pdf"]);
    insta::assert_snapshot!(Fixture::new().notes(&catalog), @r#"the skills of `database` are not available: no answer within 30 seconds"#);
}

#[tokio::test]
async fn an_embedded_set_is_a_source_like_any_other() {
    let set = embedded(&[("pdf", "# PDF")]);
    assert_eq!(set.list().await.unwrap().skills.len(), 1);
    assert!(
        set.read("pdf", "SKILL.md")
            .await
            .unwrap()
            .starts_with(b"---")
    );
    let error = set.read("pfd", "SKILL.md").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown skill `pfd`; did you mean `pdf`?"
    );
}

#[tokio::test]
async fn a_skill_that_lacks_something_is_left_out_and_said() {
    let world = Fixture::new();
    let skill = |name: &str, fields: &str| {
        let text = format!("---\nname: {name}\ndescription: d\n{fields}\n---\n# Body\n");
        world.write(&format!("project/.agents/skills/{name}/SKILL.md"), text);
    };
    skill("any", "external_cli_alternatives: [gh, hub]");
    skill("env", "env_required: [{name: API_URL}]");
    skill("fallback", "fallback_for_tools: [web_search]");
    skill("mac", "os: [macos]");
    skill("program", "metadata: {host: {requires: {bins: [ffmpeg]}}}");
    skill("tool", "required_tools: [bash]");
    skill("works", "required_tools: [web_search]\nos: [linux, darwin]");
    let catalog = world.catalog().await;
    assert_eq!(catalog.len(), 7);
    let here = SkillEnvironment::new()
        .tools(["web_search"])
        .variables(|_| false)
        .programs(|_| false)
        .system("linux");
    let catalog = catalog.with_environment(here);
    assert_eq!(names(&catalog), ["works"]);
    insta::assert_snapshot!(world.notes(&catalog), @r#"
    the skill `any` is unavailable: it needs one of these programs: `gh`, `hub`
    the skill `env` is unavailable: missing environment variables: `API_URL`
    the skill `fallback` is unavailable: it is a fallback for tools that are available: `web_search`
    the skill `mac` is unavailable: it supports `macos`, not `linux`
    the skill `program` is unavailable: missing programs: `ffmpeg`
    the skill `tool` is unavailable: missing tools: `bash`
    in the project's folder `/project/.agents/skills`: warning[SK0139]: `host` under `metadata` is a mapping, not text
      --> /project/.agents/skills/program/SKILL.md:4:11
       = help: write one text: `host: a, b`
    "#);
}
