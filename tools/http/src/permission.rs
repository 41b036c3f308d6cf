//! Which requests ask, and the rules that are suggested for them.

use helve::ToolContext;
use helve::tool::{Check, CheckReport, FileAccess};

use crate::body::RequestBody;
use crate::plan::{RequestArguments, RequestPlan};
use crate::rule;

/// Judges a call, and makes its request. A mistake in the arguments needs no question, since nothing is sent.
pub(crate) fn judge(
    cx: &ToolContext,
    arguments: RequestArguments<'_>,
    save_to: Option<&str>,
) -> CheckReport {
    let plan = match RequestPlan::new(cx, arguments) {
        Ok(plan) => plan,
        Err(why) => {
            return CheckReport::from(Check::ReadOnly).with_value(Err::<RequestPlan, String>(why));
        }
    };
    // A body leaves this machine, whatever its method means.
    let only_reads = plan.method.only_reads() && plan.body.is_none();
    let check = match (only_reads, save_to) {
        (true, None) => Check::ReadOnly,
        (true, Some(path)) => Check::ask(format!("sends {}, and writes `{path}`", plan.describe())),
        (false, _) => Check::ask(format!("sends {}", plan.describe())),
    };
    let read = match &plan.body {
        RequestBody::File(path) => Some(FileAccess::read(path.as_str())),
        _ => None,
    };
    let accesses = read.into_iter().chain(save_to.map(FileAccess::write));
    let (method, url) = (plan.method, plan.url.clone());
    // No diff: a body that looks like one would stand in place of the request.
    CheckReport::from(check)
        .with_dry_run_text()
        .with_accesses(accesses)
        .with_suggested_rules(suggest(&plan))
        .with_rule_matcher(move |_, rule| rule::coverage(rule, method, &url))
        .with_value(Ok::<RequestPlan, String>(plan))
}

/// Suggests the rule for this path, and that for the whole host.
fn suggest(plan: &RequestPlan) -> Vec<String> {
    let (method, host) = (plan.method.as_str(), plan.host());
    let scheme = if plan.url.scheme() == "http" {
        "http://"
    } else {
        ""
    };
    // A rule cannot say a path in which its signs stand for themselves.
    let path = Some(plan.url.path()).filter(|path| !path.contains(['*', '%', ')']));
    let exact = path.map(|path| format!("{method} {scheme}{host}{path}"));
    exact
        .into_iter()
        .chain([format!("{method} {scheme}{host}/**")])
        .collect()
}
