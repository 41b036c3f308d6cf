//! `github_file`.

mod lines;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helve::prelude::*;
use serde_json::Value;

use super::{name, output, row};
use crate::client::{Api, RAW};
use crate::endpoint::{check_path, check_ref};
use crate::listing::Listing;
use crate::lockdown::Lockdown;
use crate::origin::ReadTarget;
use crate::repository::RepositoryName;
use crate::settings::check_settings;
use crate::value::{count, number, sha, short_sha, text};

/// The most entries of a folder that the API lists.
const MAX_ENTRIES: usize = 1_000;

/// A file of a repository.
struct FilePlace<'a> {
    repository: &'a RepositoryName,
    path: String,
    /// The branch, the tag or the commit.
    at: Option<String>,
}

/// Reads a file of a repository on GitHub, with the numbers of its lines; of a folder, what is in it.
#[tool(
    read_only,
    open_world,
    untrusted_output,
    title = "Read a file on GitHub",
    requires(net, fs, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    config_check = check_settings,
    examples = [
        r#"{"repo": "acme/app", "path": "README.md"}"#,
        r#"{"repo": "acme/app", "path": "src/lib.rs", "ref": "v1.2.0", "lines": "10-40"}"#
    ]
)]
pub async fn github_file(
    /// The repository, as `owner/name`; by default the `origin` of the working folder.
    repo: Option<&str>,
    /// The path below the root of the repository.
    path: Option<&str>,
    /// The branch, the tag or the commit; by default the default branch.
    #[arg(name = "ref")]
    at: Option<&str>,
    /// The address of the file, in place of `repo`, `path` and `ref`.
    url: Option<&str>,
    /// The lines to return, such as "10-40".
    #[arg(pattern = "^[0-9]+(-[0-9]*)?$")]
    lines: Option<&str>,
    /// The first character to return of the first of these lines, where a line is too long for one result.
    #[arg(default = 0)]
    start: usize,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let api = Api::new(cx).await?;
    let target = ReadTarget::new(&api, repo, url).await?;
    let place = place(&target, path, at)?;
    let lockdown = Lockdown::new(&api, place.repository).await?;
    let mut endpoint = place.repository.endpoint(["contents"]);
    endpoint = endpoint.below(check_path(&place.path).map_err(ToolError::failed)?);
    if let Some(at) = &place.at {
        lockdown.check_ref(check_ref(at).map_err(ToolError::failed)?)?;
        endpoint = endpoint.with("ref", at);
    }
    let address = api.host.page(&place.repository.to_string());
    let item = api
        .read(
            &endpoint,
            &format!("the file `{}` in {}", place.path, place.repository),
        )
        .await?;
    let text = match (&item, text(&item, "/type")) {
        (Value::Array(entries), _) => folder(&api, &place, entries),
        (_, "file") => {
            let content = content(&api, &place, &item).await?;
            match text_of(&content) {
                Some(text) => lines::render(&api, &header(&place), text, lines, start)?,
                None => format!(
                    "{}: {} bytes that are no text",
                    header(&place),
                    content.len()
                ),
            }
        }
        (_, kind) => other_entry(&place, &item, kind)?,
    };
    Ok(output("github_file", address, text))
}

fn place<'a>(
    target: &'a ReadTarget,
    path: Option<&str>,
    at: Option<&str>,
) -> Result<FilePlace<'a>, ToolError> {
    let rest = target.page.as_ref().map_or(&[][..], |page| &page.rest);
    let (named_at, named_path) = match rest {
        [kind, at, path @ ..] if matches!(kind.as_str(), "blob" | "tree" | "raw" | "blame") => {
            (Some(at.clone()), Some(path.join("/")))
        }
        _ => (None, None),
    };
    let path = path.map(str::to_owned).or(named_path);
    Ok(FilePlace {
        repository: &target.repository,
        path: path.ok_or_else(|| ToolError::failed("name the file by `path`, or by `url`"))?,
        at: at.map(str::to_owned).or(named_at),
    })
}

fn header(place: &FilePlace<'_>) -> String {
    let at = place
        .at
        .as_ref()
        .map(|at| format!(" at {at}"))
        .unwrap_or_default();
    let path = match place.path.trim_matches('/') {
        "" => "the root".to_owned(),
        path => format!("`{}`", crate::text::one_line(path, 300)),
    };
    format!("{path} of {}{at}", place.repository)
}

fn folder(api: &Api<'_>, place: &FilePlace<'_>, entries: &[Value]) -> String {
    let rows = entries.iter().map(|entry| match text(entry, "/type") {
        "dir" => format!("{}/", name(entry, "/name")),
        "file" => row([
            &*name(entry, "/name"),
            &*format!("{} bytes", count(entry, "/size")),
        ]),
        kind => row([&*name(entry, "/name"), &*crate::text::one_line(kind, 20)]),
    });
    let listing = Listing {
        one: "entry",
        many: "entries",
        of: format!("of {}", header(place)),
        page: 1,
        has_next: false,
        total: None,
        rows: rows.collect(),
    };
    let remark = match entries.len() >= MAX_ENTRIES {
        true => {
            "GitHub lists no more, and there may be more: `github_repo` with `what` = \"tree\" lists all"
        }
        false => "",
    };
    listing.render_with(api.cx, remark)
}

/// Describes what is neither a folder nor a file with a content.
fn other_entry(place: &FilePlace<'_>, item: &Value, kind: &str) -> Result<String, ToolError> {
    let header = header(place);
    match kind {
        "symlink" => {
            let target = name(item, "/target");
            Ok(format!("{header} is a symbolic link to `{target}`"))
        }
        "submodule" => {
            let (url, sha) = (name(item, "/submodule_git_url"), short_sha(item, "/sha"));
            Ok(format!("{header} is a submodule: {url} at {sha}"))
        }
        _ => Err(ToolError::failed(format!(
            "{header} is neither a file nor a folder"
        ))),
    }
}

/// Reads the content of a file.
async fn content(api: &Api<'_>, place: &FilePlace<'_>, item: &Value) -> Result<Vec<u8>, ToolError> {
    let bytes = match text(item, "/encoding") {
        "base64" => {
            let encoded: String = text(item, "/content").split_ascii_whitespace().collect();
            let decoded = STANDARD.decode(encoded);
            decoded.map_err(|_| {
                ToolError::failed("the answer of GitHub is damaged: its content is no base64")
            })?
        }
        // The API leaves out the content of a file of more than 1 MB.
        _ => blob(api, place, item).await?,
    };
    let size = number(item, "/size").unwrap_or(bytes.len() as u64);
    if size != bytes.len() as u64 {
        return Err(ToolError::failed(format!(
            "the answer of GitHub is damaged: it has {} bytes of {size}",
            bytes.len()
        )));
    }
    Ok(bytes)
}

/// Returns the text of a file; `None` if it is none.
fn text_of(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok();
    text.filter(|text| !text.contains('\0'))
}

async fn blob(api: &Api<'_>, place: &FilePlace<'_>, item: &Value) -> Result<Vec<u8>, ToolError> {
    let id = sha(item, "/sha")
        .ok_or_else(|| ToolError::failed("the answer of GitHub does not say which file it is"))?;
    let endpoint = place.repository.endpoint(["git", "blobs", id]);
    Ok(api
        .get(&endpoint, RAW, &format!("the file `{}`", place.path))
        .await?
        .body)
}
