//! `.mcp.json`: the servers of a project, as other programs read them too.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::expand::expand;
use super::known_servers::{KnownServer, ServerOrigin, ServerProblem};
use crate::acceptance;
use crate::config::{ConfigError, find_project_file, read_file, redact_credentials};
use helve_mcp::{ServerConfig, ServerName, StdioServer, Transport};
use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceState, AcceptanceSubject,
    Acceptances, ContentEntry, Difference, EntryKind, digest_of_fields,
};

const FILE_NAME: &str = ".mcp.json";

#[derive(Debug)]
pub(crate) struct McpJsonFile {
    path: PathBuf,
    text: Option<String>,
}

/// The servers of the file, which are not used since the user has not accepted the file.
#[derive(Debug)]
pub(crate) struct UnacceptedServers {
    path: PathBuf,
    state: AcceptanceState,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum McpJsonError {
    #[error("{}{}: {what}", path.display(), place.as_ref().map(|place| format!(": `{place}`")).unwrap_or_default())]
    Invalid {
        path: PathBuf,
        /// The path in the file.
        place: Option<String>,
        what: String,
    },
    #[error(transparent)]
    Read(#[from] ConfigError),
    #[error(transparent)]
    Acceptances(#[from] AcceptanceError),
}

impl McpJsonFile {
    /// Reads the file of the project around a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, McpJsonError> {
        let path = find_project_file(folder, FILE_NAME);
        let text = read_file(&path)?;
        Ok(Self { path, text })
    }

    /// Takes the text of a bundle that is accepted.
    pub(crate) fn of_bundle(path: PathBuf, text: String) -> Self {
        let text = Some(text);
        Self { path, text }
    }

    /// Returns the servers of a bundle.
    pub(crate) fn servers_of_bundle(&self, bundle: &str) -> Result<Vec<KnownServer>, McpJsonError> {
        let named = self.parse_servers()?;
        let servers = named.iter().map(|(name, server)| KnownServer {
            origin: ServerOrigin::Bundle(bundle.to_owned()),
            ..self.to_known_server(name, server)
        });
        Ok(servers.collect())
    }

    /// Returns the servers that are in force: all servers of the file, or none.
    pub(super) fn effective_servers(
        &self,
    ) -> Result<(Vec<KnownServer>, Option<UnacceptedServers>), McpJsonError> {
        let Some(text) = &self.text else {
            return Ok((Vec::new(), None));
        };
        let content = AcceptanceContent::from_bytes(text.as_bytes(), []);
        let state = acceptance::user_store().state(self.subject(), &content)?;
        if state == AcceptanceState::Accepted {
            let named = self.parse_servers()?;
            let servers = named.iter();
            let servers = servers.map(|(name, server)| self.to_known_server(name, server));
            return Ok((servers.collect(), None));
        }
        // A file without servers needs no acceptance.
        let says_nothing = self.parse_servers().is_ok_and(|named| named.is_empty());
        let path = self.path.clone();
        let unaccepted = (!says_nothing).then_some(UnacceptedServers { path, state });
        Ok((Vec::new(), unaccepted))
    }

    /// Compares the file with the accepted one; `None` if the file has no servers. An invalid file is an error, since
    /// its meaning is unknown.
    pub(crate) fn difference(
        &self,
        acceptances: &Acceptances,
    ) -> Result<Option<Difference>, McpJsonError> {
        let named = self.parse_servers()?;
        for (name, server) in &named {
            // Variables that are not set are no mistake of the file.
            self.parse_server(name, server, |_| Some("x".to_owned()))?;
        }
        let Some(text) = self.text.as_ref().filter(|_| !named.is_empty()) else {
            return Ok(None);
        };
        let entries = named.iter().map(|(name, server)| {
            ContentEntry::with_text(EntryKind::Server, name, &render_server(server))
                .digest(digest_of_fields([server.to_string().as_str()]))
        });
        let content = AcceptanceContent::from_bytes(text.as_bytes(), entries);
        let difference = acceptances.read()?.difference(self.subject()?, content);
        Ok(Some(difference))
    }

    pub(crate) fn subject(&self) -> Result<AcceptanceSubject, AcceptanceError> {
        AcceptanceSubject::from_file(AcceptanceKind::ServerFile, &self.path, 1)
    }

    fn parse_servers(&self) -> Result<Map<String, Value>, McpJsonError> {
        let Some(text) = &self.text else {
            return Ok(Map::new());
        };
        let parsed: Value = serde_json::from_str(text)
            .map_err(|error| self.error(None, format!("invalid JSON: {error}")))?;
        match parsed {
            Value::Object(mut parsed) => match parsed.remove("mcpServers") {
                None => Ok(Map::new()),
                Some(Value::Object(named)) => Ok(named),
                Some(_) => Err(self.error(Some("mcpServers"), "expected an object")),
            },
            _ => Err(self.error(None, "expected an object with `mcpServers`")),
        }
    }

    fn to_known_server(&self, name: &str, server: &Value) -> KnownServer {
        let value = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        KnownServer {
            name: name.to_owned(),
            origin: ServerOrigin::Project(self.path.clone()),
            is_disabled: server["disabled"] == true,
            config: self
                .parse_server(name, server, value)
                .map_err(ServerProblem::from),
        }
    }

    fn parse_server(
        &self,
        name: &str,
        server: &Value,
        value: impl Fn(&str) -> Option<String>,
    ) -> Result<ServerConfig, McpJsonError> {
        let at = format!("mcpServers.{name}");
        let wrong = |what: String| self.error(Some(&at), what);
        let parsed: ServerName = name
            .parse()
            .map_err(|error| wrong(format!("{error}; rename the server")))?;
        let Value::Object(said) = server else {
            return Err(wrong("expected an object".to_owned()));
        };
        let reading = ServerParser {
            file: self,
            path: &at,
            object: said,
            variable: &value,
        };
        Ok(ServerConfig::new(parsed, reading.transport()?))
    }

    fn error(&self, place: Option<&str>, what: impl Into<String>) -> McpJsonError {
        McpJsonError::Invalid {
            path: self.path.clone(),
            place: place.map(str::to_owned),
            what: what.into(),
        }
    }
}

struct ServerParser<'f, V> {
    file: &'f McpJsonFile,
    path: &'f str,
    object: &'f Map<String, Value>,
    variable: &'f V,
}

impl<V: Fn(&str) -> Option<String>> ServerParser<'_, V> {
    fn transport(&self) -> Result<Transport, McpJsonError> {
        let kind = self.text("type")?;
        match kind.as_deref() {
            None if self.object.contains_key("command") => self.stdio(),
            None if self.object.contains_key("url") => self.http(false),
            None => Err(self.error(None, "a server needs a `command` or a `url`")),
            Some("stdio") => self.stdio(),
            Some("http" | "streamable-http") => self.http(false),
            Some("sse") => self.http(true),
            Some(_) => Err(self.error(
                Some("type"),
                "expected one of \"stdio\", \"http\" and \"sse\"",
            )),
        }
    }

    fn stdio(&self) -> Result<Transport, McpJsonError> {
        let command = self.text("command")?.filter(|command| !command.is_empty());
        let command =
            command.ok_or_else(|| self.error(None, "a stdio server needs a `command`"))?;
        let arguments = match self.object.get("args") {
            None => Vec::new(),
            Some(Value::Array(arguments)) => {
                let texts = arguments
                    .iter()
                    .map(|value| self.expand_text("args", value));
                texts.collect::<Result<_, _>>()?
            }
            Some(_) => return Err(self.error(Some("args"), "expected a list of strings")),
        };
        let mut server = StdioServer::new(command, arguments);
        server.environment = self.texts("env")?;
        server.folder = self
            .text("cwd")?
            .map(|folder| self.file.path.with_file_name(folder));
        Ok(Transport::Stdio(server))
    }

    fn http(&self, has_stream: bool) -> Result<Transport, McpJsonError> {
        let url = self.text("url")?.filter(|url| !url.is_empty());
        let url = url.ok_or_else(|| self.error(None, "an HTTP server needs a `url`"))?;
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(self.error(Some("url"), "expected an http or https URL"));
        }
        let headers = self.texts("headers")?;
        Ok(match has_stream {
            true => Transport::Sse { url, headers },
            false => Transport::Http { url, headers },
        })
    }

    fn text(&self, key: &str) -> Result<Option<String>, McpJsonError> {
        let value = self.object.get(key);
        value.map(|value| self.expand_text(key, value)).transpose()
    }

    fn texts(&self, key: &str) -> Result<BTreeMap<String, String>, McpJsonError> {
        match self.object.get(key) {
            None => Ok(BTreeMap::new()),
            Some(Value::Object(texts)) => {
                let texts = texts.iter().map(|(name, value)| {
                    let value = self.expand_text(&format!("{key}.{name}"), value)?;
                    Ok((name.clone(), value))
                });
                texts.collect()
            }
            Some(_) => Err(self.error(Some(key), "expected an object of strings")),
        }
    }

    /// Reads a string. Error messages do not contain the string, since it may be a secret.
    fn expand_text(&self, key: &str, value: &Value) -> Result<String, McpJsonError> {
        let Value::String(text) = value else {
            return Err(self.error(Some(key), "expected a string"));
        };
        let text = expand(text, self.variable).map_err(|variable| {
            let what =
                format!("environment variable `{variable}` is not set; use `export {variable}=…`");
            self.error(Some(key), &what)
        })?;
        if text.contains(['\n', '\r', '\0']) {
            return Err(self.error(Some(key), "expected a single line"));
        }
        Ok(text)
    }

    fn error(&self, key: Option<&str>, what: &str) -> McpJsonError {
        let place = match key {
            Some(key) => format!("{}.{key}", self.path),
            None => self.path.to_owned(),
        };
        self.file.error(Some(&place), what)
    }
}

/// Renders a server for the user. The values of variables and headers are not shown.
fn render_server(server: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("…").to_owned();
    let mut words: Vec<String> = match (&server["command"], &server["url"]) {
        (Value::Null, url) => vec![redact_credentials(&text(url))],
        (command, _) => {
            let arguments = server["args"].as_array().into_iter().flatten();
            std::iter::once(command)
                .chain(arguments)
                .map(text)
                .collect()
        }
    };
    for key in ["env", "headers"] {
        let names = server[key].as_object().into_iter().flatten();
        for (name, value) in names {
            let names: Vec<&str> = value
                .as_str()
                .map(|text| text.split("${").skip(1))
                .into_iter()
                .flatten()
                .filter_map(|rest| rest.split(['}', ':']).next())
                .collect();
            let from = match names[..] {
                [] => String::new(),
                _ => format!(" from ${{{}}}", names.join("}, ${")),
            };
            words.push(format!("[{key} {name}{from}]"));
        }
    }
    words.join(" ")
}

impl fmt::Display for UnacceptedServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, why) = (self.path.display(), self.state);
        write!(f, "the MCP servers of `{path}` are ignored: {why}")
    }
}
