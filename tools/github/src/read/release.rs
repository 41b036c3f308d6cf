//! `github_release`.

use helve::prelude::*;
use serde_json::Value;
use url::form_urlencoded::byte_serialize;

use super::{MAX_TITLE_CHARS, name, output, row};
use crate::client::Api;
use crate::endpoint::check_ref;
use crate::origin::ReadTarget;
use crate::repository::RepositoryName;
use crate::settings::check_settings;
use crate::text::{MAX_BODY_CHARS, body, day, one_line};
use crate::value::{count, counted, flag, items, login, text};

/// The most files of a release that are listed.
const MAX_ASSETS: usize = 30;

/// Reads a release of a repository on GitHub: its notes and its files.
#[tool(
    read_only,
    open_world,
    untrusted_output,
    title = "Read a release on GitHub",
    requires(net, fs, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    config_check = check_settings,
    examples = [r#"{"repo": "acme/app", "tag": "v1.2.0"}"#]
)]
pub async fn github_release(
    /// The repository, as `owner/name`; by default the `origin` of the working folder.
    repo: Option<&str>,
    /// The tag; by default that of the latest release.
    tag: Option<&str>,
    /// The address of the release, in place of `repo` and `tag`.
    url: Option<&str>,
    /// The first character of the notes to return.
    #[arg(default = 0)]
    start: usize,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let api = Api::new(cx).await?;
    let target = ReadTarget::new(&api, repo, url).await?;
    let repository = &target.repository;
    let rest = target.page.as_ref().map_or(&[][..], |page| &page.rest);
    let named = match rest {
        [releases, kind, tag @ ..] if releases == "releases" && kind == "tag" => {
            Some(tag.join("/"))
        }
        _ => None,
    };
    let tag = tag.map(str::to_owned).or(named);
    let (endpoint, what) = match &tag {
        Some(tag) => {
            let tag = check_ref(tag).map_err(ToolError::failed)?;
            (
                repository.endpoint(["releases", "tags", tag]),
                format!("the release `{tag}` of {repository}"),
            )
        }
        None => (
            repository.endpoint(["releases", "latest"]),
            format!("the latest release of {repository}"),
        ),
    };
    let item = api.read(&endpoint, &what).await?;
    let address = api.host.page(&format!("{repository}/releases"));
    Ok(output(
        "github_release",
        address,
        render(&api, repository, &item, start),
    ))
}

/// Renders a release: what it is, its files, and its notes.
fn render(api: &Api<'_>, repository: &RepositoryName, item: &Value, start: usize) -> String {
    let shown = body(text(item, "/body"), start, MAX_BODY_CHARS);
    let assets = items(item, "/assets");
    let files = assets.iter().take(MAX_ASSETS).map(|asset| {
        let size = format!("{} bytes", count(asset, "/size"));
        let downloads = counted(asset, "/download_count", "download");
        row([&*name(asset, "/name"), &*size, &*downloads])
    });
    let number = match assets.len() {
        0 => "no files".to_owned(),
        1 => "1 file".to_owned(),
        all if all > MAX_ASSETS => format!("{MAX_ASSETS} of {all} files"),
        all => format!("{all} files"),
    };
    let release = format!("{repository} {}", release_row(api, repository, item));
    let mut lines = vec![
        row([
            &*release,
            &*format!("by {}", login(item, "/author")),
            &*shown.note,
        ]),
        number,
    ];
    lines.extend(files);
    format!("{}\n\n{}", lines.join("\n"), shown.text)
        .trim_end()
        .to_owned()
}

/// Returns the row of a release.
pub(super) fn release_row(api: &Api<'_>, repository: &RepositoryName, item: &Value) -> String {
    let tag = name(item, "/tag_name");
    let title = one_line(text(item, "/name"), MAX_TITLE_CHARS);
    let escaped: String = byte_serialize(tag.as_bytes()).collect();
    row([
        &*tag,
        if title == tag { "" } else { &*title },
        if flag(item, "/draft") { "draft" } else { "" },
        if flag(item, "/prerelease") {
            "prerelease"
        } else {
            ""
        },
        day(text(item, "/published_at")),
        &*api
            .host
            .page(&format!("{repository}/releases/tag/{escaped}")),
    ])
}
