//! Secrets that a request refers to: where they are sent, and that nothing else has them.

use std::sync::Arc;

use helve_runtime::capability::{
    Capability, CapabilityError, Credential, GrantedSecrets, GuardedHttp, Http, HttpRequest,
    HttpResponse, Requires, SecretRef,
};
use insta::assert_snapshot;

use crate::capability::http::{guarded, told};
use crate::capability::names::Names;
use crate::capability::server::{Server, ok, to};

const REQUIRES: Requires = Requires {
    net: true,
    secrets: &["API_KEY"],
    ..Requires::NONE
};

const ALLOW: &[&str] = &["127.0.0.1:*", "localhost:*"];

const VALUE: &str = "s3cr3t/of the \"key\"";

fn client() -> GuardedHttp {
    guarded(ALLOW, Names::new(&[("localhost", &["127.0.0.1"])]))
}

fn http(client: GuardedHttp) -> Http {
    let secrets = GrantedSecrets::new();
    let secrets = secrets
        .with_value("API_KEY", VALUE)
        .with_value("OTHER", "other-value");
    Http::new(&REQUIRES, Some(Arc::new(client))).with_secrets(Some(Arc::new(secrets)))
}

async fn send(
    http: &Http,
    url: &str,
    credentials: impl IntoIterator<Item = Credential>,
) -> Result<HttpResponse, CapabilityError> {
    let mut request = HttpRequest::new("GET", url);
    request.credentials.extend(credentials);
    http.send(request).await
}

fn asked(server: &Server) -> String {
    let asked = server.asked().join("\n");
    asked.replace(&server.port().to_string(), "PORT")
}

#[tokio::test]
async fn a_secret_is_sent_where_it_is_put() {
    let server = Server::start("127.0.0.1:0", &[]).await;
    let url = format!("http://{}/a", server.address);
    let key = || SecretRef::new("API_KEY", &url);
    let http = http(client());
    for credential in [
        key().in_header("Authorization", "Bearer "),
        key().as_password("ann"),
        key().in_query("key"),
    ] {
        send(&http, &url, [credential]).await.unwrap();
    }
    assert_snapshot!(asked(&server), @r#"
    GET /a HTTP/1.1
    accept-encoding: gzip, deflate, br
    authorization: Bearer s3cr3t/of the "key"
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT

    GET /a HTTP/1.1
    accept-encoding: gzip, deflate, br
    authorization: Basic YW5uOnMzY3IzdC9vZiB0aGUgImtleSI=
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT

    GET /a?key=s3cr3t%2Fof+the+%22key%22 HTTP/1.1
    accept-encoding: gzip, deflate, br
    accept: */*
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    "#);
}

#[tokio::test]
async fn another_origin_never_gets_it() {
    let other = Server::start(
        "127.0.0.1:0",
        &[("/end", &to(302, "http://127.0.0.1:{port}/back"))],
    )
    .await;
    let away = to(302, &format!("http://localhost:{}/end", other.port()));
    let server = Server::start(
        "127.0.0.1:0",
        &[("/same", &to(302, "/away?x=1")), ("/away?x=1", &away)],
    )
    .await;
    let url = format!("http://{}/same", server.address);
    let key = SecretRef::new("API_KEY", &url);
    let credentials = [key.clone().in_header("x-key", "")];
    let response = send(&http(client()), &url, credentials).await.unwrap();
    assert_eq!(response.status, 404);
    assert_eq!(asked(&server).matches("x-key").count(), 2);
    assert!(
        !other.asked().join("").contains("s3cr3t"),
        "{:?}",
        other.asked()
    );
    // A request that goes elsewhere from the start is not sent at all.
    let elsewhere = format!("http://localhost:{}/", server.port());
    let error = send(&http(client()), &elsewhere, [key.in_query("key")])
        .await
        .unwrap_err();
    let error = told(&error).replace(&server.port().to_string(), "PORT");
    assert_snapshot!(error, @"using the network failed: the secret `API_KEY` is not sent: it is bound to `http://127.0.0.1:PORT`, and the request goes to `http://localhost:PORT`");
}

#[tokio::test]
async fn what_the_response_repeats_is_masked() {
    let quoted = "s3cr3t/of the \\\"key\\\"";
    let body =
        format!("{VALUE}, {quoted}, czNjcjN0L29mIHRoZSAia2V5Ig==, s3cr3t%2Fof+the+%22key%22");
    let response = ok(&body).replacen("\r\n", &format!("\r\nx-echo: {VALUE}\r\n"), 1);
    let server = Server::start("127.0.0.1:0", &[("/a", &response)]).await;
    let url = format!("http://{}/a", server.address);
    let key = SecretRef::new("API_KEY", &url);
    let response = send(&http(client()), &url, [key.in_header("x-key", "")])
        .await
        .unwrap();
    assert_snapshot!(String::from_utf8_lossy(&response.body), @"[REDACTED:secret], [REDACTED:secret], [REDACTED:secret]==, [REDACTED:secret]");
    let echo = response.headers.iter().find(|(name, _)| name == "x-echo");
    assert_eq!(echo.unwrap().1, "[REDACTED:secret]");
}

#[tokio::test]
async fn a_redirect_does_not_carry_it_away() {
    let other = Server::start("127.0.0.1:0", &[]).await;
    let target = format!(
        "http://localhost:{}/s3cr3t%2Fof%20the%20%22key%22/x?y",
        other.port()
    );
    let server = Server::start("127.0.0.1:0", &[("/a", &to(307, &target))]).await;
    let url = format!("http://{}/a", server.address);
    let key = SecretRef::new("API_KEY", &url);
    let error = send(&http(client()), &url, [key.in_header("x-key", "")])
        .await
        .unwrap_err();
    let error = told(&error).replace(&other.port().to_string(), "PORT");
    assert_snapshot!(error, @"HOST_NOT_ALLOWED refused: `http://localhost:PORT/[REDACTED:secret]/x` may not be reached: the redirect would send a secret to another origin");
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn a_secret_is_declared_or_granted_and_for_this_origin() {
    let server = Server::start("127.0.0.1:0", &[]).await;
    let url = format!("http://{}/", server.address);
    let send_with = async |client: GuardedHttp, secret: SecretRef| {
        let sent = send(&http(client), &url, [secret.in_header("x-key", "")]).await;
        let text = sent.map_or_else(|error| told(&error), |response| response.status.to_string());
        text.replace(&server.port().to_string(), "PORT")
    };
    let granted = |name: &str, url: &str| client().granted_secrets([SecretRef::new(name, url)]);
    let mut all = vec![
        send_with(client(), SecretRef::new("OTHER", &url)).await,
        send_with(granted("OTHER", &url), SecretRef::new("OTHER", &url)).await,
        send_with(
            granted("API_KEY", "https://api.example.com"),
            SecretRef::new("API_KEY", &url),
        )
        .await,
        send_with(granted("GONE", &url), SecretRef::new("GONE", &url)).await,
        send_with(client(), SecretRef::new("API_KEY", "nonsense")).await,
        send_with(client(), SecretRef::new("API_KEY", "data:text/plain,x")).await,
    ];
    let none = Http::new(&REQUIRES, Some(Arc::new(client())));
    let key = SecretRef::new("API_KEY", &url).in_query("key");
    let error = send(&none, &url, [key]).await.unwrap_err();
    assert!(
        error.to_string().contains("refused"),
        "{}",
        Capability::Secrets
    );
    all.push(told(&error));
    assert_snapshot!(all.join("\n"), @r#"
    SECRET_NOT_DECLARED refused: this tool did not declare the secret `OTHER`; declare `requires(secrets("OTHER"))` on the tool
    404
    using the network failed: the secret `API_KEY` is not sent: the settings do not grant it for `http://127.0.0.1:PORT`
    NOT_GRANTED refused: this app does not grant the secret `GONE`; grant it where the app is built
    using the network failed: the secret `API_KEY` is not sent: it is bound to `nonsense`, which is no origin; write `https://host`
    using the network failed: the secret `API_KEY` is not sent: it is bound to `data:text/plain,x`, which is no origin; write `https://host`
    NOT_GRANTED refused: this app does not grant access to secrets; grant it where the app is built
    "#);
}

#[tokio::test]
async fn a_value_that_no_header_can_have_is_not_shown() {
    let url = "http://localhost:1/";
    let secrets = GrantedSecrets::new().with_value("API_KEY", "two\nlines");
    let http = Http::new(&REQUIRES, Some(Arc::new(client())));
    let http = http.with_secrets(Some(Arc::new(secrets)));
    let mut all = Vec::new();
    for credential in [
        SecretRef::new("API_KEY", url).in_header("x-key", ""),
        SecretRef::new("API_KEY", url).in_header("Host", ""),
        SecretRef::new("API_KEY", url).in_header("x key", ""),
        SecretRef::new("API_KEY", url).as_password("a:b"),
    ] {
        all.push(told(&send(&http, url, [credential]).await.unwrap_err()));
    }
    assert_snapshot!(all.join("\n"), @"
    using the network failed: the header `x-key` cannot be sent: the value of its secret has a line break or another control character
    using the network failed: the header `Host` cannot be sent: it is set by the client itself; leave it out
    using the network failed: the header `x key` cannot be sent: its name is none
    using the network failed: the header `authorization` cannot be sent: the name of the user has a colon
    ");
}
