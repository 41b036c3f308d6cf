//! The checks of the last commit, and the statuses that others have set.

use helve::prelude::*;
use serde_json::Value;

use super::{PullRequestRead, info};
use crate::client::{Api, JSON};
use crate::listing::Listing;
use crate::lockdown::WITHHELD;
use crate::read::{MAX_TITLE_CHARS, name, row};
use crate::text::one_line;
use crate::value::{items, number as number_at, sha, text};

/// The items of a page.
const PER_PAGE: usize = 100;

/// Lists a page of both.
pub(super) async fn list(api: &Api<'_>, wanted: &PullRequestRead<'_>) -> Result<String, ToolError> {
    let PullRequestRead {
        repository,
        number,
        lockdown,
        page,
        ..
    } = *wanted;
    let item = info(api, repository, number).await?;
    let head = sha(&item, "/head/sha");
    let head = head.ok_or_else(|| {
        ToolError::failed(format!("{repository}#{number} has no commit any more"))
    })?;
    let what = format!("the checks of {repository}#{number}");
    let part = |part| {
        repository
            .endpoint(["commits", head, part])
            .page_of(page, PER_PAGE)
    };
    let runs = api.get(&part("check-runs"), JSON, &what).await?;
    let statuses = api.get(&part("status"), JSON, &what).await?;
    let has_next = runs.has_next || statuses.has_next;
    let (runs, statuses) = (runs.value()?, statuses.value()?);
    // The workflows of a commit, and what they are called, are its author's.
    let hides = lockdown.withholds(&item);
    let runs_of_page = items(&runs, "/check_runs").iter();
    let statuses_of_page = items(&statuses, "/statuses").iter();
    let rows = runs_of_page
        .map(|run| check_row(run, hides))
        .chain(statuses_of_page.map(|status| status_row(status, hides)));
    let rows: Vec<String> = rows.collect();
    let totals = [(&runs, "/check_runs"), (&statuses, "/statuses")].map(|(value, list)| {
        let listed = items(value, list).len() as u64;
        number_at(value, "/total_count").unwrap_or(listed)
    });
    let listing = Listing {
        one: "check",
        many: "checks",
        of: format!("of {repository}#{number} at {}", &head[..9]),
        page,
        has_next,
        total: Some(totals.iter().sum()),
        rows,
    };
    Ok(listing.render(api.cx))
}

fn check_row(run: &Value, hides: bool) -> String {
    let state = match text(run, "/conclusion") {
        "" => text(run, "/status"),
        conclusion => conclusion,
    };
    let state = one_line(state, 30);
    if hides {
        return row([&*state, WITHHELD]);
    }
    let title = one_line(text(run, "/output/title"), MAX_TITLE_CHARS);
    row([&*state, &*name(run, "/name"), &*title])
}

fn status_row(status: &Value, hides: bool) -> String {
    let state = one_line(text(status, "/state"), 30);
    if hides {
        return row([&*state, WITHHELD]);
    }
    let about = one_line(text(status, "/description"), MAX_TITLE_CHARS);
    row([&*state, &*name(status, "/context"), &*about])
}
