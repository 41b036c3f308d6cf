//! What a model is shown of the tools that it may call, and how it reaches the rest by itself.
//!
//! Between a toolset and a request stand three things, none of which ever adds a tool that the toolset lacks:
//!
//! - [groups](ToolGroup), which the model switches with `reset_tools`;
//! - above [a number of tools](Offering::limit), a [suggestion](Suggester) for the turn, with a baseline that is
//!   [always](Offering::always) there;
//! - what the model asked for by name with `tool_expand_tools`, having found it with `tool_search`.
//!
//! Where they stand is an [`Offered`], a part of the turn's records. The same one gives the same request, byte for byte, so
//! that a provider's cache of prompts holds while nothing changes.

mod group;
mod lexical;
mod meta;
mod offered;
mod offering;
mod suggest;
mod window;

pub use group::{BASIC, GroupError, ToolGroup};
pub use lexical::LexicalSuggester;
pub use offered::Offered;
pub use offering::Offering;
pub use suggest::{Suggester, SuggestionRequest};

pub(super) use meta::{COMPRESS_HISTORY, Desk};
pub(super) use offering::Suggesting;
pub(super) use suggest::{model_request, names_in};
pub(super) use window::Window;
