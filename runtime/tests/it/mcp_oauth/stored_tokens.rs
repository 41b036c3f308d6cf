//! What is kept of a login, and how.

use std::fs;

use helve_runtime::mcp::{Logins, ServerConfig};
use insta::assert_snapshot;

use crate::mcp_oauth::fixture::{
    Differences, browser, chain, no_browser, server, server_with, start,
};

#[cfg(unix)]
#[tokio::test]
async fn tokens_are_in_a_file_that_only_the_user_can_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("state/logins");
    let site = start(Differences {
        secret: Some("registered-secret"),
        ..Differences::default()
    })
    .await;
    let config = server(&site);
    let logins = Logins::in_folder(&place);
    assert!(!logins.has_login(&config).await.unwrap());
    assert!(!place.exists(), "the folder is made when it is needed");
    let done = logins.login(&config, browser).await.unwrap();

    let entries = fs::read_dir(&place).unwrap().map(Result::unwrap);
    let files = entries.map(|entry| entry.path()).collect::<Vec<_>>();
    let [file] = files.as_slice() else {
        panic!("one file, with nothing beside it: {files:?}")
    };
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&place), mode(file)), (0o700, 0o600));
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains("secret-token") && text.contains("registered-secret"));
    let shown = format!("{logins:?} {done:?}");
    assert!(!shown.contains("secret-token") && !shown.contains("registered-secret"));

    // Another process finds it, and forgets it.
    let logins = Logins::in_folder(&place);
    assert!(logins.has_login(&config).await.unwrap());
    assert!(logins.logout(&config).await.unwrap());
    assert!(!logins.logout(&config).await.unwrap());
    assert!(!logins.has_login(&config).await.unwrap());
    assert!(!file.exists());
}

#[tokio::test]
async fn a_login_belongs_to_its_address_and_its_client() {
    let site = start(Differences::default()).await;
    let logins = Logins::in_memory();
    logins.login(&server(&site), browser).await.unwrap();
    let elsewhere = ServerConfig::http("tickets".parse().unwrap(), format!("{}/other", site.base));
    assert!(!logins.has_login(&elsewhere).await.unwrap());
    let other = server_with(&site, |auth| auth.client_id = Some("another".to_owned()));
    assert!(!logins.has_login(&other).await.unwrap());
}

#[tokio::test]
async fn a_broken_file_is_no_login() {
    let folder = tempfile::tempdir().unwrap();
    let site = start(Differences::default()).await;
    let logins = Logins::in_folder(folder.path());
    logins.login(&server(&site), browser).await.unwrap();
    let file = fs::read_dir(folder.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    fs::write(file.path(), "{ \"server\": ").unwrap();
    assert!(!logins.has_login(&server(&site)).await.unwrap());
    logins.login(&server(&site), browser).await.unwrap();
    assert!(logins.has_login(&server(&site)).await.unwrap());
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let site = start(Differences::default()).await;
    let logins = Logins::in_folder(file.join("logins"));
    let error = logins.login(&server(&site), browser).await.unwrap_err();
    let shown = chain(&error).replace(&folder.path().display().to_string(), "/home");
    let (place, name) = shown.split_once("/logins/").unwrap();
    let name = name.split_once(".json").unwrap();
    assert_eq!(name.0.len(), 32);
    assert_snapshot!(format!("{place}/logins/HASH.json{}", name.1), @r#"
    the login cannot be kept in `/home/file/logins/HASH.json`
    Not a directory (os error 20)
    "#);
}

#[tokio::test]
async fn nobody_logs_in_to_a_program_of_this_machine() {
    let config = ServerConfig::stdio("files".parse().unwrap(), "cat", ["-"]);
    let error = Logins::in_memory()
        .login(&config, no_browser)
        .await
        .unwrap_err();
    assert_snapshot!(chain(&error), @"`files` is not reached over HTTP, so there is nothing to log in to");
}
