//! Checks the host key of a machine against the user's known hosts file only.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use russh::client::Handler;
use russh::keys::known_hosts::known_host_keys_path;
use russh::keys::{Algorithm, HashAlg, PublicKey, PublicKeyOrCertificate};

use helve_core::support::lock::Mutex;

/// The known keys of one host.
#[derive(Debug, Clone)]
pub(super) struct KnownHost {
    name: String,
    file: String,
    keys: Vec<(usize, PublicKey)>,
    revoked: Vec<String>,
    /// The reason why a key was rejected, for the error of the connection: the protocol only ends the connection.
    refusal: Arc<Mutex<Option<String>>>,
}

impl KnownHost {
    /// Reads the known keys of a host. This blocks.
    pub(super) fn read(host: &str, port: u16, file: &Path) -> Result<Self, String> {
        let shown = file.display().to_string();
        let text = fs::read(file).map_err(|error| {
            format!("the file of known hosts {shown} cannot be read ({error}), so no host can be trusted")
        })?;
        let keys = known_host_keys_path(host, port, file).map_err(|error| {
            format!("the file of known hosts {shown} has an invalid entry for {host}: {error}")
        })?;
        let revoked = String::from_utf8_lossy(&text)
            .lines()
            .filter(|line| line.trim_start().starts_with("@revoked"))
            .map(str::to_owned)
            .collect();
        let name = if port == 22 {
            host.to_owned()
        } else {
            format!("[{host}]:{port}")
        };
        Ok(Self {
            name,
            file: shown,
            keys,
            revoked,
            refusal: Arc::default(),
        })
    }

    /// Returns the algorithms of the known keys: a host has several keys, and only keys of these algorithms can be
    /// compared.
    pub(super) fn algorithms(&self) -> Option<Cow<'static, [Algorithm]>> {
        let rsa = |hash| Algorithm::Rsa { hash: Some(hash) };
        let mut all = Vec::new();
        for (_, key) in &self.keys {
            match key.algorithm() {
                Algorithm::Rsa { .. } => all.extend([rsa(HashAlg::Sha512), rsa(HashAlg::Sha256)]),
                other => all.push(other),
            }
        }
        (!all.is_empty()).then_some(Cow::Owned(all))
    }

    pub(super) fn refusal(&self) -> Option<String> {
        self.refusal.lock().clone()
    }

    /// Compares the key of a host with the known keys.
    fn check_key(&self, key: &PublicKey) -> Result<(), String> {
        let Self {
            name, file, keys, ..
        } = self;
        let fingerprint = key.fingerprint(HashAlg::Sha256);
        let kind = key.algorithm();
        let blob = key.to_openssh().unwrap_or_default();
        let blob = blob.split(' ').nth(1).unwrap_or_default();
        if blob.is_empty() || self.revoked.iter().any(|line| line.contains(blob)) {
            return Err(format!(
                "the key of {name} ({kind}, {fingerprint}) is marked as revoked in {file}"
            ));
        }
        let is_same = |known: &PublicKey| known.key_data() == key.key_data();
        if keys.iter().any(|(_, known)| is_same(known)) {
            return Ok(());
        }
        match keys.iter().find(|(_, known)| known.algorithm() == kind) {
            Some((line, _)) => Err(format!(
                "the key of {name} is not the one of line {line} in {file}: it is {kind} {fingerprint} now. The connection \
                 may be intercepted. Ask the administrator of the machine for its key, and change the line only if it is \
                 this one"
            )),
            None => Err(format!(
                "{name} is not known by this key: it is {kind} {fingerprint}, and {file} does not have it. Ask the \
                 administrator of the machine whether it is its key, then add it (`ssh-keyscan` prints the line)"
            )),
        }
    }
}

impl Handler for KnownHost {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        key: &PublicKeyOrCertificate,
    ) -> Result<bool, Self::Error> {
        let judged = match key {
            // Certificate authorities are not supported, so a certificate proves nothing.
            PublicKeyOrCertificate::Certificate(_) => Err(format!(
                "{} offers a certificate, which is not supported",
                self.name
            )),
            PublicKeyOrCertificate::PublicKey { key, .. } => self.check_key(key),
        };
        let mut refusal = self.refusal.lock();
        *refusal = judged.err();
        Ok(refusal.is_none())
    }
}
