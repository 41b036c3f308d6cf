//! `serve --http ADDRESS`: where, for whom, and with which tokens.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use tokio_util::sync::CancellationToken;

use crate::output;
use helve_serve::{HttpError, HttpSettings, NameError, Server, Tokens, TokensError};

/// How long a file of tokens may be.
const MAX_TOKEN_FILE_BYTES: u64 = 1 << 20;

/// The flags of serving over HTTP.
pub(super) fn arguments() -> Vec<Arg> {
    let several = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .action(ArgAction::Append)
            .requires("http")
            .help(help)
    };
    let http = Arg::new("http")
        .long("http")
        .value_name("ADDRESS")
        .value_parser(ListenAddress::parse)
        .help("Serve over HTTP, at `/mcp`: HOST:PORT, or a port of this machine alone; port 0 takes any that is free");
    let token_file = several(
        "token-file",
        "FILE",
        "Let in whoever has a token of this file: `NAME=TOKEN` or a token alone, one a line; `#` begins a comment",
    );
    vec![
        http,
        several(
            "token-env",
            "VARIABLE",
            "Let in whoever has a token of this variable, written in the same way",
        ),
        token_file.value_parser(value_parser!(PathBuf)),
        several(
            "allow-host",
            "HOST",
            "Answer to this name, too, such as that of a proxy before the server",
        ),
        several(
            "allow-origin",
            "ORIGIN",
            "Answer pages of this site, such as `https://app.example.com`",
        ),
    ]
}

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListenAddress {
    pub(super) host: String,
    pub(super) port: u16,
}

impl ListenAddress {
    fn parse(text: &str) -> Result<Self, String> {
        let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
        let port = port.parse();
        let port = port.map_err(|_| "write HOST:PORT, such as 127.0.0.1:8080, or a port")?;
        let host = if host.is_empty() { "127.0.0.1" } else { host };
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }
}

/// Says why nothing can be served over HTTP.
#[derive(Debug, thiserror::Error)]
pub(super) enum ListenerError {
    #[error("`{variable}` (from --token-env) is not set")]
    MissingVariable { variable: String },
    #[error("`{variable}` (from --token-env) holds no tokens")]
    InvalidVariable {
        variable: String,
        #[source]
        source: TokensError,
    },
    #[error("`{}` (from --token-file) cannot be read", path.display())]
    ReadFile {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` (from --token-file) holds no tokens", path.display())]
    InvalidFile {
        path: PathBuf,
        #[source]
        source: TokensError,
    },
    #[error(transparent)]
    InvalidName(#[from] NameError),
    #[error("`{host}:{port}` cannot be listened on")]
    Bind {
        host: String,
        port: u16,
        #[source]
        source: io::Error,
    },
    #[error(
        "`{0}` is reached from other machines, so that a token is needed: give one with --token-env or --token-file, or \
         listen on 127.0.0.1"
    )]
    TokenNeeded(SocketAddr),
}

/// A listener, and who may come in.
pub(super) struct HttpListener {
    listener: TcpListener,
    address: SocketAddr,
    settings: HttpSettings,
}

impl HttpListener {
    /// Reads the tokens, and listens.
    pub(super) fn open(
        address: &ListenAddress,
        matches: &ArgMatches,
    ) -> Result<Self, ListenerError> {
        let tokens = read_tokens(matches)?;
        let has_tokens = !tokens.is_empty();
        let mut settings = HttpSettings::new().tokens(tokens);
        for host in flag_values(matches, "allow-host") {
            settings = settings.allow_host(host)?;
        }
        for origin in flag_values(matches, "allow-origin") {
            settings = settings.allow_origin(origin)?;
        }
        let ListenAddress { host, port } = address;
        let failed = |source| ListenerError::Bind {
            host: host.clone(),
            port: *port,
            source,
        };
        let name = host.trim_start_matches('[').trim_end_matches(']');
        let found: Vec<SocketAddr> = (name, *port).to_socket_addrs().map_err(failed)?.collect();
        // Nothing listens, not even for a moment, where others would come in without a token.
        if !has_tokens && let Some(open) = found.iter().find(|found| !found.ip().is_loopback()) {
            return Err(ListenerError::TokenNeeded(*open));
        }
        let listener = TcpListener::bind(&*found).map_err(failed)?;
        Ok(Self {
            address: listener.local_addr().map_err(failed)?,
            listener,
            settings,
        })
    }

    /// Says where it listens, and serves until it is stopped.
    pub(super) async fn serve(
        self,
        server: &Server,
        stop: CancellationToken,
    ) -> Result<(), HttpError> {
        output::note(&format!("serving at http://{}/mcp", self.address));
        server.serve_http(self.listener, self.settings, stop).await
    }
}

fn flag_values<'m>(matches: &'m ArgMatches, name: &str) -> impl Iterator<Item = &'m String> {
    matches.get_many::<String>(name).into_iter().flatten()
}

fn read_tokens(matches: &ArgMatches) -> Result<Tokens, ListenerError> {
    let mut tokens = Tokens::new();
    for variable in flag_values(matches, "token-env") {
        let variable = variable.clone();
        let Ok(text) = std::env::var(&variable) else {
            return Err(ListenerError::MissingVariable { variable });
        };
        let read = tokens.read(&text);
        read.map_err(|source| ListenerError::InvalidVariable { variable, source })?;
    }
    let files = matches.get_many::<PathBuf>("token-file");
    for path in files.into_iter().flatten() {
        let path = path.clone();
        let text = match read_token_file(&path) {
            Ok(text) => text,
            Err(source) => return Err(ListenerError::ReadFile { path, source }),
        };
        let read = tokens.read(&text);
        read.map_err(|source| ListenerError::InvalidFile { path, source })?;
    }
    Ok(tokens)
}

/// Reads a file of tokens, and warns of one that others can read.
fn read_token_file(path: &Path) -> io::Result<String> {
    use std::io::Read as _;

    let file = std::fs::File::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata()?.permissions().mode();
        if mode & 0o077 != 0 {
            let path = path.display();
            output::note(&format!(
                "note: others can read the tokens in `{path}`; `chmod 600` would keep them out"
            ));
        }
    }
    let mut text = String::new();
    file.take(MAX_TOKEN_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
