//! `mcp login` and `mcp logout`: a person is sent to an address, and what comes back from there is kept.

mod browser;
mod site;

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use browser::{get, visit};
use site::{CODE, LoginServer, TOKENS};

use crate::mcp::fixture::McpFixture;

/// A place whose user has named the server.
fn place(site: &LoginServer) -> McpFixture {
    McpFixture::new().with_user_settings(&format!(
        "[mcp.servers.tickets]\nurl = \"{}/mcp\"\n",
        site.base()
    ))
}

/// Runs the binary, whose words may hold no token.
fn run(place: &McpFixture, site: &LoginServer, arguments: &[&str]) -> String {
    let seen = place.run(arguments);
    for token in TOKENS {
        assert!(!seen.contains(token), "{arguments:?}: {seen}");
    }
    site.redact_port(&seen)
}

/// Starts a login, hands its address to a browser, and returns what the person saw.
fn log_in(place: &McpFixture, site: &LoginServer, browser: impl FnOnce(&str)) -> String {
    let mut child = place
        .command(&["--log", "trace", "mcp", "login", "tickets"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut errors = child.stderr.take().expect("it is piped");
    // The log is not waited for.
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).map(|_| text)
    });
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut seen = String::new();
    loop {
        let mut line = String::new();
        let length = output.read_line(&mut line).expect("a line");
        assert!(length > 0, "no address was shown: {seen}");
        if let Some(address) = line.trim().strip_prefix("http://") {
            seen.push_str("  ADDRESS\n");
            browser(&format!("http://{address}"));
            break;
        }
        seen.push_str(&line);
    }
    output.read_to_string(&mut seen).expect("an output");
    let code = child.wait().expect("it ends").code();
    let errors = errors.join().expect("nobody panics").expect("a text");
    // All that there is to log is logged, and nothing in it lets anybody in.
    for secret in [TOKENS[0], TOKENS[1], CODE] {
        assert!(!seen.contains(secret), "{seen}");
        assert!(!errors.contains(secret), "{errors}");
    }
    let told = errors.lines().filter(|line| {
        line.trim_start().starts_with("error:") || line.trim_start().starts_with("Caused by:")
    });
    let told: String = told.map(|line| format!("{line}\n")).collect();
    site.redact_port(&format!(
        "exit {}\n{seen}--- stderr\n{told}",
        code.expect("a code")
    ))
}

/// The files in which logins are kept.
fn kept(place: &McpFixture) -> Vec<PathBuf> {
    let folder = place.path("home/.local/state/helve/assistant/logins");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = files.map(|file| file.path());
    files
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect()
}

/// Reads the one file in which a login is kept, which only the user can read.
fn only_file(place: &McpFixture) -> String {
    let files = kept(place);
    let [file] = &files[..] else {
        panic!("a login is one file: {files:?}");
    };
    let mode = |path: &Path| {
        let about = std::fs::metadata(path).expect("it is there");
        about.permissions().mode() & 0o777
    };
    assert_eq!(mode(file), 0o600);
    assert_eq!(mode(file.parent().expect("a folder")), 0o700);
    std::fs::read_to_string(file).expect("a text")
}

pub(crate) fn what_has_run_out_is_renewed_as_long_as_that_is_granted() {
    let site = LoginServer::start(true);
    let place = place(&site);
    let seen = log_in(&place, &site, |address| {
        visit(address);
    });
    assert!(seen.starts_with("exit 0"), "{seen}");
    run(&place, &site, &["mcp", "approve", "tickets", "--yes"]);
    assert_eq!(site.issued_tokens(), 1);
    site.expire_token();
    let call = ["call", "mcp__tickets__count", "{}"];
    let seen = run(&place, &site, &call);
    assert!(seen.contains("7 tickets"), "{seen}");
    assert_eq!(site.issued_tokens(), 2);
    let text = only_file(&place);
    assert!(text.contains(&format!("{}-2", TOKENS[1])), "{text}");
    // The next process goes on with what this one was given.
    let seen = run(&place, &site, &call);
    assert!(seen.contains("7 tickets"), "{seen}");
    assert_eq!(site.issued_tokens(), 2);

    site.expire_token();
    site.reject_renewal();
    insta::assert_snapshot!(run(&place, &site, &["mcp", "test", "tickets"]), @r#"
    exit 1
    --- stdout
    tickets  http://127.0.0.1:PORT/mcp  (~/.config/helve/helve.toml:2)
      ✗ the MCP server `tickets` asks for a login: run `mcp login tickets`
        → run `assistant mcp login tickets` to log in
    "#);
    insta::assert_snapshot!(run(&place, &site, &call), @"
    exit 2
    --- stderr
    note: the MCP server `tickets` asks for a login: run `mcp login tickets`
    error: unknown tool `mcp__tickets__count`
    help: run `tools` for a list
    ");
}

pub(crate) fn a_person_logs_in_and_out() {
    let site = LoginServer::start(true);
    let place = place(&site);
    insta::assert_snapshot!(run(&place, &site, &["mcp", "test", "tickets"]), @r#"
    exit 1
    --- stdout
    tickets  http://127.0.0.1:PORT/mcp  (~/.config/helve/helve.toml:2)
      ✗ the MCP server `tickets` asks for a login: run `mcp login tickets`
        → run `assistant mcp login tickets` to log in
    "#);
    insta::assert_snapshot!(log_in(&place, &site, |address| {
        let (status, text) = visit(address);
        assert!(status.contains(" 200 "), "{status}");
        assert!(text.contains("The login is done."), "{text}");
    }), @r#"
    exit 0
    Open this URL in your browser to log in:

      ADDRESS

    Waiting for the browser…
    logged in to `tickets` at http://127.0.0.1:PORT
      scopes: read
    --- stderr
    "#);

    let text = only_file(&place);
    assert!(TOKENS.iter().all(|token| text.contains(token)), "{text}");

    insta::assert_snapshot!(run(&place, &site, &["mcp", "test", "tickets"]), @r#"
    exit 0
    --- stdout
    tickets  http://127.0.0.1:PORT/mcp  (~/.config/helve/helve.toml:2)
      ✓ server: tickets 2.0.0
      ✓ protocol: 2025-06-18
      ✓ capabilities: tools
      · tools that need approval: count
      · the tools of MCP server `tickets` are not approved and not used; run `assistant mcp approve tickets` to review them
    "#);
    run(&place, &site, &["mcp", "approve", "tickets", "--yes"]);
    insta::assert_snapshot!(run(&place, &site, &["call", "mcp__tickets__count", "{}"]), @r#"
    exit 0
    --- stdout
    7 tickets
    --- stderr
    calling `mcp__tickets__count` (does not say what it changes, medium risk) in PLACE/project
    "#);
    for arguments in [
        &["mcp", "list", "--json"][..],
        &["config", "show"],
        &["--log", "trace", "mcp", "test", "tickets"],
    ] {
        let seen = run(&place, &site, arguments);
        assert!(seen.starts_with("exit 0"), "{seen}");
        assert_eq!(seen.contains(" TRACE "), arguments[0] == "--log", "{seen}");
    }

    insta::assert_snapshot!(run(&place, &site, &["mcp", "logout", "tickets"]), @r#"
    exit 0
    --- stdout
    removed the login of `tickets`; the token was not revoked at the server
    "#);
    assert_eq!(kept(&place), Vec::<PathBuf>::new());
    insta::assert_snapshot!(run(&place, &site, &["mcp", "test", "tickets"]), @r#"
    exit 1
    --- stdout
    tickets  http://127.0.0.1:PORT/mcp  (~/.config/helve/helve.toml:2)
      ✗ the MCP server `tickets` asks for a login: run `mcp login tickets`
        → run `assistant mcp login tickets` to log in
    "#);
    insta::assert_snapshot!(run(&place, &site, &["mcp", "logout", "tickets"]), @r#"
    exit 1
    --- stderr
    error: not logged in to `tickets`
    "#);
}

pub(crate) fn an_answer_of_nobody_ends_no_login() {
    let site = LoginServer::start(false);
    let place = place(&site);
    insta::assert_snapshot!(log_in(&place, &site, |address| {
        // Any page of a browser can send a request there.
        let back = site::redirect_uri(address);
        for forged in ["?code=mine", "?code=mine&state=guessed", "?error=access_denied&state=guessed"] {
            let (status, _) = get(&format!("{back}{forged}"));
            assert!(status.contains(" 404 "), "{forged}: {status}");
        }
        // The authorization server says no.
        let (_, text) = visit(address);
        assert!(text.contains("The login was refused."), "{text}");
    }), @r#"
    exit 1
    Open this URL in your browser to log in:

      ADDRESS

    Waiting for the browser…
    --- stderr
    error: the authorization server of `tickets` says no
      Caused by: access_denied not today
    "#);
    assert_eq!(kept(&place), Vec::<PathBuf>::new());
}
