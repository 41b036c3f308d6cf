//! Where the hosts and folders are stored that the user allows to commands for all sessions: the user's settings.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::app_context::AppContext;
use crate::config::{Config, KeySet, SettingOrigin, SettingsEditor, display_path, user_path};
use helve_core::sandbox::BlockedAccess;
use helve_core::tool::chain_text;
use helve_permission::AccessStore;

/// The table of the settings, and the keys of its lists.
const TABLE: &str = "sandbox";
const KEYS: [&str; 3] = ["hosts", "readable", "writable"];

/// The user's file of settings.
#[derive(Debug)]
pub(super) struct AccessSettings {
    path: PathBuf,
    keys: KeySet,
    /// The sources that override the user's file, by key.
    overriding: BTreeMap<&'static str, String>,
}

impl AccessSettings {
    /// Returns the user's file; `None` if the user has no folder for it.
    pub(super) fn for_user(app: &AppContext) -> Option<Arc<Self>> {
        let path = user_path()?;
        let config = app.settings.as_ref().ok();
        let overriding = KEYS.into_iter().filter_map(|key| {
            let origin = overriding_origin(config?, key, &path)?;
            Some((key, origin))
        });
        Some(Arc::new(Self {
            overriding: overriding.collect(),
            keys: app.setting_keys.clone(),
            path,
        }))
    }
}

/// Returns the source of a list of the sandbox, if that is not the user's file.
fn overriding_origin(config: &Config, key: &str, user: &std::path::Path) -> Option<String> {
    let origin = config.texts(&[TABLE, key]).ok()??.origin;
    match &origin {
        SettingOrigin::File(position) if position.path == user => None,
        SettingOrigin::Default | SettingOrigin::App => None,
        _ => Some(origin.to_string()),
    }
}

impl AccessStore for AccessSettings {
    fn save<'a>(&'a self, access: &'a BlockedAccess) -> BoxFuture<'a, Result<(), String>> {
        let setting = access.setting();
        let key = setting.trim_start_matches("sandbox.").to_owned();
        let (path, keys, text) = (self.path.clone(), self.keys.clone(), access.setting_value());
        Box::pin(async move {
            if let Some(origin) = self.overriding.get(&*key) {
                return Err(format!(
                    "`{setting}` of {origin} overrides {}; add {text:?} there",
                    display_path(&self.path)
                ));
            }
            // Another process may hold the lock of the file.
            let saving = tokio::task::spawn_blocking(move || {
                let mut edit = SettingsEditor::open(&path, &keys)?;
                edit.append(TABLE, &key, &text)?;
                edit.save()
            });
            let saved = saving.await.map_err(|error| error.to_string())?;
            saved.map_err(|error| chain_text(&error))
        })
    }
}
