//! The app as an MCP server: its tools, its skills and their files, for any client, under the same permission policy as
//! everywhere.

#[expect(dead_code, reason = "pages of the lists that the handler answers with")]
mod page;
mod prompts;
mod resources;
#[cfg(feature = "skills")]
#[expect(dead_code, reason = "what the handler answers for skills")]
mod skills;

pub use prompts::{Prompt, PromptArgument, PromptArguments, PromptMessage, Prompts};
pub use resources::{ListedResource, ResourceChange, ResourceSource, ResourceTemplate};
