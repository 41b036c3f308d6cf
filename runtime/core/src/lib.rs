//! The core of [helve](https://docs.rs/helve): the types that `#[tool]` functions need. Depend on `helve`
//! instead of this crate.
//!
//! The modules form layers, and no module imports from a higher layer: [`support`], [`schema`],
//! [`transcript`], [`network`] → [`refusal`], [`dangerous_paths`] → [`sandbox`] → [`capability`] →
//! [`mod@tool`] → [`registry`] → [`mod@toolset`] → [`testing`], [`authority`].

// The tools of the tests use the public macro, whose expansion contains `::helve::…` paths.
#[allow(
    unused_extern_crates,
    reason = "the lint does not see the paths that a macro writes"
)]
extern crate self as helve;

pub mod authority;
pub mod capability;
pub mod dangerous_paths;
pub mod network;
pub mod refusal;
pub mod registry;
pub mod sandbox;
pub mod schema;
pub mod support;
pub mod testing;
pub mod tool;
pub mod toolset;
pub mod transcript;

#[doc(hidden)]
pub mod __private;

///
/// The macro derives `Serialize`, `Deserialize` and `JsonSchema` through helve, so that a crate needs no
/// other dependency for them; `#[serde(…)]` and `#[schemars(…)]` attributes work as usual. Types that derive
/// the three traits themselves need no `#[data]`. `#[data(crate = path)]` sets the path of a renamed
/// dependency. `#[arg(…)]` on a field has the keys that it has on a parameter of a tool.
///
/// ```
/// # extern crate helve_core as helve;
/// /// How hot it is.
/// #[helve::data]
/// #[serde(rename_all = "lowercase")]
/// enum Heat {
///     /// Below ten degrees.
///     Cold,
///     /// Above.
///     Warm,
/// }
///
/// /// What to look for.
/// #[helve::data]
/// struct Query {
///     /// How many at most.
///     #[arg(default = 10, min = 1, max = 100)]
///     limit: u32,
///     heat: Heat,
/// }
/// ```
pub use helve_macros::data;
///
/// The name is the function's name, the description is its docs, and the schema is derived from its
/// parameters. The model supplies parameters that are taken by value (and `&str`, `Option<&str>`, `&[T]`);
/// the host supplies parameters that are taken by reference (`&T`, `&dyn Trait`, `Option<&T>`,
/// [`&ToolContext`](ToolContext)). The function may be `async`, and may return anything that serialises, a
/// [`ToolOutput`], a stream of [`Update`]s, or a `Result` of those with any error.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// struct Library(Vec<String>);
///
/// /// Finds books by a word of their title.
/// #[tool(read_only, title = "Find books")]
/// async fn find_books(
///     /// A word of the title.
///     #[arg(min_len = 2, example = "whale")]
///     word: &str,
///     /// How many at most.
///     #[arg(default = 10, min = 1, max = 100)]
///     limit: usize,
///     library: &Library,
/// ) -> Vec<String> {
///     library.0.iter().filter(|title| title.contains(word)).take(limit).cloned().collect()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let context = helve::testing::context_with(Library(vec!["The white whale".into(), "Emma".into()]));
/// let found = helve::testing::call_with(find_books, serde_json::json!({ "word": "whale" }), &context).await;
/// assert_eq!(found.unwrap().text(), r#"["The white whale"]"#);
/// # }
/// ```
///
/// # Keys of `#[tool(…)]`
///
/// | key | meaning |
/// |---|---|
/// | `name`, `title`, `description` | the texts for the model and for users, where they differ from the function's name and docs |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | MCP's hints; each may be `= false` |
/// | `risk = "low"`, `"medium"`, `"high"` | how much harm a call can do; follows from the hints otherwise |
/// | `risk_with = path` | a `fn(arguments…) -> Risk` that judges a call |
/// | `check = path` | a `fn(&ToolContext, arguments…) -> Check`: the tool's own decision on whether a call may run |
/// | `match_rule = path` | a `fn(&ToolContext, rule: &str, arguments…) -> impl Into<Coverage>`: how much of a call a rule covers; a `bool` is accepted, too |
/// | `suggest_rules = path` | a `fn(arguments…) -> Vec<String>`: rules that would cover a call |
/// | `concurrency = "parallel"`, `"exclusive"` | whether calls run concurrently with others; by default, only read-only tools do |
/// | `blocking` | that the function blocks, and must run on a thread for blocking calls |
/// | `timeout = "30s"` | the time limit of a call |
/// | `max_result_chars = 10_000` | the maximum length of the result that the model sees, in characters |
/// | `untrusted_output` | that the result may contain text that tries to steer the model |
/// | `requires(fs, net, process, secrets("NAME"), kv)` | which capabilities of [`ToolContext`] are available; `net("api.github.com", "*.crates.io")` and `process("git")` limit them to these hosts and programs |
/// | `group = "…"` | the group with which the tool is enabled and disabled |
/// | `always` | that the tool is offered whenever its group is enabled, however many tools there are |
/// | `cached` | that a result is reused while the state that the call [read](ToolContext::reads) is unchanged; only with `read_only` |
/// | `available_if = path` | a `fn(&ToolContext) -> bool`: if it returns `false`, no model sees the tool |
/// | `config_check = path` | a `fn(&ToolContext) -> Result<(), impl Display>`: if it fails, the tool is marked `[NOT CONFIGURED]`, with the setting that is missing |
/// | `examples = [r#"{ … }"#]` | complete calls, as examples for the model |
/// | `deprecated = "…"` | the reason why the tool should no longer be used |
/// | `crate = path` | the path of helve, where the dependency is renamed |
///
/// The functions of `risk_with`, `check`, `match_rule` and `suggest_rules` take the model's arguments by reference, in
/// the tool's order.
///
/// # Keys of `#[arg(…)]`
///
/// `name`, `description`, `default`, `default = expression`, `example = value`, `min`, `max`, `min_len`, `max_len`,
/// `pattern = "…"` (a regular expression that matches anywhere, as JSON Schema has it). What the schema promises is
/// enforced.
pub use helve_macros::tool;
///
/// Methods take `&self`, and otherwise the same parameters as functions. The type gets a function `toolset`, which
/// binds its tools to one value; an app that has the type in its state can call the tools too. `#[tools(crate =
/// path)]` sets the path of a renamed dependency.
///
/// ```
/// # extern crate helve_core as helve;
/// use std::sync::Arc;
/// use helve::prelude::*;
///
/// struct Counter(std::sync::atomic::AtomicU64);
///
/// #[tools]
/// impl Counter {
///     /// Adds to the counter and tells the sum.
///     #[tool]
///     fn add(
///         &self,
///         /// How much.
///         amount: u64,
///     ) -> u64 {
///         self.0.fetch_add(amount, std::sync::atomic::Ordering::Relaxed) + amount
///     }
/// }
///
/// let tools = Counter::toolset(Arc::new(Counter(0.into())));
/// assert_eq!(tools.names(), ["add"]);
/// ```
pub use helve_macros::tools;
pub use registry::Registry;
pub use tool::{
    Annotations, Check, Risk, State, Tool, ToolContext, ToolDef, ToolError, ToolOutput, ToolResult,
    ToolSpec, Update,
};
pub use toolset::Toolset;

/// What a file of tools needs: `use helve::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Tool as _, ToolContext, ToolError, ToolOutput, ToolResult, Toolset, Update, data, tool,
        tools, toolset,
    };
}
