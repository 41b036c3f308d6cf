//! The tools of a library: what a model gets, and the message of each thing that goes wrong.

use std::sync::Arc;

use helve_runtime::Toolset;
use helve_runtime::skill::{ActiveSkills, SkillLibrary};
use helve_runtime::tool::{ToolContext, dispatch};
use serde_json::{Value, json};

use crate::skills_runtime::fixture::Fixture;

/// A session of a world.
struct Session {
    world: Fixture,
    library: Arc<SkillLibrary>,
    tools: Toolset,
    cx: ToolContext,
}

impl Session {
    async fn new(world: Fixture) -> Self {
        let library = Arc::new(SkillLibrary::new(world.catalog().await));
        Self {
            world,
            tools: SkillLibrary::tools(&library),
            library,
            cx: ToolContext::new(),
        }
    }

    /// Calls a tool, and returns what the model reads.
    async fn call(&self, tool: &str, arguments: Value) -> String {
        match self
            .tools
            .call(tool, &arguments.to_string(), &self.cx)
            .await
        {
            Ok(output) => {
                let notes = output.notes().join("\n");
                format!("{}{notes}", output.text())
            }
            Err(error) => format!("error: {error}"),
        }
    }

    async fn load(&self, name: &str, arguments: &str) -> String {
        let arguments = json!({ "name": name, "arguments": arguments });
        self.call("load_skill", arguments).await
    }

    async fn read(&self, path: &str) -> String {
        let arguments = json!({ "skill": "pdf", "path": path });
        self.call("read_skill_file", arguments).await
    }
}

fn pdf() -> Fixture {
    let world = Fixture::new();
    world
        .write(
            "project/.agents/skills/pdf/SKILL.md",
            "---\nname: pdf\ndescription: Fills forms.\nallowed-tools: Read, Bash(git add *)\n---\n# PDF\n\nFill $ARGUMENTS[0] by ${SKILL_DIR}/scripts/fill.sh.\n",
        )
        .write("project/.agents/skills/pdf/references/fields.md", "# Fields\n\nOne.\nTwo.\n")
        .write("project/.agents/skills/pdf/empty.md", "")
        .write("project/.agents/skills/pdf/logo.png", b"\x89PNG\r\n\x1a\n\0\xff")
        .write("project/.agents/skills/pdf/scripts/fill.sh", "#!/bin/sh\n");
    world
}

#[tokio::test]
async fn loading_gives_the_body_with_its_arguments_and_the_files_and_grants_nothing() {
    let session = Session::new(pdf()).await;
    let text = session.load("pdf", "'form 1.pdf' now").await;
    insta::assert_snapshot!(session.world.redact_paths(&text), @r#"
    <skill name="pdf">
    # PDF

    Fill form 1.pdf by /project/.agents/skills/pdf/scripts/fill.sh.
    </skill>
    <requested_tools>
    The skill requests these tools; the request does not allow them: Read, Bash(git add *)
    </requested_tools>
    <skill_files>
    empty.md (0 bytes)
    logo.png (10 bytes)
    references/fields.md (20 bytes)
    scripts/fill.sh (10 bytes, executable)
    </skill_files>
    "#);
}

#[tokio::test]
async fn a_second_time_is_a_short_note_until_something_changes() {
    let session = Session::new(pdf()).await;
    session.load("pdf", "a").await;
    insta::assert_snapshot!(session.load("pdf", "a").await, @r#"The skill `pdf` is already loaded and has not changed: follow its instructions above."#);
    insta::assert_snapshot!(session.load("pdf", "b").await, @r#"The skill `pdf` is already loaded and has not changed: follow its instructions above, with these arguments instead of the earlier ones: b"#);
    let active = ActiveSkills::list(&session.cx.conversation_state());
    assert_eq!(
        (active.len(), &*active[0].name, &*active[0].arguments),
        (1, "pdf", "b")
    );

    session.world.write(
        "project/.agents/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: d\n---\n# New\n",
    );
    session.library.refresh().await.unwrap();
    let text = session.load("pdf", "").await;
    assert!(
        text.starts_with("The skill changed after you loaded it"),
        "{text}"
    );
    assert!(text.contains("# New"), "{text}");

    ActiveSkills::forget(&session.cx.conversation_state(), "pdf");
    assert!(
        session
            .load("pdf", "")
            .await
            .starts_with("<skill name=\"pdf\">")
    );
    // Another session knows nothing of it.
    let other = Session {
        cx: ToolContext::new(),
        ..session
    };
    assert!(
        other
            .load("pdf", "")
            .await
            .starts_with("<skill name=\"pdf\">")
    );
}

#[tokio::test]
async fn files_are_shown_with_numbers_and_binary_ones_described() {
    let session = Session::new(pdf()).await;
    insta::assert_snapshot!(session.read("references/fields.md").await, @r#"
    1	# Fields
    2	
    3	One.
    4	Two.
    "#);
    let arguments =
        json!({ "skill": "pdf", "path": "references/fields.md", "offset": 2, "limit": 2 });
    insta::assert_snapshot!(session.call("read_skill_file", arguments).await, @r#"
         2	
         3	One.
    [lines 2 to 3 of 4; continue with offset=4]
    "#);
    insta::assert_snapshot!(session.read("logo.png").await, @r#"`logo.png` of the skill `pdf` is not text: a PNG image, 10 bytes, SHA-256 d44c4eee8f72efac76c1f294e7260408825c8dad42adaaf6e9bee7e7ef4c7de3. A script of the skill can work on it; its bytes cannot be shown."#);
    insta::assert_snapshot!(session.read("empty.md").await, @r#"(`empty.md` is empty)"#);
}

#[tokio::test]
async fn each_mistake_says_what_to_do() {
    let world = pdf();
    world.write(
        "project/.agents/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: d\ndisable-model-invocation: true\n---\n# Deploy\n",
    );
    let session = Session::new(world).await;
    insta::assert_snapshot!(session.load("pfd", "").await, @r#"error: unknown skill `pfd`; did you mean `pdf`?"#);
    insta::assert_snapshot!(session.load("weather", "").await, @r#"error: unknown skill `weather`; the skills are: deploy, pdf"#);
    insta::assert_snapshot!(session.load("deploy", "").await, @r#"error: only the user can start the skill `deploy`: ask the user to start it, and continue without it"#);
    insta::assert_snapshot!(session.read("fields.md").await, @r#"error: the skill `pdf` has no file `fields.md`; did you mean `references/fields.md`?"#);
    insta::assert_snapshot!(session.read("references/feilds.md").await, @r#"error: the skill `pdf` has no file `references/feilds.md`; did you mean `references/fields.md`?"#);
    insta::assert_snapshot!(session.read("x").await, @r#"error: the skill `pdf` has no file `x`; the files are: SKILL.md, empty.md, logo.png, references/fields.md, scripts/fill.sh"#);
    let arguments = json!({ "skill": "pdf", "path": "references/fields.md", "offset": 9 });
    insta::assert_snapshot!(session.call("read_skill_file", arguments).await, @r#"error: `references/fields.md` of the skill `pdf` has only 4 lines; use an `offset` from 1 to 4"#);
}

#[tokio::test]
async fn no_path_leads_out_of_a_skill() {
    let world = pdf();
    world
        .write("project/secret", "a secret")
        .skill("other", "# Other");
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        "../../../secret",
        world.path("project/.agents/skills/pdf/link"),
    )
    .unwrap();
    let secret = world.path("project/secret").display().to_string();
    let session = Session::new(world).await;
    for path in [
        "../other/SKILL.md",
        "../../../secret",
        "references/../../other/SKILL.md",
        "./references/../SKILL.md",
        "link",
        "/etc/passwd",
        &*secret,
        "references",
        "",
        "SKILL.md\0",
        "skill.md",
    ] {
        let text = session.read(path).await;
        assert!(
            text.starts_with("error: the skill `pdf` has no file"),
            "{path}: {text}"
        );
    }
}

#[tokio::test]
async fn a_skill_that_asks_for_it_is_a_tool_that_follows_its_folder() {
    let world = Fixture::new();
    let session = Session::new(world).await;
    assert_eq!(session.tools.names(), ["load_skill", "read_skill_file"]);
    session.world.write(
        "project/.agents/skills/review/SKILL.md",
        "---\nname: review\ndescription: Reviews.\ntool: true\n---\nReview $ARGUMENTS.\n",
    );
    session.library.refresh().await.unwrap();
    assert_eq!(
        session.tools.names(),
        ["load_skill", "read_skill_file", "review"]
    );
    let tool = session.tools.get("review").unwrap();
    insta::assert_snapshot!(tool.spec().description, @r#"
    Reviews.

    A skill: gives the instructions to follow.
    "#);
    assert_eq!(tool.spec().annotations.read_only, Some(true));
    let answer = session.call("review", json!({ "arguments": "src" })).await;
    insta::assert_snapshot!(answer, @r#"
    <skill name="review">
    Review src.
    </skill>
    "#);
    // It is the same skill as the one that load_skill loads.
    assert!(
        session
            .load("review", "src")
            .await
            .contains("already loaded")
    );
    let mistaken = session.call("review", json!({ "arguments": 1 })).await;
    assert!(mistaken.contains("arguments"), "{mistaken}");

    std::fs::remove_dir_all(session.world.path("project/.agents/skills/review")).unwrap();
    session.library.refresh().await.unwrap();
    assert!(session.tools.get("review").is_none());
    let late = dispatch::call(&*tool, &session.cx, "{}").await.unwrap_err();
    assert_eq!(
        late.to_string(),
        "unknown skill `review`; there are no skills"
    );
}

#[tokio::test]
async fn a_long_list_of_files_is_capped_and_a_long_file_is_read_on() {
    let world = pdf();
    for number in 0..60 {
        world.write(
            &format!("project/.agents/skills/pdf/data/{number:02}.txt"),
            "x",
        );
    }
    world.write(
        "project/.agents/skills/pdf/long.md",
        "word ".repeat(1_000) + "\n" + &"line\n".repeat(3_000),
    );
    let session = Session::new(world).await;
    let text = session.load("pdf", "").await;
    assert!(text.ends_with("and 15 more\n</skill_files>"), "{text}");
    let text = session.read("long.md").await;
    assert!(
        text.contains("… [line cut: 2000 of 5000 characters]"),
        "{text}"
    );
    assert!(
        text.ends_with("[lines 1 to 2000 of 3001; continue with offset=2001]"),
        "{text}"
    );
}
