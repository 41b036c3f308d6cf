//! `github_notifications`.

use helve::prelude::*;
use serde_json::Value;

use super::{MAX_TITLE_CHARS, output, row};
use crate::client::{Api, JSON};
use crate::endpoint::Endpoint;
use crate::listing::Listing;
use crate::lockdown::{Lockdown, WITHHELD};
use crate::repository::RepositoryName;
use crate::settings::{check_allowed, check_token};
use crate::text::{day, one_line};
use crate::value::{flag, items, text};

/// Lists the notifications of the user on GitHub, newest first.
#[tool(
    read_only,
    open_world,
    untrusted_output,
    title = "List notifications on GitHub",
    requires(net, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    config_check = check_token,
    examples = [r#"{"all": true}"#]
)]
pub async fn github_notifications(
    /// Whether those that were read are listed, too.
    #[arg(default)]
    all: bool,
    /// Whether only those are listed in which the user takes part or is mentioned.
    #[arg(default)]
    participating: bool,
    /// The page of the list.
    #[arg(default = 1, min = 1, max = 1000)]
    page: usize,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let api = Api::new(cx).await?;
    let endpoint = Endpoint::new(["notifications"])
        .with("all", all)
        .with("participating", participating);
    let answer = api
        .get(&endpoint.page(page), JSON, "the notifications")
        .await?;
    let value = answer.value()?;
    let all = items(&value, "");
    let rows = all.iter().filter_map(|item| notification_row(&api, item));
    let rows: Vec<String> = rows.collect();
    let left_out = match all.len() - rows.len() {
        0 => String::new(),
        number => format!("{number} of repositories that the settings leave out"),
    };
    let listing = Listing {
        one: "notification",
        many: "notifications",
        of: String::new(),
        page,
        has_next: answer.has_next,
        total: None,
        rows,
    };
    let text = listing.render_with(cx, &left_out);
    Ok(output(
        "github_notifications",
        api.host.page("notifications"),
        text,
    ))
}

/// Returns the row of a notification of a repository that the settings allow.
fn notification_row(api: &Api<'_>, item: &Value) -> Option<String> {
    let repository = RepositoryName::parse(text(item, "/repository/full_name")).ok()?;
    check_allowed(api.cx, &repository).ok()?;
    let is_public = !flag(item, "/repository/private");
    let title = match Lockdown::anywhere(api).is_on() && is_public {
        true => WITHHELD.to_owned(),
        false => one_line(text(item, "/subject/title"), MAX_TITLE_CHARS),
    };
    let kind = text(item, "/subject/type");
    // The number is all that is taken of the address.
    let number = text(item, "/subject/url")
        .rsplit('/')
        .next()
        .and_then(|last| last.parse::<u64>().ok());
    let address = match (kind, number) {
        ("Issue", Some(number)) => api.host.page(&format!("{repository}/issues/{number}")),
        ("PullRequest", Some(number)) => api.host.page(&format!("{repository}/pull/{number}")),
        _ => String::new(),
    };
    Some(row([
        &*format!("{repository} {title}"),
        &*one_line(kind, 40),
        &*one_line(text(item, "/reason"), 40).replace('_', " "),
        if flag(item, "/unread") { "unread" } else { "" },
        &*format!("updated {}", day(text(item, "/updated_at"))),
        &*address,
    ]))
}
