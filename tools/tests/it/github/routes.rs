//! What the fake answers to which address.

use std::collections::BTreeMap;

use base64::Engine as _;
use serde_json::{Value, json};

use super::fake::{Request, Response, World};

pub(crate) const HEAD: &str = "6dcb09b5b57875f334f61aebed695e2e4193db5e";
pub(crate) const MAIN: &str = "aa218f56b14c9653891f9e74264a383fa43fefbd";
pub(crate) const TREE: &str = "cd8274d15fa3ae2ab983129fb037999f264ba9a7";
const MADE: &str = "7638417db6d59f3c431d3e1f261cc637155684cd";

pub(crate) fn user(login: &str) -> Value {
    json!({ "login": login, "id": 1 })
}

/// An issue by an author.
pub(crate) fn issue(number: u64, title: &str, body: &str, by: &str, association: &str) -> Value {
    json!({
        "number": number, "title": title, "body": body, "state": "open", "user": user(by),
        "author_association": association, "labels": [{ "name": "bug" }], "comments": 2,
        "created_at": "2026-11-18T10:00:00Z", "updated_at": "2026-11-20T10:00:00Z",
        "repository_url": "https://api.github.com/repos/acme/app", "html_url": "https://evil.example/steal",
    })
}

/// A comment by an author.
pub(crate) fn comment(id: u64, body: &str, by: &str, association: &str) -> Value {
    json!({
        "id": id, "body": body, "user": user(by), "author_association": association,
        "created_at": "2026-11-19T10:00:00Z", "html_url": "https://evil.example/steal",
    })
}

/// What the fake begins with.
pub(crate) fn world() -> World {
    let pull = json!({
        "number": 14, "title": "Parse empty input", "body": "Closes #12.", "state": "open", "user": user("bob"),
        "author_association": "CONTRIBUTOR", "labels": [], "draft": false, "merged": false, "mergeable": true,
        "mergeable_state": "clean", "commits": 1, "changed_files": 2, "additions": 3, "deletions": 1,
        "created_at": "2026-11-19T10:00:00Z", "updated_at": "2026-11-20T10:00:00Z",
        "head": { "ref": "empty-input", "sha": HEAD, "repo": { "full_name": "bob/app" } }, "base": { "ref": "main" },
    });
    let tree = json!({ "sha": TREE, "truncated": false, "tree": [
        { "path": "README.md", "mode": "100644", "type": "blob", "size": 12, "sha": MADE },
        { "path": "src", "mode": "040000", "type": "tree", "sha": MADE },
        { "path": "src/lib.rs", "mode": "100644", "type": "blob", "size": 40, "sha": MADE },
        { "path": "run.sh", "mode": "100755", "type": "blob", "size": 9, "sha": MADE },
        { "path": "link", "mode": "120000", "type": "blob", "size": 9, "sha": MADE },
        { "path": "vendor", "mode": "160000", "type": "commit", "sha": MADE },
    ] });
    World {
        is_private: false,
        issues: vec![
            issue(
                12,
                "The parser fails on empty input",
                "Steps:\n\n1. Give it nothing.",
                "alice",
                "CONTRIBUTOR",
            ),
            issue(13, "Write the guide", "It has no page.", "carol", "MEMBER"),
        ],
        comments: vec![
            comment(1001, "I see it, too.", "bob", "NONE"),
            comment(1002, "Thanks, we look at it.", "carol", "MEMBER"),
        ],
        pulls: vec![pull],
        reviews: Vec::new(),
        releases: vec![json!({
            "tag_name": "v1.2.0", "name": "Version 1.2", "body": "- Faster.", "author": user("carol"), "draft": false,
            "prerelease": false, "published_at": "2026-10-01T10:00:00Z",
            "assets": [{ "name": "app.tar.gz", "size": 4096, "download_count": 7 }],
        })],
        branches: BTreeMap::from([("main".to_owned(), MAIN.to_owned())]),
        trees: BTreeMap::from([(TREE.to_owned(), tree)]),
        commits: BTreeMap::from([(
            MAIN.to_owned(),
            json!({ "sha": MAIN, "tree": { "sha": TREE } }),
        )]),
    }
}

/// Reports whether an item has a number.
fn has(item: &Value, name: &str, number: &str) -> bool {
    item[name].as_u64() == number.parse().ok()
}

fn not_found() -> Response {
    Response::error(404, "Not Found")
}

fn found(value: Option<&Value>) -> Response {
    value.map_or_else(not_found, |value| Response::json(200, value))
}

/// Returns the page of a list that a request asks for, with a link to the next one.
fn page(request: &Request<'_>, items: &[Value]) -> Response {
    let number = |name: &str, usual| {
        request
            .query
            .get(name)
            .and_then(|value| value.parse().ok())
            .unwrap_or(usual)
    };
    let (page, size) = (number("page", 1), number("per_page", 30));
    let shown: Vec<&Value> = items.iter().skip((page - 1) * size).take(size).collect();
    let response = Response::json(200, &json!(shown));
    match items.len() > page * size {
        true => response.with(
            "link",
            format!("<{}?page={}>; rel=\"next\"", request.path, page + 1),
        ),
        false => response,
    }
}

pub(crate) fn answer(world: &mut World, request: &Request<'_>) -> Response {
    let segments = request.segments();
    match (request.method, &*segments) {
        ("GET", ["search", "issues"]) => {
            let items: Vec<&Value> = world.issues.iter().collect();
            Response::json(
                200,
                &json!({ "total_count": items.len(), "incomplete_results": false, "items": items }),
            )
        }
        ("GET", ["notifications"]) => page(
            request,
            &[json!({
                "repository": { "full_name": "acme/app", "private": false }, "reason": "review_requested", "unread": true,
                "subject": { "title": "Parse empty input", "type": "PullRequest", "url": "https://evil.example/x/14" },
                "updated_at": "2026-11-20T10:00:00Z",
            })],
        ),
        ("GET", ["repositories", "77"]) => {
            Response::json(200, &json!({ "full_name": "acme/renamed" }))
        }
        (_, ["repos", "acme", "old", rest @ ..]) => {
            let location = format!("/repositories/77/{}", rest.join("/"));
            Response::error(if request.method == "GET" { 301 } else { 307 }, "Moved")
                .with("location", location)
        }
        ("GET", ["repositories", "77", rest @ ..])
        | (_, ["repos", "acme", "app" | "renamed", rest @ ..]) => inside(world, request, rest),
        _ => not_found(),
    }
}

fn inside(world: &mut World, request: &Request<'_>, segments: &[&str]) -> Response {
    match request.method {
        "GET" => read(world, request, segments),
        _ => write(world, request, segments),
    }
}

fn read(world: &World, request: &Request<'_>, segments: &[&str]) -> Response {
    let by_number = |list: &[Value], number: &str| {
        list.iter()
            .find(|item| has(item, "number", number))
            .cloned()
    };
    match segments {
        [] => Response::json(
            200,
            &json!({
                "full_name": "acme/app", "private": world.is_private, "description": "Parses input.", "language": "Rust",
                "default_branch": "main", "open_issues_count": 3, "stargazers_count": 5, "forks_count": 1,
                "pushed_at": "2026-11-20T10:00:00Z", "license": { "spdx_id": "MIT" }, "topics": ["parser"],
            }),
        ),
        ["issues"] => page(request, &world.issues),
        ["issues", "comments", id] => found(world.comments.iter().find(|item| has(item, "id", id))),
        ["issues", number] => found(by_number(&world.issues, number).as_ref()),
        ["issues", _, "comments"] => page(request, &world.comments),
        ["issues", _, "timeline"] => page(
            request,
            &[
                json!({ "event": "labeled", "actor": user("carol"), "created_at": "2026-11-18T11:00:00Z", "label": { "name": "bug" } }),
                json!({ "event": "renamed", "actor": user("alice"), "created_at": "2026-11-18T12:00:00Z",
                "rename": { "from": "Crash", "to": "The parser fails" } }),
                json!({ "event": "commented", "user": null, "created_at": "2026-11-19T10:00:00Z" }),
            ],
        ),
        ["pulls"] => page(request, &world.pulls),
        ["pulls", number] => found(by_number(&world.pulls, number).as_ref()),
        ["pulls", _, "files"] => page(request, &files()),
        ["pulls", _, "reviews"] => page(request, &world.reviews),
        ["pulls", _, "comments"] => page(
            request,
            &[json!({
                "id": 31, "path": "src/lib.rs", "line": 3, "body": "Can this be empty?", "user": user("carol"),
                "author_association": "MEMBER", "commit_id": HEAD, "created_at": "2026-11-20T10:00:00Z",
            })],
        ),
        ["pulls", _, "commits"] | ["commits"] => page(
            request,
            &[json!({
                "sha": HEAD, "author": null, "commit": { "message": "Parse empty input\n\nMore.",
                "author": { "name": "Bob", "date": "2026-11-19T09:00:00Z" } },
            })],
        ),
        ["commits", HEAD, "check-runs"] => Response::json(
            200,
            &json!({ "total_count": 2, "check_runs": [
            { "name": "test", "status": "completed", "conclusion": "failure", "output": { "title": "1 of 9 failed" } },
            { "name": "lint", "status": "in_progress", "conclusion": null, "output": {} },
        ] }),
        ),
        ["commits", HEAD, "status"] => Response::json(
            200,
            &json!({ "statuses": [
            { "context": "deploy/preview", "state": "success", "description": "It is there." },
        ] }),
        ),
        other => read_code(world, request, other),
    }
}

/// Answers for what is in the repository of git, and what runs on it.
fn read_code(world: &World, request: &Request<'_>, segments: &[&str]) -> Response {
    match segments {
        ["branches"] => page(
            request,
            &[json!({ "name": "main", "protected": true, "commit": { "sha": MAIN } })],
        ),
        ["tags"] => page(
            request,
            &[json!({ "name": "v1.2.0", "commit": { "sha": MAIN } })],
        ),
        ["releases"] => page(request, &world.releases),
        ["releases", "latest"] | ["releases", "tags", "v1.2.0"] => found(world.releases.first()),
        ["contributors"] => page(request, &[json!({ "login": "carol", "contributions": 40 })]),
        ["contents", path @ ..] => contents(&path.join("/")),
        ["git", "trees", "HEAD"] => found(world.trees.get(TREE)),
        ["git", "trees", id] => found(world.trees.get(*id)),
        ["git", "commits", id] => found(world.commits.get(*id)),
        ["git", "blobs", _] => Response {
            status: 200,
            headers: Vec::new(),
            body: "large\n".repeat(3),
        },
        ["git", "matching-refs", "heads", branch @ ..] => {
            let branch = branch.join("/");
            let refs = world
                .branches
                .iter()
                .filter(|(name, _)| name.starts_with(&branch));
            let refs = refs.map(|(name, sha)| json!({ "ref": format!("refs/heads/{name}"), "object": { "sha": sha } }));
            Response::json(200, &refs.collect())
        }
        ["actions", "runs"] => {
            Response::json(200, &json!({ "total_count": 1, "workflow_runs": [run()] }))
        }
        ["actions", "runs", "9001"] => Response::json(200, &run()),
        ["actions", "runs", "9001", "jobs"] => Response::json(
            200,
            &json!({ "total_count": 2, "jobs": [
            { "id": 51, "name": "lint", "conclusion": "success", "steps": [] },
            { "id": 52, "name": "test", "conclusion": "failure",
              "steps": [{ "name": "Set up", "conclusion": "success" }, { "name": "Run tests", "conclusion": "failure" }] },
        ] }),
        ),
        _ => not_found(),
    }
}

fn run() -> Value {
    json!({
        "id": 9001, "name": "CI", "status": "completed", "conclusion": "failure", "event": "pull_request",
        "head_branch": "empty-input", "head_sha": HEAD, "actor": user("bob"), "run_attempt": 2,
        "created_at": "2026-11-20T10:00:00Z", "head_repository": { "full_name": "bob/app" },
    })
}

pub(crate) fn files() -> Vec<Value> {
    vec![
        json!({ "filename": "src/lib.rs", "status": "modified", "additions": 2, "deletions": 1,
            "patch": "@@ -1,2 +1,3 @@\n fn parse() {\n-    fail()\n+    // Nothing is fine.\n+    ok()" }),
        json!({ "filename": "tests/empty.bin", "previous_filename": "empty.bin", "status": "renamed", "additions": 1,
            "deletions": 0 }),
    ]
}

/// A file with a content.
pub(crate) fn file(content: &str) -> Value {
    let encoded = base64::engine::general_purpose::STANDARD.encode(content);
    // The API breaks the lines of what it encodes.
    let (first, rest) = encoded.split_at(4.min(encoded.len()));
    json!({ "type": "file", "size": content.len(), "encoding": "base64", "content": format!("{first}\n{rest}\n") })
}

fn contents(path: &str) -> Response {
    let value = match path {
        "src" => {
            json!([{ "type": "file", "name": "lib.rs", "size": 40 }, { "type": "dir", "name": "parse" }])
        }
        "src/lib.rs" => file("fn parse() {\n    ok()\n}\n"),
        "logo.png" => file("\u{0}PNG"),
        "large.txt" => {
            json!({ "type": "file", "size": 18, "encoding": "none", "content": "", "sha": MADE })
        }
        "damaged.txt" => {
            json!({ "type": "file", "size": 99, "encoding": "base64", "content": "aGk=" })
        }
        "link" => json!({ "type": "symlink", "target": "../../etc/passwd" }),
        "vendor" => {
            json!({ "type": "submodule", "submodule_git_url": "https://evil.example/x.git", "sha": MADE })
        }
        _ => return not_found(),
    };
    Response::json(200, &value)
}

fn write(world: &mut World, request: &Request<'_>, segments: &[&str]) -> Response {
    let body = &request.body;
    match (request.method, segments) {
        ("POST", ["issues"]) => {
            let number = 15 + world.issues.len() as u64;
            let made = issue(
                number,
                body["title"].as_str().unwrap(),
                body["body"].as_str().unwrap_or(""),
                "me",
                "OWNER",
            );
            world.issues.push(made.clone());
            Response::json(201, &made)
        }
        ("PATCH", ["issues", number]) => {
            let found = world
                .issues
                .iter_mut()
                .find(|item| has(item, "number", number));
            let Some(found) = found else {
                return not_found();
            };
            for (name, value) in body.as_object().unwrap() {
                found[name] = value.clone();
            }
            Response::json(200, found)
        }
        ("POST", ["issues", _, "comments"]) => {
            let made = comment(1003, body["body"].as_str().unwrap(), "me", "OWNER");
            world.comments.push(made.clone());
            Response::json(201, &made)
        }
        ("POST", ["pulls"]) if body["head"] == body["base"] => Response::json(
            422,
            &json!({
                "message": "Validation Failed",
                "errors": [{ "resource": "PullRequest", "code": "custom", "message": "No commits between main and main" }],
            }),
        ),
        ("POST", ["pulls"]) => Response::json(201, &json!({ "number": 21 })),
        ("POST", ["pulls", _, "reviews"]) => {
            let made = json!({ "id": 80, "user": user("me"), "author_association": "OWNER", "state": body["event"],
                "body": body["body"], "commit_id": HEAD, "submitted_at": "2026-11-21T10:00:00Z" });
            world.reviews.push(made.clone());
            Response::json(200, &made)
        }
        ("PUT", ["pulls", number, "merge"]) => {
            let found = world
                .pulls
                .iter_mut()
                .find(|item| has(item, "number", number));
            let Some(found) = found else {
                return not_found();
            };
            if body["sha"] != found["head"]["sha"] {
                return Response::error(
                    409,
                    "Head branch was modified. Review and try the merge again.",
                );
            }
            found["merged"] = json!(true);
            found["state"] = json!("closed");
            Response::json(200, &json!({ "merged": true, "sha": MADE }))
        }
        ("POST", ["releases"]) => Response::json(201, &json!({ "id": 5 })),
        ("POST", ["actions", "runs", "9001", "rerun" | "rerun-failed-jobs"]) => {
            Response::json(201, &json!({}))
        }
        (_, ["git", rest @ ..]) => write_git(world, request, rest),
        _ => not_found(),
    }
}

fn write_git(world: &mut World, request: &Request<'_>, segments: &[&str]) -> Response {
    let body = &request.body;
    let id = |number: usize| format!("{number:040x}");
    match (request.method, segments) {
        ("POST", ["trees"]) => {
            let id = id(1_000 + world.trees.len());
            world.trees.insert(id.clone(), body.clone());
            Response::json(201, &json!({ "sha": id }))
        }
        ("POST", ["commits"]) => {
            let id = id(2_000 + world.commits.len());
            world.commits.insert(id.clone(), body.clone());
            Response::json(201, &json!({ "sha": id }))
        }
        ("POST", ["refs"]) => {
            let name = body["ref"]
                .as_str()
                .unwrap()
                .trim_start_matches("refs/heads/");
            world
                .branches
                .insert(name.to_owned(), body["sha"].as_str().unwrap().to_owned());
            Response::json(201, &json!({}))
        }
        ("PATCH", ["refs", "heads", branch @ ..]) => {
            world
                .branches
                .insert(branch.join("/"), body["sha"].as_str().unwrap().to_owned());
            Response::json(200, &json!({}))
        }
        _ => not_found(),
    }
}
