//! The MCP servers of a settings file that is changed by a command.

use toml_edit::{Item, Table, TableLike, Value};

use crate::{EditError, SettingsEditor};
use helve_mcp::{ServerConfig, Transport};

impl SettingsEditor {
    /// Adds a server.
    pub fn add(&mut self, server: &ServerConfig) -> Result<(), EditError> {
        let name = server.name().to_string();
        let path = self.path().to_owned();
        let servers = self.servers()?;
        if servers.contains_key(&name) {
            return Err(EditError::Exists { path, name });
        }
        servers.insert(&name, Item::Table(to_table(server.transport())));
        Ok(())
    }

    /// Removes a server, and reports whether the file had one of the name.
    pub fn remove(&mut self, name: &str) -> Result<bool, EditError> {
        let servers = self.servers()?;
        let was_there = servers.remove(name).is_some();
        let is_empty = servers.is_empty();
        let mcp = self.document.get_mut("mcp");
        if is_empty && let Some(mcp) = mcp.and_then(Item::as_table_like_mut) {
            mcp.remove("servers");
            if mcp.is_empty() {
                self.document.remove("mcp");
            }
        }
        Ok(was_there)
    }

    fn servers(&mut self) -> Result<&mut dyn TableLike, EditError> {
        let path = self.path().to_owned();
        let table = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        let mcp = self.document.entry("mcp").or_insert_with(table);
        let mcp = mcp.as_table_like_mut();
        let servers = mcp.map(|mcp| mcp.entry("servers").or_insert_with(table));
        let servers = servers.and_then(Item::as_table_like_mut);
        servers.ok_or(EditError::Type {
            path,
            key: "mcp.servers".to_owned(),
            expected: "a table",
        })
    }
}

/// Renders the table of a server. Its texts are written unexpanded, for example `${VARIABLE}`.
fn to_table(transport: &Transport) -> Table {
    let mut table = Table::new();
    let texts = |texts: &[String]| -> Value { texts.iter().map(String::as_str).collect() };
    match transport {
        Transport::Stdio(server) => {
            table["command"] = server.command.as_str().into();
            if !server.arguments.is_empty() {
                table["args"] = texts(&server.arguments).into();
            }
            if !server.inherited.is_empty() {
                table["inherit"] = texts(&server.inherited).into();
            }
            if let Some(folder) = &server.folder {
                table["cwd"] = folder.display().to_string().into();
            }
            if server.sandboxed {
                table["sandboxed"] = true.into();
            }
            insert_texts(&mut table, "env", &server.environment);
        }
        Transport::Http { url, headers } => {
            table["url"] = url.as_str().into();
            insert_texts(&mut table, "headers", headers);
        }
        Transport::Sse { url, headers } => {
            table["url"] = url.as_str().into();
            table["transport"] = "sse".into();
            insert_texts(&mut table, "headers", headers);
        }
    }
    table
}

fn insert_texts(table: &mut Table, key: &str, texts: &std::collections::BTreeMap<String, String>) {
    if texts.is_empty() {
        return;
    }
    let mut inside = Table::new();
    for (name, text) in texts {
        inside[name] = text.as_str().into();
    }
    table.insert(key, Item::Table(inside));
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::KeySet;

    fn server(name: &str) -> ServerConfig {
        ServerConfig::stdio(name.parse().expect("a name"), "npx", ["-y", "x"])
    }

    #[test]
    fn what_else_is_in_the_file_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("helve.toml");
        let before = "# mine\nmodel = \"a/b\" # good\n\n[mcp.servers.one]\ncommand = \"one\"\n\n[retry]\nattempts = 2\n";
        fs::write(&path, before).expect("a file");
        let mut edit = SettingsEditor::open(&path, &KeySet::default()).expect("a file");
        edit.add(&server("two.x")).expect("it is new");
        assert!(matches!(
            edit.add(&server("one")),
            Err(EditError::Exists { .. })
        ));
        edit.save().expect("it is written");
        let text = fs::read_to_string(&path).expect("a file");
        let added = "[mcp.servers.\"two.x\"]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\n";
        assert!(text.contains(added), "{text}");
        assert!(before.lines().all(|line| text.contains(line)), "{text}");
        let mut edit = SettingsEditor::open(&path, &KeySet::default()).expect("a file");
        assert!(edit.remove("two.x").expect("a table"));
        assert!(!edit.remove("three").expect("a table"));
        edit.save().expect("it is written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), before);
    }

    #[test]
    fn a_new_file_is_its_users_alone_and_nothing_is_left_of_the_last_server() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/helve.toml");
        let mut edit = SettingsEditor::open(&path, &KeySet::default()).expect("no file");
        let config = ServerConfig::sse("s".parse().expect("a name"), "https://s.example/sse");
        let config = config.header("Authorization", "Bearer ${TOKEN}");
        edit.add(&config).expect("it is new");
        edit.save().expect("it is written");
        let text = fs::read_to_string(&path).expect("a file");
        assert!(text.contains("transport = \"sse\""), "{text}");
        assert!(
            text.contains("Authorization = \"Bearer ${TOKEN}\""),
            "{text}"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&path).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let mut edit = SettingsEditor::open(&path, &KeySet::default()).expect("a file");
        assert!(edit.remove("s").expect("a table"));
        edit.save().expect("it is written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "");
    }
}
