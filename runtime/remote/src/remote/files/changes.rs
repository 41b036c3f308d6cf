//! Changes to remote files: new contents are staged beside their targets, then one call makes all changes.

use std::path::{Path, PathBuf};

use super::super::host::{Arg, RemoteCall, arg, nonce, path_arg};
use super::super::transport::CommandInput;
use super::{RemoteFs, invalid_reply, lost, metadata};
use helve_core::sandbox::{Change, FsError, Metadata, WriteCondition};

impl RemoteFs {
    pub(super) async fn apply_changes(
        &self,
        changes: Vec<Change>,
    ) -> Result<Vec<Metadata>, FsError> {
        let mut staged = Vec::new();
        let done = self.stage_and_apply(changes, &mut staged).await;
        // The scripts have moved the staged files that were used.
        if done.is_err() && !staged.is_empty() {
            let mut words = vec![arg("files"), arg("discard"), arg("/")];
            words.extend(staged);
            let _ = self.host.ask(RemoteCall::new(words)).await;
        }
        done
    }

    async fn stage_and_apply(
        &self,
        changes: Vec<Change>,
        staged: &mut Vec<Arg>,
    ) -> Result<Vec<Metadata>, FsError> {
        let nonce = nonce();
        let mut paths = Vec::new();
        let mut words = Vec::new();
        let mut root = PathBuf::new();
        for (number, change) in changes.into_iter().enumerate() {
            let (kind, path, other, condition) = match change {
                Change::Write {
                    path,
                    bytes,
                    condition,
                } => {
                    let name = format!("{nonce}-{number}");
                    let file = self.stage(&path, &name, bytes).await?;
                    staged.push(file.clone());
                    ("write", path, file, condition)
                }
                Change::Remove { path, condition } => ("remove", path, Arg::new(), condition),
                Change::Rename {
                    from,
                    to,
                    condition,
                } => {
                    let (_, to) = self.at(&to)?;
                    ("rename", from, path_arg(&to), condition)
                }
            };
            let (of, whole) = self.at(&path)?;
            // The scripts check all changes of a transaction against one root.
            if root.as_os_str().is_empty() {
                root = of.to_owned();
            } else if root != of {
                let why = "the changes of one transaction are in different roots; apply them one after another";
                return Err(lost(&path, std::io::Error::other(why)));
            }
            let (when, version) = condition_args(&condition);
            words.extend([arg(kind), path_arg(&whole), other, when, version]);
            paths.push(path);
        }
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut all = vec![arg("files"), arg("apply"), path_arg(&root), arg(&nonce)];
        all.extend(words);
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let reply = self
            .host
            .ask(RemoteCall::new(all).bytes(paths.len() * 256))
            .await;
        let reply = reply.map_err(|source| lost(paths[0], source))?;
        let reply = self.expect_ok(reply, &paths).await?;
        let body = String::from_utf8_lossy(&reply.body);
        let described: Option<Vec<Metadata>> = body.lines().map(metadata).collect();
        match described {
            Some(described) if described.len() == paths.len() => Ok(described),
            _ => Err(invalid_reply(paths[0], &reply)),
        }
    }

    /// Stages new contents beside their target; returns the path of the staged file.
    async fn stage(&self, path: &Path, name: &str, bytes: Vec<u8>) -> Result<Arg, FsError> {
        let words = self.words("stage", path, &[name, &bytes.len().to_string()])?;
        let call = || {
            RemoteCall::new(words.clone())
                .input(CommandInput::Bytes(bytes.clone()))
                .bytes(64 << 10)
        };
        let reply = self.host.call_idempotent(call).await;
        let reply = reply.map_err(|source| lost(path, source))?;
        Ok(self.expect_ok(reply, &[path]).await?.body)
    }
}

fn condition_args(condition: &WriteCondition) -> (Arg, Arg) {
    match condition {
        WriteCondition::Always => (arg("always"), Arg::new()),
        WriteCondition::Absent => (arg("absent"), Arg::new()),
        WriteCondition::Unchanged(version) => (arg("unchanged"), arg(version.as_str())),
    }
}
