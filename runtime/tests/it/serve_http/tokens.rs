//! Who may come in.

use helve::serve::{HttpError, HttpSettings, Server, Tokens};
use serde_json::json;

use super::served::{EDITOR, INITIALIZE, ROBOT, serve, two_principals};

#[tokio::test]
async fn every_request_needs_a_token_that_is_known() {
    let served = serve(two_principals());
    let right = format!("authorization: Bearer {EDITOR}");
    let lower = format!("Authorization: bearer  {ROBOT}");
    let longer = format!("{right}0");
    let shorter = &right[..right.len() - 1];
    let long = format!("authorization: Bearer {}", "x".repeat(8000));
    let mut said = Vec::new();
    for (name, head) in [
        ("none", &[][..]),
        ("right", &[&*right]),
        ("lower case", &[&*lower]),
        ("longer", &[&*longer]),
        ("shorter", &[shorter]),
        ("very long", &[&*long]),
        ("empty", &["authorization: Bearer "]),
        (
            "another scheme",
            &["authorization: Basic ZWRpdG9yOmVkaXRvcg=="],
        ),
        ("two", &[&*right, &*right]),
        ("in the name", &["authorization: Bearer editor"]),
    ] {
        let answer = served.ask("POST /mcp", head, INITIALIZE).await;
        let challenge = answer.header("www-authenticate").unwrap_or("-");
        said.push(format!("{name}: {} {challenge}", answer.status));
    }
    // Nothing is said of what is there and what is not.
    let elsewhere = served.ask("GET /elsewhere", &[], "").await;
    said.push(format!("elsewhere: {}", elsewhere.status));
    insta::assert_snapshot!(said.join("\n"), @r#"
    none: 401 Bearer realm="mcp"
    right: 200 -
    lower case: 200 -
    longer: 401 Bearer realm="mcp", error="invalid_token"
    shorter: 401 Bearer realm="mcp", error="invalid_token"
    very long: 401 Bearer realm="mcp", error="invalid_token"
    empty: 401 Bearer realm="mcp"
    another scheme: 401 Bearer realm="mcp"
    two: 401 Bearer realm="mcp"
    in the name: 401 Bearer realm="mcp", error="invalid_token"
    elsewhere: 401
    "#);
}

#[tokio::test]
async fn a_token_says_who_asks() {
    let served = serve(two_principals());
    for (token, name) in [(EDITOR, "editor"), (ROBOT, "robot")] {
        let token = format!("authorization: Bearer {token}");
        let called = served.call("who", json!({}), &[&token]).await;
        assert_eq!(
            called.message()["result"]["content"][0]["text"],
            format!("{name} of billing on http")
        );
    }
}

#[tokio::test]
async fn a_session_belongs_to_who_began_it() {
    let served = serve(two_principals());
    let editor = format!("authorization: Bearer {EDITOR}");
    let robot = format!("authorization: Bearer {ROBOT}");
    let id = served.session(&[&editor]).await;
    assert_eq!(served.ping(&id, &[&editor]).await, 200);
    assert_eq!(served.ping(&id, &[&robot]).await, 404);
    let session = format!("mcp-session-id: {id}");
    let listening = served.ask("GET /mcp", &[&robot, &session], "").await;
    assert_eq!(listening.status, 404);
    // Who may not use it cannot end it either.
    let ended = served.ask("DELETE /mcp", &[&robot, &session], "").await;
    assert_eq!(ended.status, 404);
    assert_eq!(served.ping(&id, &[&editor]).await, 200);
}

#[tokio::test]
async fn others_come_in_with_a_token_alone() {
    let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let server = Server::builder("test", "1.0.0").build();
    let served = server.serve_http(listener, HttpSettings::new(), Default::default());
    assert!(matches!(served.await, Err(HttpError::TokenNeeded(_))));
}

#[test]
fn a_text_of_tokens_is_read_or_refused_as_a_whole() {
    let mut tokens = Tokens::new();
    let good = "# who may come in\n\neditor=aaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbb==\neditor=cccccccccccccccc\n";
    tokens.read(good).unwrap();
    insta::assert_debug_snapshot!(tokens, @r#"
    Tokens(
        [
            "editor",
            "token",
        ],
    )
    "#);
    let long = "x".repeat(5000);
    let bad = [
        "",
        "# nothing",
        "short",
        "name=short",
        "ffffffffffffffff\nna me=gggggggggggggggg",
        "ok=dddddddddddddddd\n=eeeeeeeeeeeeeeee",
        "a/b=dddddddddddddddd",
        "x=ddddddddd=ddddddd",
        "x=ddddddddddddddddé",
        "robot=aaaaaaaaaaaaaaaa",
        &long,
    ];
    let errors = bad.map(|text| tokens.read(text).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    missing token: write `NAME=TOKEN` or a token alone, one per line
    missing token: write `NAME=TOKEN` or a token alone, one per line
    line 1: a token has 16 to 4096 characters; `openssl rand -hex 32` writes a good one
    line 1: a token has 16 to 4096 characters; `openssl rand -hex 32` writes a good one
    line 2: a token has 16 to 4096 characters; `openssl rand -hex 32` writes a good one
    line 2: a token has letters, digits and `-._~+/`, with `=` at its end alone; a name before it has letters, digits and `-._`
    line 1: a token has letters, digits and `-._~+/`, with `=` at its end alone; a name before it has letters, digits and `-._`
    line 1: a token has letters, digits and `-._~+/`, with `=` at its end alone; a name before it has letters, digits and `-._`
    line 1: a token has letters, digits and `-._~+/`, with `=` at its end alone; a name before it has letters, digits and `-._`
    line 1: this token is that of `editor` already
    line 1: a token has 16 to 4096 characters; `openssl rand -hex 32` writes a good one
    "#);
    // The good line of a bad text was not taken.
    assert!(tokens.read("other=dddddddddddddddd").is_ok());
}
