//! Bundles: folders of skills, agents, commands, hooks and MCP servers that are installed as one, in the layout of the
//! plugins of Claude Code.
//!
//! | in the bundle | what |
//! |---|---|
//! | `.claude-plugin/plugin.json` | the manifest: name, version, description, and other paths of the parts below |
//! | `skills/NAME/SKILL.md` | skills |
//! | `agents/NAME.md` | agents |
//! | `commands/NAME.md` | commands |
//! | `hooks/hooks.json` | hooks |
//! | `.mcp.json` | MCP servers |
//!
//! A bundle is accepted as a whole, by the digest of all its files: what changes afterwards is not in force.

mod contents;
mod fetch;
mod installed;
mod manifest;
mod store;
mod text;

pub use contents::FetchedBundle;
pub use installed::InstalledBundle;
pub use manifest::BundleManifest;
pub(crate) use manifest::MANIFEST;
pub use store::BundleStore;
pub use text::BundleText;
