//! Toolsets: the tools that one agent may call, composed from the registry and from live sources with small wrappers.

mod cached;
mod configured;
mod dynamic;
mod exclusion;
mod external;
mod filter;
mod filtered;
mod layered;
mod mapped;
mod missing_state;
mod prefixed;
#[doc(hidden)]
pub mod private;
mod redescribed;
mod source;

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

pub use dynamic::{DynamicTool, DynamicToolError};
pub use exclusion::ExclusionReason;
pub use external::ExternalTool;
pub use filter::{ToolFilter, UnmatchedName};
pub use missing_state::MissingState;
pub use source::{ToolList, ToolSource};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::registry::unknown_tool;
use crate::support::lock::Mutex;
use crate::tool::{
    SettingsSection, State, Tool, ToolContext, ToolDef, ToolResult, ToolSpec, ToolWrapper as _,
    dispatch,
};
use configured::ConfiguredTool;
use mapped::MappedSource;
use redescribed::RedescribedTool;

/// The tools that one agent may call, sorted by name.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// let tools = toolset![add].prefixed("math");
/// assert_eq!(tools.names(), ["math_add"]);
/// ```
#[derive(Clone)]
pub struct Toolset {
    source: Arc<dyn ToolSource>,
    resolved: Arc<Mutex<Option<Arc<ResolvedTools>>>>,
}

/// A snapshot of the source, sorted by name.
pub struct ResolvedTools {
    revision: u64,
    tools: Arc<[Arc<dyn Tool>]>,
}

impl ResolvedTools {
    /// Returns the revision of the list: lists with the same revision contain the same tools.
    #[doc(hidden)]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the tools.
    #[doc(hidden)]
    pub fn tools(&self) -> &[Arc<dyn Tool>] {
        &self.tools
    }

    /// Finds a tool by its name.
    #[doc(hidden)]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let place = self
            .tools
            .binary_search_by(|tool| (*tool.spec().name).cmp(name));
        self.tools.get(place.ok()?)
    }
}

impl Toolset {
    /// Creates a toolset from a source, whose list may change later.
    pub fn new(source: impl ToolSource + 'static) -> Self {
        Self::from_source(Arc::new(source))
    }

    fn from_source(source: Arc<dyn ToolSource>) -> Self {
        Self {
            source,
            resolved: Arc::default(),
        }
    }

    /// Creates an empty toolset.
    #[must_use]
    pub fn empty() -> Self {
        Self::from_tools([])
    }

    /// Creates a toolset from tools of any kind.
    pub fn from_tools(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        Self::new(ToolList::new(tools))
    }

    /// Creates a toolset from linked tools.
    pub fn from_definitions(definitions: impl IntoIterator<Item = &'static ToolDef>) -> Self {
        let definitions = definitions.into_iter();
        Self::from_tools(definitions.map(|definition| Arc::new(definition) as Arc<dyn Tool>))
    }

    /// Keeps the tools that the predicate accepts; the predicate gets the tools as the model sees them.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static) -> Self {
        Self::new(filtered::with_predicate(&self.source, keep))
    }

    /// Keeps the tools with these names.
    ///
    /// A name that no tool has results in a warning with the most similar name, and is otherwise ignored.
    #[must_use]
    pub fn only<N: Into<String>>(&self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self::new(filtered::with_names(&self.source, names))
    }

    /// Keeps the tools that a filter grants; this includes tools that a live source adds later.
    ///
    /// An excluded tool is missing: a call of it is answered like a call of an unknown tool. Names in the filter that
    /// match no tool are among the [warnings](Self::warnings) as long as this is the case.
    #[must_use]
    pub fn granted(&self, filter: &ToolFilter) -> Self {
        Self::new(filtered::with_filter(&self.source, filter.clone()))
    }

    /// Adds `prefix_` to every name.
    ///
    /// A name that would exceed 64 characters is truncated and ends in a hash of the full name.
    #[must_use]
    pub fn prefixed(&self, prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        self.redescribed(move |spec| spec.name = prefixed::join(&prefix, &spec.name).into())
    }

    /// Puts the tools into a group, with instructions for using them together. The system prompt contains the
    /// instructions once, while the agent has any of these tools.
    ///
    /// ```
    /// # extern crate helve_core as helve;
    /// use helve::prelude::*;
    ///
    /// /// Tells what is in stock.
    /// #[tool(read_only)]
    /// fn stock() -> u32 {
    ///     3
    /// }
    ///
    /// let tools = toolset![stock].in_group("shop", "Look at the stock before you promise anything.");
    /// let said = tools.instructions();
    /// assert_eq!(&*said[0].0, "shop");
    /// ```
    #[must_use]
    pub fn in_group(&self, group: impl Into<Arc<str>>, instructions: impl Into<Arc<str>>) -> Self {
        self.grouped(group.into(), Some(instructions.into()))
    }

    /// Puts the tools into a group without instructions.
    #[doc(hidden)]
    pub fn with_group(&self, group: Arc<str>) -> Self {
        self.grouped(group, None)
    }

    fn grouped(&self, group: Arc<str>, instructions: Option<Arc<str>>) -> Self {
        self.redescribed(move |spec| {
            spec.group = Some(group.clone());
            spec.group_instructions.clone_from(&instructions);
        })
    }

    /// Changes the description of each tool.
    fn redescribed(&self, change: impl Fn(&mut ToolSpec) + Send + Sync + 'static) -> Self {
        let redescribe = move |tool: &_| RedescribedTool::wrap(tool, &change);
        Self::new(MappedSource::with_each(&self.source, redescribe))
    }

    /// Returns the groups of the tools with their instructions, without duplicates, sorted by name.
    #[must_use]
    pub fn instructions(&self) -> Vec<(Arc<str>, Arc<str>)> {
        let resolved = self.resolve();
        let groups = resolved.tools.iter().filter_map(|tool| {
            let spec = tool.spec();
            spec.group.clone().zip(spec.group_instructions.clone())
        });
        groups.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Declares the settings of the pack: a section of `helve.toml`, which the tools take as `&T`.
    ///
    /// An app with the command line reads `[section]` of the user's file, and of the project's file once the user has
    /// accepted it. A key that `T` does not have is an error, `config keys` lists the keys of `T` with their
    /// documentation, and a field that is marked `writeOnly` is a secret, which is never displayed. If the section is
    /// missing, `T` is deserialised from an empty table, so that `#[serde(default)]` sets the defaults. If that fails,
    /// the tools are not configured: the description of each tool and the result of a call indicate what to set. A
    /// tool that takes `Option<&T>` works without the settings.
    ///
    /// A program without the command line adds the value itself, like all state:
    ///
    /// ```
    /// # extern crate helve_core as helve;
    /// use std::sync::Arc;
    /// use helve::prelude::*;
    /// use helve::State;
    ///
    /// /// The settings of the weather tools: `[weather]` in `helve.toml`.
    /// #[helve::data]
    /// #[serde(default, deny_unknown_fields)]
    /// struct WeatherSettings {
    ///     /// The unit of temperatures.
    ///     unit: String,
    ///     /// The key of the weather service.
    ///     #[schemars(extend("writeOnly" = true))]
    ///     key: Option<String>,
    /// }
    ///
    /// impl Default for WeatherSettings {
    ///     fn default() -> Self {
    ///         Self { unit: "celsius".into(), key: None }
    ///     }
    /// }
    ///
    /// /// Names the unit of temperatures.
    /// #[tool(read_only)]
    /// fn unit(settings: &WeatherSettings) -> String {
    ///     settings.unit.clone()
    /// }
    ///
    /// /// The pack: `helve::app!().pack(weather())` is all that an app needs.
    /// fn weather() -> Toolset {
    ///     toolset![unit].settings::<WeatherSettings>("weather")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let mut state = State::new();
    /// state.insert(WeatherSettings { unit: "kelvin".into(), ..WeatherSettings::default() });
    /// let cx = ToolContext::builder().app(Arc::new(state)).build();
    /// assert_eq!(weather().call("unit", "{}", &cx).await.unwrap().text(), "kelvin");
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn settings<T>(&self, section: impl Into<Cow<'static, str>>) -> Self
    where
        T: DeserializeOwned + JsonSchema + Any + Send + Sync,
    {
        let section = Arc::new(SettingsSection::new::<T>(section.into()));
        Self::new(MappedSource::with_each(&self.source, move |tool| {
            ConfiguredTool {
                inner: Arc::clone(tool),
                section: Arc::clone(&section),
            }
            .into_tool()
        }))
    }

    /// Adds the tools of `below`; of two tools with the same name, that of this toolset is used.
    #[must_use]
    pub fn layered(&self, below: &Self) -> Self {
        Self::new(layered::LayeredSource::new(vec![
            self.source.clone(),
            below.source.clone(),
        ]))
    }

    /// Returns the current tools, sorted by name.
    #[must_use]
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.resolve().tools.to_vec()
    }

    /// Returns the names, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let resolved = self.resolve();
        let names = resolved.tools.iter().map(|tool| &tool.spec().name);
        names.map(ToString::to_string).collect()
    }

    /// Returns the warnings of the sources: names that match no tool, and tools that hide others.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.source.list().warnings().to_vec()
    }

    /// Finds a tool by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.resolve().get(name).cloned()
    }

    /// Returns the revision of the list: lists with the same revision contain the same tools.
    #[doc(hidden)]
    pub fn revision(&self) -> u64 {
        self.source.revision()
    }

    /// Calls a tool by its name with JSON text; see [`dispatch::call`].
    ///
    /// # Errors
    ///
    /// The errors of the tool; [`ToolError::NotAvailable`](crate::ToolError::NotAvailable) with the most similar name
    /// of this toolset if it does not contain the tool, whether the tool is linked or not.
    pub async fn call(&self, name: &str, arguments: &str, context: &ToolContext) -> ToolResult {
        match self.get(name) {
            Some(tool) => dispatch::call(&*tool, context, arguments).await,
            None => Err(self.unknown(name)),
        }
    }

    /// Creates the error of a call to a tool that this toolset does not contain.
    #[must_use]
    pub fn unknown(&self, name: &str) -> crate::tool::ToolError {
        let resolved = self.resolve();
        unknown_tool(name, resolved.tools.iter().map(|tool| &*tool.spec().name))
    }

    /// Checks that the state contains everything that the tools take by reference.
    ///
    /// # Errors
    ///
    /// One error that lists every tool and every missing type.
    pub fn check_state(&self, scopes: &[&State]) -> Result<(), MissingState> {
        MissingState::among(&self.tools(), scopes)
    }

    /// Returns the current list, which is sorted again only if it has changed.
    #[doc(hidden)]
    pub fn resolve(&self) -> Arc<ResolvedTools> {
        let revision = self.revision();
        let resolved = self.resolved.lock();
        if let Some(current) = resolved
            .as_ref()
            .filter(|current| current.revision == revision)
        {
            return Arc::clone(current);
        }
        // Sources are not queried while the lock is held.
        drop(resolved);
        let list = self.source.list();
        let revision = list.revision();
        let tools = list.into_sorted();
        let fresh = Arc::new(ResolvedTools { revision, tools });
        *self.resolved.lock() = Some(Arc::clone(&fresh));
        fresh
    }
}

impl Default for Toolset {
    fn default() -> Self {
        Self::empty()
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// Selects linked tools by their functions: `toolset![read_file, clock::now, Database::query]`.
///
/// The macro works with any import, whatever the tools are called, and links the crates of the tools.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// mod text {
///     use helve::prelude::*;
///
///     /// Counts the words of a text.
///     #[tool(read_only)]
///     pub fn count_words(
///         /// The text.
///         text: &str,
///     ) -> usize {
///         text.split_whitespace().count()
///     }
/// }
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// let tools: Toolset = toolset![add, text::count_words];
/// assert_eq!(tools.names(), ["add", "count_words"]);
/// ```
///
/// # Panics
///
/// Panics if a function is not a `#[tool]`.
#[macro_export]
macro_rules! toolset {
    ($($tool:expr),* $(,)?) => {
        $crate::__private::select(&[$(($crate::__private::function_id(&$tool), ::core::stringify!($tool))),*])
    };
}
