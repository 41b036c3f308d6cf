//! `serve --http ADDRESS`: the address, the host names and the tokens.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, value_parser};
use tokio_util::sync::CancellationToken;

use crate::args;
use helve_serve::{HttpError, HttpSettings, NameError, Server, Tokens, TokensError};
use helve_terminal::output;

const MAX_TOKEN_FILE_BYTES: u64 = 1 << 20;

/// The flags of serving over HTTP.
pub(super) fn arguments() -> Vec<Arg> {
    let several = |name, value, help| args::repeated(name, value, help).requires("http");
    let http = args::option(
        "http",
        "ADDRESS",
        "Serve over HTTP at `/mcp`: HOST:PORT, or PORT on the loopback interface; port 0 selects a free port",
    );
    let token_file = several(
        "token-file",
        "FILE",
        "Accept the tokens of this file: `NAME=TOKEN` or `TOKEN`, one per line; `#` starts a comment",
    );
    vec![
        http.value_parser(ListenAddress::parse),
        several(
            "token-env",
            "VARIABLE",
            "Accept the tokens of this environment variable, in the same format",
        ),
        token_file.value_parser(value_parser!(PathBuf)),
        several(
            "allow-host",
            "HOST",
            "Accept requests for this host name, for example the name of a reverse proxy",
        ),
        several(
            "allow-origin",
            "ORIGIN",
            "Accept requests from this origin, for example `https://app.example.com`",
        ),
    ]
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListenAddress {
    pub(super) host: String,
    pub(super) port: u16,
}

impl ListenAddress {
    fn parse(text: &str) -> Result<Self, String> {
        let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
        let port = port.parse();
        let port = port.map_err(|_| "expected HOST:PORT, for example 127.0.0.1:8080, or a port")?;
        let host = if host.is_empty() { "127.0.0.1" } else { host };
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }
}

/// The reason why the server cannot listen.
#[derive(Debug, thiserror::Error)]
pub(super) enum ListenerError {
    #[error("`{variable}` (from --token-env) is not set")]
    MissingVariable { variable: String },
    #[error("failed to read `{}` (from --token-file)", path.display())]
    ReadFile {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{name}` (from {flag}) contains no valid tokens")]
    InvalidTokens {
        name: String,
        flag: &'static str,
        #[source]
        source: TokensError,
    },
    #[error(transparent)]
    InvalidName(#[from] NameError),
    #[error("failed to bind to `{host}:{port}`")]
    Bind {
        host: String,
        port: u16,
        #[source]
        source: io::Error,
    },
    #[error(
        "a token is required because `{0}` is not a loopback address\n\
         help: use --token-env or --token-file, or listen on 127.0.0.1"
    )]
    TokenNeeded(SocketAddr),
}

/// A bound listener with the accepted tokens and origins.
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
        // The address is checked before the listener is bound: without a token, other machines must not reach the
        // server at any time.
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

    /// Prints the address, and serves until the server is stopped.
    pub(super) async fn serve(
        self,
        server: &Server,
        stop: CancellationToken,
    ) -> Result<(), HttpError> {
        output::note(&format!("listening on http://{}/mcp", self.address));
        server.serve_http(self.listener, self.settings, stop).await
    }
}

fn flag_values<'m>(matches: &'m ArgMatches, name: &str) -> impl Iterator<Item = &'m String> {
    matches.get_many::<String>(name).into_iter().flatten()
}

fn read_tokens(matches: &ArgMatches) -> Result<Tokens, ListenerError> {
    let mut tokens = Tokens::new();
    let mut read = |text: &str, name: String, flag| {
        let invalid = |source| ListenerError::InvalidTokens { name, flag, source };
        tokens.read(text).map_err(invalid)
    };
    for variable in flag_values(matches, "token-env") {
        let variable = variable.clone();
        let Ok(text) = std::env::var(&variable) else {
            return Err(ListenerError::MissingVariable { variable });
        };
        read(&text, variable, "--token-env")?;
    }
    let files = matches.get_many::<PathBuf>("token-file");
    for path in files.into_iter().flatten() {
        let path = path.clone();
        let text = read_token_file(&path).map_err(|source| ListenerError::ReadFile {
            path: path.clone(),
            source,
        })?;
        read(&text, path.display().to_string(), "--token-file")?;
    }
    Ok(tokens)
}

/// Reads a token file, and warns if other users can read it.
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
                "warning: the token file `{path}` is readable by other users\nhelp: run `chmod 600 {path}`"
            ));
        }
    }
    let mut text = String::new();
    file.take(MAX_TOKEN_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
