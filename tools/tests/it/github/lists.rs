//! Lists that come in pages, and lists that GitHub cuts: what is not shown is said, and what can be reached is.

use serde_json::{Value, json};

use super::fake::{FakeGithub, Request, Response};
use super::routes::HEAD;
use super::{Session, routes};

/// Returns a page of a list in an object, with a link to the next one.
fn page(request: &Request<'_>, name: &str, all: &[Value]) -> Response {
    let number = |name: &str| request.query[name].parse::<usize>().unwrap();
    let (page, size) = (number("page"), number("per_page"));
    let shown: Vec<&Value> = all.iter().skip((page - 1) * size).take(size).collect();
    let answer = Response::json(200, &json!({ "total_count": all.len(), name: shown }));
    match all.len() > page * size {
        true => answer.with("link", "</x>; rel=\"next\""),
        false => answer,
    }
}

/// A fake with a run of 150 jobs, of which those after the first hundred failed as often as wanted, and with 130 runs of one
/// commit, of which the last one failed.
fn runs(failed: u64) -> FakeGithub {
    let job = move |id: u64| {
        let conclusion = if (110..110 + failed).contains(&id) {
            "failure"
        } else {
            "success"
        };
        json!({ "id": id, "run_id": 9001, "name": format!("test {id}"), "conclusion": conclusion, "steps": [] })
    };
    let jobs: Vec<Value> = (0..150).map(job).collect();
    let run = |id: u64| {
        let conclusion = if id == 9001 { "failure" } else { "success" };
        json!({ "id": id, "name": "CI", "conclusion": conclusion, "head_sha": HEAD })
    };
    let runs: Vec<Value> = (8872..=9001).map(run).collect();
    FakeGithub::new().with(move |request| {
        let segments = request.segments();
        match segments.get(3..).unwrap_or_default() {
            ["actions", "runs"] => Some(page(request, "workflow_runs", &runs)),
            ["actions", "runs", "9001", "jobs"] => Some(page(request, "jobs", &jobs)),
            ["actions", "jobs", "999"] => {
                Some(Response::json(200, &json!({ "id": 999, "run_id": 1 })))
            }
            ["actions", "jobs", id] => Some(Response::json(200, &job(id.parse().unwrap()))),
            ["actions", "jobs", id, "logs"] => Some(Response {
                status: 200,
                headers: Vec::new(),
                body: format!("the end of {id}"),
            }),
            _ => None,
        }
    })
}

#[tokio::test]
async fn jobs_that_failed_are_found_on_every_page() {
    let session = Session::with(runs(7), json!({})).await;
    let log = |more: Value| {
        let mut arguments = json!({ "repo": "acme/app", "what": "log", "failed_only": true });
        let more = more.as_object().unwrap().clone();
        arguments.as_object_mut().unwrap().extend(more);
        ("github_run", arguments)
    };
    let all = session
        .call_all([
            log(json!({ "pr": 14, "page": 2 })),
            log(json!({ "run": 9001, "page": 3 })),
            log(json!({ "job": 120 })),
            log(json!({ "url": "https://github.com/acme/app/actions/runs/9001/job/120" })),
            log(json!({ "run": 9001, "job": 999 })),
            log(json!({ "job": 120, "what": "jobs" })),
            log(json!({ "run": 9001, "what": "jobs" })),
        ])
        .await;
    insta::assert_snapshot!(all, @r#"
    # github_run {"repo":"acme/app","what":"log","failed_only":true,"pr":14,"page":2}
    the logs of 2 of 7 failed jobs of the run 9001 of acme/app, page 2

    === job 115 test 115 · failure · the last 1 of 1 lines
      the end of 115

    === job 116 test 116 · failure · the last 1 of 1 lines
      the end of 116

    # github_run {"repo":"acme/app","what":"log","failed_only":true,"run":9001,"page":3}
    no logs on page 3: the run 9001 of acme/app has 7 failed jobs

    # github_run {"repo":"acme/app","what":"log","failed_only":true,"job":120}
    the log of the job 120 of the run 9001 of acme/app

    === job 120 test 120 · success · the last 1 of 1 lines
      the end of 120

    # github_run {"repo":"acme/app","what":"log","failed_only":true,"url":"https://github.com/acme/app/actions/runs/9001/job/120"}
    the log of the job 120 of the run 9001 of acme/app

    === job 120 test 120 · success · the last 1 of 1 lines
      the end of 120

    # github_run {"repo":"acme/app","what":"log","failed_only":true,"run":9001,"job":999}
    error: the job is one of the run 1, and not of the run 9001

    # github_run {"repo":"acme/app","what":"jobs","failed_only":true,"job":120}
    error: `job` needs `what` to be log

    # github_run {"repo":"acme/app","what":"jobs","failed_only":true,"run":9001}
    7 failed jobs of the run 9001 of acme/app
    job 110 test 110 · failure
    job 111 test 111 · failure
    job 112 test 112 · failure
    job 113 test 113 · failure
    job 114 test 114 · failure
    job 115 test 115 · failure
    job 116 test 116 · failure
    "#);
    let (tool, first) = log(json!({ "run": 9001 }));
    let first = session.call(tool, first).await;
    assert!(
        first.starts_with(
            "the logs of 5 of 7 failed jobs of the run 9001 of acme/app; more with `page` 2\n"
        ) && first
            .contains("=== job 110 test 110 · failure · the last 1 of 1 lines\n  the end of 110"),
        "{first}"
    );
    let none = Session::with(runs(0), json!({})).await;
    let (tool, arguments) = log(json!({ "run": 9001 }));
    let none = none.call(tool, arguments).await;
    assert_eq!(none, "no failed jobs of the run 9001 of acme/app");
}

#[tokio::test]
async fn checks_and_statuses_have_pages() {
    let checks: Vec<Value> = (0..120)
        .map(|at| json!({ "name": format!("check {at}"), "conclusion": "success" }))
        .collect();
    let status = |at: u64| {
        let state = if at == 101 { "failure" } else { "success" };
        json!({ "context": format!("status {at}"), "state": state })
    };
    let statuses: Vec<Value> = (0..102).map(status).collect();
    let fake = FakeGithub::new().with(move |request| {
        match request.segments().get(3..).unwrap_or_default() {
            ["commits", HEAD, "check-runs"] => Some(page(request, "check_runs", &checks)),
            ["commits", HEAD, "status"] => Some(page(request, "statuses", &statuses)),
            _ => None,
        }
    });
    let session = Session::with(fake, json!({})).await;
    let checks = |page: u64| {
        session.call(
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": "checks", "page": page }),
        )
    };
    let first = checks(1).await;
    assert!(
        first.starts_with("200 of 222 checks of acme/app#14 at 6dcb09b5b; more with `page` 2\n"),
        "{first}"
    );
    let second = checks(2).await;
    assert!(
        second.starts_with("22 of 222 checks of acme/app#14 at 6dcb09b5b, page 2\n")
            && second.ends_with("\nfailure · status 101"),
        "{second}"
    );
}

#[tokio::test]
async fn what_github_does_not_list_is_said() {
    let commits: Vec<Value> = (0..250)
        .map(|_| json!({ "sha": HEAD, "commit": {} }))
        .collect();
    let entries: Vec<Value> = (0..1_000)
        .map(|at| json!({ "type": "dir", "name": format!("{at}") }))
        .collect();
    let fake = FakeGithub::new().with(move |request| match &request.segments()[..] {
        [.., "14", "commits"] => {
            let page: usize = request.query["page"].parse().unwrap();
            let shown: Vec<&Value> = commits.iter().skip((page - 1) * 30).take(30).collect();
            let answer = Response::json(200, &json!(shown));
            Some(if page < 9 { answer.with("link", "</x>; rel=\"next\"") } else { answer })
        }
        [.., "contents", "many"] => Some(Response::json(200, &json!(entries))),
        ["notifications"] => {
            let of = |name: &str| json!({ "repository": { "full_name": name }, "subject": { "title": "T", "type": "Issue" } });
            Some(Response::json(200, &json!([of("acme/app"), of("other/a"), of("other/b")])))
        }
        _ => None,
    });
    let session = Session::with(fake, json!({ "repos": ["acme/*"] })).await;
    let mut lines = Vec::new();
    let commits = |page: u64| {
        (
            "github_pr",
            json!({ "repo": "acme/app", "number": 14, "what": "commits", "page": page }),
        )
    };
    for (tool, arguments) in [
        commits(8),
        commits(9),
        ("github_file", json!({ "repo": "acme/app", "path": "many" })),
        ("github_notifications", json!({})),
    ] {
        let text = session.call(tool, arguments).await;
        lines.push(text.lines().next().unwrap_or_default().to_owned());
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    30 commits of acme/app#14, page 8; more with `page` 9
    10 commits of acme/app#14, page 9; GitHub lists at most 250 commits, and `info` says how many there are
    1000 entries of `many` of acme/app; GitHub lists no more, and there may be more: `github_repo` with `what` = "tree" lists all
    1 notification; 2 of repositories that the settings leave out
    "#);
}

#[tokio::test]
async fn a_long_line_of_a_file_is_read_to_its_end() {
    let content = format!("a\n{}END\nc\n", "0123456789".repeat(20_000));
    let fake = FakeGithub::new().with(move |request| {
        let is_it = request.path.ends_with("/contents/app.min.js");
        is_it.then(|| Response::json(200, &routes::file(&content)))
    });
    let session = Session::with(fake, json!({})).await;
    let file = |more: Value| {
        let mut arguments = json!({ "repo": "acme/app", "path": "app.min.js" });
        let more = more.as_object().unwrap().clone();
        arguments.as_object_mut().unwrap().extend(more);
        session.call("github_file", arguments)
    };
    let header = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let first = file(json!({})).await;
    assert_eq!(
        header(&first),
        "`app.min.js` of acme/app: lines 1 to 1 of 3; more with `lines` \"2-\""
    );
    let (mut start, mut line, mut last) = (0, String::new(), String::new());
    for _ in 0..9 {
        let text = file(json!({ "lines": "2-", "start": start })).await;
        last = header(&text);
        let shown = text.lines().nth(1).unwrap().trim_start();
        line.push_str(shown.strip_prefix("2\t").unwrap());
        match last.rsplit_once("`start` ") {
            Some((_, next)) => start = next.parse().unwrap(),
            None => break,
        }
    }
    assert!(
        line.len() == 200_003 && line.ends_with("9END"),
        "{}",
        line.len()
    );
    assert!(
        last.starts_with("`app.min.js` of acme/app: lines 2 to 3 of 3, line 2 from its character "),
        "{last}"
    );
    let past = file(json!({ "lines": "1", "start": 7 })).await;
    assert_eq!(past, "error: there is no character 7 of line 1: it has 1");
}
