//! The key of a server's approval, which depends on its transport.

use std::path::{Path, PathBuf};

use url::Url;

use crate::{ServerConfig, StdioServer, Transport};
use helve_permission::acceptances::{AcceptanceKind, AcceptanceSubject, digest_of_fields};

/// Returns the subject of a server's approval. Another transport of a server with the same name needs its own approval.
pub(crate) fn subject(config: &ServerConfig) -> AcceptanceSubject {
    let name = config.name().as_str();
    AcceptanceSubject::new(AcceptanceKind::McpServer, name, described(config)).with_key(key(config))
}

/// Describes the transport of a server, without the parts of an address that may be secret.
fn described(config: &ServerConfig) -> String {
    match config.transport() {
        Transport::Stdio(server) => {
            let words = std::iter::once(&server.command).chain(&server.arguments);
            let words: Vec<&str> = words.map(String::as_str).collect();
            words.join(" ")
        }
        Transport::Http { url, .. } | Transport::Sse { url, .. } => without_secrets(url),
    }
}

/// Returns the digest of a server's name and transport.
///
/// The digest does not include the values of variables and headers: they are credentials, which change.
fn key(config: &ServerConfig) -> String {
    let mut fields = vec![config.name().to_string()];
    let mut field = |text: &str| fields.push(text.to_owned());
    match config.transport() {
        Transport::Stdio(server) => {
            field("stdio");
            field(&server.command);
            // The length of each list separates the lists.
            let environment = server.environment.keys().collect();
            let lists: [Vec<&String>; 3] = [
                server.arguments.iter().collect(),
                environment,
                server.inherited.iter().collect(),
            ];
            for list in lists {
                field(&list.len().to_string());
                list.iter().for_each(|text| field(text));
            }
            field(if server.sandboxed { "sandboxed" } else { "" });
            field(&folder_of(server).unwrap_or_default().to_string_lossy());
        }
        Transport::Http { url, .. } => {
            field("http");
            field(url);
        }
        Transport::Sse { url, .. } => {
            field("sse");
            field(url);
        }
    }
    digest_of_fields(fields.iter().map(String::as_str))
}

/// Returns the folder that determines which program runs: the configured one, or that of this process if the
/// program's path is relative and not a bare name.
fn folder_of(server: &StdioServer) -> Option<PathBuf> {
    let command = Path::new(&server.command);
    let is_relative = command.is_relative() && command.components().count() > 1;
    match &server.folder {
        Some(folder) => std::path::absolute(folder).ok(),
        None if is_relative => std::env::current_dir().ok(),
        None => None,
    }
}

fn without_secrets(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else {
        return "an address that is none".to_owned();
    };
    // These calls fail only for a URL without a host, which has no user information.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}
