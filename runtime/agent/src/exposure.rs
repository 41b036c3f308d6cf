//! Tool exposure: the selection of the tools that the model of an agent sees, and the access of the model to the
//! others.
//!
//! Three mechanisms select the tools of a request. None of them adds a tool that the toolset lacks:
//!
//! - [groups](ToolGroup), which the model switches with `reset_tools`;
//! - above [a number of tools](ToolExposure::limit), a [suggestion](Suggester) for the turn, besides the tools that are
//!   [always](ToolExposure::always) visible;
//! - the tools that the model asks for by name with `tool_expand_tools`, after it has found them with `tool_search`.
//!
//! The state of the switches is an [`ExposedTools`], which the records of the turn hold. The same state gives the same
//! request, byte for byte, so that the prompt cache of a provider holds while nothing changes.

mod exposed_tools;
mod group;
mod lexical_suggester;
mod meta;
mod model_suggestion;
mod suggester;
mod tool_exposure;
mod view;
mod visible_tools;

pub use exposed_tools::ExposedTools;
pub use group::{BASIC, GroupError, ToolGroup};
pub use lexical_suggester::LexicalSuggester;
pub use suggester::{Suggester, SuggestionRequest};
pub use tool_exposure::ToolExposure;

pub(super) use meta::{COMPRESS_HISTORY, MetaToolContext};
pub(super) use model_suggestion::{parse_suggestion, suggestion_request};
pub(super) use visible_tools::VisibleTools;
