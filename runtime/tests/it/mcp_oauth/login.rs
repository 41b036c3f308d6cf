//! A person logs in.

use std::sync::{Arc, Mutex};

use helve_runtime::mcp::{LoginRequest, Logins};
use insta::assert_snapshot;
use serde_json::json;
use url::Url;

use crate::mcp_oauth::fixture::{Differences, browser, chain, server, server_with, start};

#[tokio::test]
async fn a_login_asks_in_order_and_proves_that_it_is_one() {
    let site = start(Differences::default()).await;
    let logins = Logins::in_memory().registered_as("workshop");
    let done = logins.login(&server(&site), browser).await.unwrap();

    assert_snapshot!(site.masked(&done.issuer), @"http://site");
    assert_snapshot!(site.visits(), @r#"
    GET /mcp
    GET /.well-known/oauth-protected-resource/mcp
    GET /.well-known/oauth-authorization-server
    POST /register
    GET /authorize
    POST /token
    "#);
    let asked = site.asked();
    let of = |path: &str| {
        asked
            .iter()
            .find(|asked| asked.path == path)
            .unwrap()
            .clone()
    };
    let registration = of("/register");
    let registration = serde_json::from_str::<serde_json::Value>(&registration.body).unwrap();
    assert_eq!(registration["client_name"], "workshop");
    assert_eq!(registration["application_type"], "native");
    let (login, token) = (of("/authorize"), of("/token").form());
    assert_eq!(login.query["code_challenge_method"], "S256");
    for resource in [&login.query["resource"], &token["resource"]] {
        assert_eq!(resource, &format!("{}/mcp", site.base));
    }
    assert_eq!(login.query["redirect_uri"], token["redirect_uri"]);
    assert!(login.query["redirect_uri"].starts_with("http://127.0.0.1:"));
}

#[tokio::test]
async fn what_comes_back_without_the_state_of_the_login_ends_nothing() {
    let site = start(Differences::default()).await;
    let statuses = Arc::new(Mutex::new(Vec::new()));
    let seen = statuses.clone();
    let visit_first = move |request: &LoginRequest| {
        let (request, seen) = (request.clone(), seen.clone());
        tokio::spawn(async move {
            let login = Url::parse(&request.url).unwrap();
            let value = |name: &str| {
                let mut pairs = login.query_pairs();
                pairs.find(|(key, _)| key == name).unwrap().1.into_owned()
            };
            let (back, state) = (value("redirect_uri"), value("state"));
            let root = back.trim_end_matches("/callback");
            for forged in [
                format!("{back}?code=mine&state=guessed"),
                format!("{back}?code=mine"),
                format!("{back}?code=mine&state={state}&state={state}"),
                format!("{back}?error=access_denied&state=guessed"),
                format!("{root}/favicon.ico?state={state}&code=mine"),
            ] {
                let answer = reqwest::get(forged).await.unwrap();
                seen.lock().unwrap().push(answer.status().as_u16());
            }
            // Connections that send nothing, as browsers open them, block no other.
            let address = root.trim_start_matches("http://");
            let idle = tokio::net::TcpStream::connect(address).await.unwrap();
            browser(&request);
            idle.readable().await.unwrap();
        });
    };
    let logins = Logins::in_memory();
    logins.login(&server(&site), visit_first).await.unwrap();
    assert_eq!(*statuses.lock().unwrap(), [404; 5]);
}

#[tokio::test]
async fn an_answer_of_another_authorization_server_is_not_exchanged() {
    let site = start(Differences {
        issuer: Some("https://evil.example.com"),
        ..Differences::default()
    })
    .await;
    let error = Logins::in_memory()
        .login(&server(&site), browser)
        .await
        .unwrap_err();
    assert_snapshot!(site.masked(chain(&error)), @r#"
    the login to `tickets` gave no token
    Authorization server issuer mismatch: expected http://site, received https://evil.example.com
    "#);
    assert!(!site.visits().contains("/token"));
}

#[tokio::test]
async fn a_refusal_is_told_in_one_line_that_a_terminal_does_not_act_on() {
    let site = start(Differences {
        refusal: Some("not\u{1b}[2J\ntoday\u{202e}"),
        ..Differences::default()
    })
    .await;
    let error = Logins::in_memory()
        .login(&server(&site), browser)
        .await
        .unwrap_err();
    assert_snapshot!(chain(&error), @r#"
    the authorization server of `tickets` says no
    access_denied not today
    "#);
}

#[tokio::test]
async fn nobody_is_waited_for_without_end() {
    let site = start(Differences::default()).await;
    let (shown, show) = tokio::sync::oneshot::channel();
    let shown = Mutex::new(Some(shown));
    let logins = Logins::in_memory();
    let config = server(&site);
    let login = logins.login(&config, move |_: &LoginRequest| {
        shown.lock().unwrap().take().unwrap().send(()).unwrap();
    });
    let leave = async {
        show.await.unwrap();
        tokio::time::pause();
        std::future::pending::<()>().await;
    };
    let error = tokio::select! {
        done = login => done.unwrap_err(),
        () = leave => unreachable!("it waits for ever"),
    };
    assert_snapshot!(chain(&error), @"the login to `tickets` was not completed within 5 minutes");
}

#[tokio::test]
async fn a_program_that_is_known_there_does_not_register() {
    let site = start(Differences {
        metadata: [("client_id_metadata_document_supported", json!(true))].into(),
        ..Differences::default()
    })
    .await;
    let document = "https://workshop.example.com/client.json";
    for id in ["workshop", document] {
        let config = server_with(&site, |auth| auth.client_id = Some(id.to_owned()));
        Logins::in_memory().login(&config, browser).await.unwrap();
        let asked = site.asked();
        let last = asked
            .iter()
            .rfind(|asked| asked.path == "/authorize")
            .unwrap();
        assert_eq!(last.query["client_id"], id);
    }
    assert!(!site.visits().contains("/register"));
}

#[tokio::test]
async fn a_document_is_of_no_use_where_it_is_not_read() {
    let site = start(Differences::default()).await;
    let config = server_with(&site, |auth| {
        auth.client_id = Some("https://workshop.example.com/client.json".to_owned());
    });
    Logins::in_memory().login(&config, browser).await.unwrap();
    assert!(site.visits().contains("POST /register"));
}

#[tokio::test]
async fn scopes_are_those_of_the_configuration_and_one_that_keeps_the_login() {
    let site = start(Differences {
        metadata: [(
            "scopes_supported",
            json!(["read", "write", "offline_access"]),
        )]
        .into(),
        ..Differences::default()
    })
    .await;
    let config = server_with(&site, |auth| auth.scopes = vec!["read".to_owned()]);
    let done = Logins::in_memory().login(&config, browser).await.unwrap();
    assert_eq!(done.scopes, ["read", "offline_access"]);

    // Without any, nothing is asked for: what an authorization server could give is not what this server needs.
    Logins::in_memory()
        .login(&server(&site), browser)
        .await
        .unwrap();
    let asked = site.asked();
    let last = asked
        .iter()
        .rfind(|asked| asked.path == "/authorize")
        .unwrap();
    assert_eq!(last.query.get("scope"), None);
}
