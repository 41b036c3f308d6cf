//! Names and sources that are wrong, as `skills` and `bundles` say it.

use super::fixture::{SkillsFixture, with_skill};

#[test]
fn what_is_wrong_about_a_source_or_a_name_is_said() {
    let place = with_skill(SkillsFixture::new(), "project/kit", "pdf");
    let shown = [
        &["skills", "add", "./nowhere"][..],
        &["skills", "add", "kit"],
        &["skills", "add", "kit/pdf"],
        &["skills", "add", "kit/pdf/scripts"],
        &["skills", "add", "pdf"],
        &["skills", "add", "mcp:files"],
        &["bundles", "add", "kit"],
        &["bundles", "add", "./nowhere.zip"],
        &["bundles", "add", "./kit/pdf"],
        &["skills", "installed"],
        &["skills", "update"],
        &["skills", "verify"],
        &["skills", "enable", "nothing"],
        &["skills", "resume", "nothing"],
    ]
    .map(|arguments| format!("$ {}\n{}", arguments.join(" "), place.run(arguments)));
    insta::assert_snapshot!(shown.concat(), @"
    $ skills add ./nowhere
    exit 2
    --- stderr
    error: `./nowhere` is not a source: it does not exist
    $ skills add kit
    exit 2
    --- stderr
    error: `kit` is not a source: it is a folder here; write `./kit` for that, or `https://github.com/owner/repo` for a repository
    $ skills add kit/pdf
    exit 2
    --- stderr
    error: `kit/pdf` is not a source: it is a folder here; write `./kit/pdf` for that, or `https://github.com/owner/repo` for a repository
    $ skills add kit/pdf/scripts
    exit 2
    --- stderr
    error: `kit/pdf/scripts` is not a source: it is a folder here; write `./kit/pdf/scripts` for that, or `https://github.com/owner/repo` for a repository
    $ skills add pdf
    exit 2
    --- stderr
    error: Skills hub is not configured
    help: set `source` in `[skills.hub]`, or name a source such as `owner/repo`
    $ skills add mcp:files
    exit 1
    --- stderr
    error: no MCP server `files` has skills that are approved
    help: run `assistant mcp list` for the servers, or `assistant mcp approve files` to approve what it has
    $ bundles add kit
    exit 2
    --- stderr
    error: `kit` is not a source: it is a folder here; write `./kit` for that, or `https://github.com/owner/repo` for a repository
    $ bundles add ./nowhere.zip
    exit 2
    --- stderr
    error: `./nowhere.zip` is not a source: it does not exist
    $ bundles add ./kit/pdf
    exit 1
    --- stderr
    error: `PLACE/project/kit/pdf` is refused: it has no `.claude-plugin/plugin.json`, which makes a folder a bundle
    $ skills installed
    exit 0
    --- stdout
    no skills are installed; `assistant skills add SOURCE` installs some
    $ skills update
    exit 0
    --- stdout
    no skills are installed; `assistant skills add SOURCE` installs some
    $ skills verify
    exit 0
    --- stdout
    no skills are installed; `assistant skills add SOURCE` installs some
    $ skills enable nothing
    exit 2
    --- stderr
    error: unknown skill `nothing`; the skills are: explore-repository
    $ skills resume nothing
    exit 2
    --- stderr
    error: unknown skill `nothing`; the skills are: explore-repository
    ");
}
