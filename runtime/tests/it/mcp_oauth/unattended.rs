//! A program that gets its tokens without anybody.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use helve_runtime::mcp::{Logins, ServerConfig};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::mcp_oauth::fixture::{Differences, browser, chain, no_browser, server_with, start};
use crate::mcp_oauth::site::Site;

/// A key of these tests alone.
const KEY: &str = include_str!("key.pem");

fn own_client(site: &Site, secret: &str) -> ServerConfig {
    server_with(site, |auth| {
        auth.client_id = Some("robot".to_owned());
        auth.client_secret = Some(secret.to_owned());
    })
}

async fn site_that_takes(methods: Value) -> Site {
    start(Differences {
        metadata: [
            ("token_endpoint_auth_methods_supported", methods),
            ("scopes_supported", json!(["offline_access"])),
        ]
        .into(),
        lifetime: Some(3_600),
        ..Differences::default()
    })
    .await
}

#[tokio::test]
async fn a_secret_goes_to_the_place_that_the_authorization_server_wants() {
    for (method, header) in [("client_secret_basic", true), ("client_secret_post", false)] {
        let site = site_that_takes(json!([method])).await;
        let logins = Logins::in_memory();
        let done = logins
            .login(&own_client(&site, "s3cret"), no_browser)
            .await
            .unwrap();
        assert!(done.is_renewed);
        let asked = site.asked();
        let token = asked.last().unwrap();
        let form = token.form();
        assert_eq!(form["grant_type"], "client_credentials");
        assert_eq!(form["resource"], format!("{}/mcp", site.base));
        assert_eq!(form.get("scope"), None);
        let basic = format!("Basic {}", STANDARD.encode("robot:s3cret"));
        assert_eq!(token.headers.get("authorization") == Some(&basic), header);
        assert_eq!(form.contains_key("client_secret"), !header);
    }
}

#[tokio::test]
async fn a_key_stays_here_and_signs() {
    let site = site_that_takes(json!(["private_key_jwt"])).await;
    let logins = Logins::in_memory();
    logins
        .login(&own_client(&site, KEY), no_browser)
        .await
        .unwrap();
    let asked = site.asked();
    let form = asked.last().unwrap().form();
    let parts = form["client_assertion"].split('.').collect::<Vec<_>>();
    let part = |index: usize| {
        let bytes = URL_SAFE_NO_PAD.decode(parts[index]).unwrap();
        serde_json::from_slice::<Value>(&bytes).unwrap()
    };
    assert_eq!(part(0)["alg"], "ES256");
    assert_eq!(
        (&part(1)["iss"], &part(1)["sub"]),
        (&json!("robot"), &json!("robot"))
    );
    assert_eq!(part(1)["aud"], json!(site.base));
    assert!(!asked.iter().any(|asked| asked.body.contains("PRIVATE")));
}

#[tokio::test]
async fn what_is_no_key_is_named_without_being_shown() {
    let site = site_that_takes(json!(["private_key_jwt"])).await;
    let mut shown = String::new();
    for key in [
        "-----BEGIN PRIVATE KEY-----\nnot base64!\n-----END PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
    ] {
        let logins = Logins::in_memory();
        let error = logins
            .login(&own_client(&site, key), no_browser)
            .await
            .unwrap_err();
        shown.push_str(&chain(&error));
    }
    assert_snapshot!(shown, @r#"
    the key of the client for `tickets` is not a usable PEM private key: the text between its first and last line is not base64
    the key of the client for `tickets` is not a usable PEM private key: it begins like something else
    the key of the client for `tickets` is not a usable PEM private key: it is of none of the kinds RSA, P-256 and P-384
    "#);
}

#[tokio::test]
async fn a_secret_goes_to_one_authorization_server_alone() {
    let (first, second) = (
        start(Differences::default()).await,
        start(Differences::default()).await,
    );
    // One server, which names another authorization server from the second time on.
    let named = std::sync::Mutex::new(vec![second.base.clone(), first.base.clone()]);
    let site = Site::start(move |base, asked| {
        if asked.path != "/.well-known/oauth-protected-resource/mcp" {
            return crate::mcp_oauth::site::RawResponse::status(404);
        }
        let issuer = named.lock().unwrap().pop().unwrap();
        crate::mcp_oauth::site::RawResponse::json(&json!({
            "resource": format!("{base}/mcp"),
            "authorization_servers": [issuer],
        }))
    })
    .await;
    let logins = Logins::in_memory();
    let config = own_client(&site, "s3cret");
    logins.login(&config, no_browser).await.unwrap();
    let error = logins.login(&config, browser).await.unwrap_err();
    let shown = chain(&error).replace(&first.base, "http://first");
    assert_snapshot!(shown.replace(&second.base, "http://second"), @"`tickets` now sends its logins to `http://second`, and the secret of this client was used with `http://first`: if that is right, run `mcp logout tickets` first");
    assert!(!second.asked().iter().any(|asked| asked.method == "POST"));
}
