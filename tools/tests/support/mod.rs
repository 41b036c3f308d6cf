//! A folder for one test, and calls of the file tools in it.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make their own files, and not all use all"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve::capability::Grants;
use helve::sandbox::{LocalFs, SandboxFs};
use helve::tool::{State, ToolContextBuilder};
use helve::{ToolContext, ToolResult};
use serde_json::Value;

/// A folder whose `root` is what the tools may reach; beside it lies a `secret`.
pub struct Tree {
    dir: tempfile::TempDir,
    session: Arc<State>,
}

impl Tree {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self {
            dir: tempfile::tempdir().unwrap(),
            session: Arc::default(),
        };
        std::fs::create_dir(tree.root()).unwrap();
        std::fs::write(tree.dir.path().join("secret"), "needle in a secret\n").unwrap();
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    pub fn outside(&self) -> &Path {
        self.dir.path()
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn link(&self, target: impl AsRef<Path>, name: &str) {
        std::os::unix::fs::symlink(target, self.root().join(name)).unwrap();
    }

    /// Reads a file as its bytes are, shown with what is not text escaped.
    pub fn bytes(&self, path: &str) -> String {
        std::fs::read(self.root().join(path))
            .unwrap()
            .escape_ascii()
            .to_string()
    }

    /// Reads a file that is text; `None` where there is none.
    pub fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root().join(path)).ok()
    }

    /// A context of the tree's session.
    pub fn builder(&self) -> ToolContextBuilder {
        granted(Arc::new(LocalFs::new(self.root()).unwrap())).session_state(self.session.clone())
    }

    /// The state of the session.
    pub fn session(&self) -> Arc<State> {
        self.session.clone()
    }

    /// Forgets what the session has read.
    pub fn new_session(&mut self) {
        self.session = Arc::default();
    }

    /// Calls a tool, and writes its whole answer.
    pub async fn call(&self, tool: &str, arguments: Value) -> String {
        let cx = self.builder().build();
        self.call_in(&cx, tool, arguments).await
    }

    /// Calls a tool in a context, and writes its whole answer.
    pub async fn call_in(&self, cx: &ToolContext, tool: &str, arguments: Value) -> String {
        let answer = whole(call(tool, arguments, cx).await);
        let dir = self.dir.path().canonicalize().unwrap();
        answer
            .replace(dir.to_str().unwrap(), "DIR")
            .replace(self.dir.path().to_str().unwrap(), "DIR")
    }

    pub async fn read(&self, arguments: Value) -> String {
        self.call("read_file", arguments).await
    }

    pub async fn grep(&self, arguments: Value) -> String {
        self.call("grep", arguments).await
    }
}

pub fn granted(fs: Arc<dyn SandboxFs>) -> ToolContextBuilder {
    ToolContext::builder().grants(Grants {
        files: Some(fs),
        ..Grants::default()
    })
}

pub async fn call(tool: &str, arguments: Value, cx: &ToolContext) -> ToolResult {
    helve_tools::files()
        .call(tool, &arguments.to_string(), cx)
        .await
}

/// Writes an answer with its notes, or its error with its kind.
pub fn whole(result: ToolResult) -> String {
    match result {
        Err(error) => format!("{}: {error}", error.kind()),
        Ok(output) => {
            let mut text = output.text().into_owned();
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            for note in output.notes() {
                text.push_str(note);
                text.push('\n');
            }
            text
        }
    }
}
