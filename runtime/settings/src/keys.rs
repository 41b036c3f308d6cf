//! All keys. This table defines the settings of files, the environment and flags, the rows of `config show` and the
//! help.

use std::sync::{Arc, LazyLock};

use super::key::{AllowedFiles, Key};
use super::value_kind::ValueKind;

const MAX_U64: u64 = u64::MAX;
const MAX_U32: u64 = u32::MAX as u64;
const DOLLARS: ValueKind = ValueKind::Number { most: 1e6 };

const APIS: ValueKind = ValueKind::OneOf(&[
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "ollama",
    "bedrock",
    "vertex",
]);
const EFFORTS: ValueKind = ValueKind::OneOf(&["none", "low", "medium", "high"]);
#[cfg(feature = "mcp")]
const SECONDS: ValueKind = ValueKind::Number { most: 86_400.0 };
#[cfg(feature = "mcp")]
const LIFETIMES: ValueKind = ValueKind::OneOf(&["session", "call"]);
#[cfg(feature = "mcp")]
const TRANSPORTS: ValueKind = ValueKind::OneOf(&["http", "sse"]);
const UNTRUSTED: ValueKind = ValueKind::OneOf(&["egress", "always", "never"]);
const MODES: ValueKind = ValueKind::OneOf(&[
    "default",
    "accept_edits",
    "explore",
    "plan",
    "bypass",
    "dont_ask",
]);

/// The keys: the name, the type, the default and the description.
#[rustfmt::skip] // A table is read by its lines.
static FIXED_KEYS: LazyLock<Vec<Arc<Key>>> = LazyLock::new(|| [
    Key::new("model", ValueKind::Model, "", "The model, as `provider/model`")
        .environment("HELVE_MODEL").flag("model").allowed_in(AllowedFiles::Accepted),
    Key::new("fallback", ValueKind::Models, "[]", "The fallback models, in order of preference")
        .environment("HELVE_FALLBACK").flag("fallback").allowed_in(AllowedFiles::Accepted),
    Key::new("models.small", ValueKind::Model, "the model", "The model for summaries of the conversation, and for tools that ask for a small model").allowed_in(AllowedFiles::Accepted),
    Key::new("models.vision", ValueKind::Model, "the model", "The model for tools that ask for a model that reads images").allowed_in(AllowedFiles::Accepted),
    Key::new("models.embed", ValueKind::Model, "", "The embedding model for tools that ask for one").allowed_in(AllowedFiles::Accepted),
    Key::new("base_url", ValueKind::Url, "the provider's", "The base URL of the model's provider")
        .environment("HELVE_BASE_URL").flag("base-url").allowed_in(AllowedFiles::None),
    Key::new("max_output_tokens", ValueKind::Integer { min: 1, most: MAX_U32 }, "the provider's", "The maximum number of tokens of a reply"),
    Key::new("temperature", ValueKind::Number { most: 2.0 }, "the provider's", "The sampling temperature of the model, from 0 to 2"),
    Key::new("effort", EFFORTS, "the provider's", "The reasoning effort of the model: none, low, medium or high")
        .environment("HELVE_EFFORT").flag("effort"),
    Key::new("mode", MODES, "the app's", "The permission mode of the agent")
        .environment("HELVE_MODE").flag("mode").allowed_in(AllowedFiles::Accepted),
    Key::new("max_turns", ValueKind::Integer { min: 1, most: MAX_U32 }, "50", "The maximum number of model calls per prompt")
        .environment("HELVE_MAX_TURNS").flag("max-turns").allowed_in(AllowedFiles::Accepted),
    Key::new("context_window", ValueKind::Integer { min: 1, most: MAX_U64 }, "", "The size of the model's context window in tokens; the conversation is summarized before it is full"),
    Key::new("context.compact_at", ValueKind::Number { most: 1.0 }, "0.8", "The fill of the context window at which the conversation is summarized"),
    Key::new("limits.tool_calls", ValueKind::Integer { min: 1, most: MAX_U32 }, "no limit", "The maximum number of tool calls per prompt").allowed_in(AllowedFiles::Accepted),
    Key::new("limits.tokens", ValueKind::Integer { min: 1, most: MAX_U64 }, "no limit", "The maximum number of input and output tokens per prompt").allowed_in(AllowedFiles::Accepted),
    Key::new("limits.cost_usd", DOLLARS, "no limit", "The maximum cost per prompt, in US dollars; the price of the model must be known")
        .environment("HELVE_MAX_COST").flag("max-cost").allowed_in(AllowedFiles::Accepted),
    Key::new("limits.minutes", ValueKind::Number { most: 10_080.0 }, "no limit", "The maximum time per prompt, in minutes, without the time that questions wait for an answer").allowed_in(AllowedFiles::Accepted),
    Key::new("limits.ask", ValueKind::Bool, "false", "Whether a limit that ends a prompt asks to go on, at a terminal"),
    #[cfg(feature = "jobs")]
    Key::new("jobs.wake", ValueKind::Bool, "false", "Whether an idle session goes on when one of its background jobs is over").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "memory")]
    Key::new("memory.recall", ValueKind::Bool, "true", "Whether the model reads the entries of the memory that match a message before it replies").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "chat")]
    Key::new("chat.suggest", ValueKind::Integer { min: 0, most: 9 }, "0", "The maximum number of suggestions of what to say next that a chat shows after a turn; they cost one call of the small model"),
    Key::new("approval.timeout", ValueKind::TimeLimit { most: 86_400.0 }, "120", "The timeout of a question at the terminal, in seconds, after which the call is rejected; \"none\" waits for the answer"),
    Key::new("results.chars", ValueKind::Integer { min: 1_000, most: MAX_U32 }, "80000", "The maximum number of characters of the results of tool calls that run together"),
    Key::new("results.tokens", ValueKind::Integer { min: 250, most: MAX_U32 }, "no limit", "The maximum number of tokens of these results, at four characters each; the smaller maximum applies"),
    Key::new("reduce_results", ValueKind::Bool, "true", "Whether long tool results are shortened, for example test output to its failures")
        .environment("HELVE_REDUCE_RESULTS"),
    Key::new("permissions.dangerous", ValueKind::DangerousPaths, "[]", "Additional paths that need approval regardless of the rules (see `doctor` for the built-in ones), each with optional `reading=`, `writing=` and `why=`; the lists of all files apply").cumulative(),
    Key::new("workspace.folders", ValueKind::TextList, "[]", "Additional folders that the tools and commands may read and write")
        .flag("add-dir").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.kind", ValueKind::Sandbox, "local", "The sandbox for commands")
        .environment("HELVE_SANDBOX").flag("sandbox").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.hosts", ValueKind::TextList, "[]", "The hosts that commands may reach: names, `*.name` for subdomains, `*` for all public hosts").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.denied_hosts", ValueKind::TextList, "[]", "The hosts that commands may never reach").cumulative(),
    Key::new("sandbox.even_tainted", ValueKind::TextList, "[]", "The hosts that commands may reach without approval after untrusted text was read").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.private_networks", ValueKind::Bool, "false", "Whether commands may reach hosts in private networks").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.writable", ValueKind::TextList, "[]", "Additional folders that commands may write to").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.readable", ValueKind::TextList, "[]", "Additional folders and files that commands may read").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.environment", ValueKind::TextList, "[]", "Additional environment variables for commands: names, or `PREFIX*`").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.protected", ValueKind::TextList, "[]", "Additional paths in writable folders that commands cannot change").cumulative(),
    Key::new("sandbox.masked", ValueKind::TextList, "[]", "Additional file names that commands cannot read, for example `*.secret`").cumulative(),
    Key::new("sandbox.staged", ValueKind::Bool, "false", "Whether the changes of a command are checked before they are applied, for unattended runs").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.memory_mib", ValueKind::Integer { min: 16, most: MAX_U32 }, "2048", "The memory limit of a command, in MiB").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.file_size_mib", ValueKind::Integer { min: 1, most: MAX_U32 }, "100", "The size limit of files that a command writes, in MiB").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.processes", ValueKind::Integer { min: 8, most: 32_768 }, "256", "The maximum number of processes and threads of all commands").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.accept_missing", ValueKind::Layers, "[]", "The sandbox layers that may be missing; commands do not run if another layer is missing").allowed_in(AllowedFiles::Accepted),
    Key::new("tools.only", ValueKind::TextList, "all", "The only tools of the app and of helve to use, by name; the lists of all files apply").cumulative(),
    Key::new("tools.without", ValueKind::TextList, "[]", "Tools to disable, from any source").cumulative(),
    Key::new("tools.*.sandbox", ValueKind::Text, "that of most tools", "The named sandbox for the commands of a tool, by the tool's name, in which `*` is a wildcard").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "http")]
    Key::new("tools.*.hosts", ValueKind::TextList, "those of the app", "The only hosts that a tool may reach, by the tool's name: names, `*.name` for subdomains, with `:PORT` where it is not 80 or 443").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "http")]
    Key::new("tools.*.secrets.*", ValueKind::TextList, "[]", "The origins that a tool may reach and send this secret to, such as `https://api.example.com`; the secret is the environment variable of its name").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("tools.servers", ValueKind::TextList, "all", "The only MCP servers to use tools from").cumulative(),
    Key::new("tools.packages", ValueKind::TextList, "all", "The only other packages to use tools from").cumulative(),
    #[cfg(feature = "skills")]
    Key::new("skills.folders", ValueKind::TextList, "[]", "Additional folders of skills").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "skills")]
    Key::new("skills.shadow", ValueKind::Bool, "false", "Whether a skill in a folder may replace an embedded skill of the same name").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "skills")]
    Key::new("skills.allow", ValueKind::TextList, "all", "The only skills to use").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "skills")]
    Key::new("skills.deny", ValueKind::TextList, "[]", "Skills to disable").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "skill-install")]
    Key::new("skills.github", ValueKind::Url, "https://api.github.com", "The API of GitHub that skills are installed from").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "skill-install")]
    Key::new("skills.manage", ValueKind::Bool, "false", "Whether the agent has the tools that create, install, run and manage skills").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "skill-install")]
    Key::new("skills.hub.source", ValueKind::Text, "", "The hub that `skills search` and `skills add NAME` use: `owner/repo`, `https://host` or a folder").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "agents")]
    Key::new("agents.models.*", ValueKind::Text, "", "The meaning of a model's name in agent files, such as `sonnet`: `provider/model`, `inherit` or `small`").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.command", ValueKind::Text, "", "The program of a stdio MCP server").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.args", ValueKind::TextList, "[]", "The arguments of the program").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.env.*", ValueKind::Text, "", "An environment variable of the server").allowed_in(AllowedFiles::Accepted).secret(),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.inherit", ValueKind::TextList, "[]", "Environment variables to pass to the server: names, or `PREFIX*`").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.cwd", ValueKind::Text, "", "The working folder of the server").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.sandboxed", ValueKind::Bool, "false", "Whether the server runs in the sandbox").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.url", ValueKind::Url, "", "The URL of a remote MCP server").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.transport", TRANSPORTS, "http", "The transport of the URL: http, or sse for protocol versions before 2025-03-26").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.headers.*", ValueKind::Text, "", "A header to send with every request").allowed_in(AllowedFiles::Accepted).secret(),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.tools.only", ValueKind::TextList, "all", "The only tools of the server to use, by the server's names; `*` is a wildcard").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.tools.without", ValueKind::TextList, "[]", "Tools of the server to disable").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.lifetime", LIFETIMES, "session", "How long the server runs: for the whole session, or for one call, so that each call starts and ends it (for servers that leak or hold locks)").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.connect", SECONDS, "30", "The timeout for connecting, in seconds").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.list", SECONDS, "30", "The timeout for listing tools, in seconds").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.call", SECONDS, "600", "The timeout of a call, in seconds").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.stall", SECONDS, "120", "The timeout of a call without progress, in seconds").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.sampling", ValueKind::Bool, "false", "Whether the server may request completions from the model (sampling); each request needs your approval").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.disabled", ValueKind::Bool, "false", "Whether the server is disabled").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.login", ValueKind::Bool, "true", "Whether the user logs in in a browser; if false, the client id and secret are used").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.client_id", ValueKind::Text, "", "The OAuth client id").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.client_secret", ValueKind::Text, "", "The OAuth client secret, preferably as `${VARIABLE}`").allowed_in(AllowedFiles::Accepted).secret(),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.scopes", ValueKind::TextList, "the scopes that the server names", "The OAuth scopes to request").allowed_in(AllowedFiles::Accepted),
    Key::new("principal.team", ValueKind::Text, "", "The team that you work in, which tools and session records see").allowed_in(AllowedFiles::Accepted),
    Key::new("untrusted.ask", UNTRUSTED, "egress", "Which calls need approval after text of the web or an MCP server was read: calls that can send data out or take effect later (egress), all calls that do more than read (always), or no additional calls (never)").allowed_in(AllowedFiles::Accepted),
    Key::new("retry.attempts", ValueKind::Integer { min: 1, most: 100 }, "4", "The maximum number of attempts per reply, including the first").allowed_in(AllowedFiles::Accepted),
    Key::new("retry.longest_wait", ValueKind::Number { most: 3_600.0 }, "10", "The maximum delay between two attempts, in seconds").allowed_in(AllowedFiles::Accepted),
    Key::new("retry.longest_retry_after", ValueKind::Number { most: 86_400.0 }, "60", "The maximum delay that a provider may request, in seconds").allowed_in(AllowedFiles::Accepted),
    Key::new("progress.enabled", ValueKind::Bool, "true", "Whether progress of tools is reported")
        .environment("HELVE_PROGRESS"),
    Key::new("progress.flush_interval_ms", ValueKind::Integer { min: 0, most: 60_000 }, "50", "The interval between progress reports, in milliseconds; 0 reports immediately")
        .environment("HELVE_PROGRESS_FLUSH_MS"),
    Key::new("progress.max_bytes", ValueKind::Integer { min: 1, most: MAX_U32 }, "16384", "The maximum size of a progress report, in bytes")
        .environment("HELVE_PROGRESS_MAX_BYTES"),
    Key::new("providers.*.api", APIS, "", "The API of the provider").allowed_in(AllowedFiles::Accepted),
    Key::new("providers.*.base_url", ValueKind::Url, "", "The base URL of the provider").allowed_in(AllowedFiles::Accepted),
    Key::new("providers.*.key", ValueKind::Text, "", "The API key, preferably as `${VARIABLE}`").allowed_in(AllowedFiles::Accepted).secret(),
    Key::new("providers.*.headers.*", ValueKind::Text, "", "A header to send with every request").allowed_in(AllowedFiles::Accepted).secret(),
    Key::new("prices.*.input", DOLLARS, "", "The price of a million input tokens, in US dollars").allowed_in(AllowedFiles::Accepted),
    Key::new("prices.*.output", DOLLARS, "", "The price of a million output tokens, in US dollars").allowed_in(AllowedFiles::Accepted),
    Key::new("prices.*.cached_input", DOLLARS, "", "The price of a million input tokens read from the cache, in US dollars").allowed_in(AllowedFiles::Accepted),
    Key::new("prices.*.cache_write", DOLLARS, "", "The price of a million input tokens written to the cache, in US dollars").allowed_in(AllowedFiles::Accepted),
].into_iter().map(Arc::new).collect());

/// All keys: those above, and those of `[sandbox]` again for named sandboxes, which inherit the values of `[sandbox]`.
pub(crate) static KEYS: LazyLock<Vec<Arc<Key>>> = LazyLock::new(|| {
    let mut keys = Vec::new();
    let mut own = FIXED_KEYS.iter().peekable();
    while let Some(key) = own.next() {
        keys.push(Arc::clone(key));
        let is_of_sandbox = |key: &Arc<Key>| key.name.starts_with("sandbox.");
        if is_of_sandbox(key) && !own.peek().is_some_and(|next| is_of_sandbox(next)) {
            let all = FIXED_KEYS.iter().filter(|key| is_of_sandbox(key));
            keys.extend(all.map(|key| Arc::new(key.of_named_sandbox())));
        }
    }
    keys
});

#[cfg(test)]
mod tests {
    use super::*;
    use helve_permission::{Mode, UntrustedPolicy};

    #[test]
    fn the_words_are_those_that_are_read() {
        let ValueKind::OneOf(modes) = MODES else {
            panic!("a mode is a word")
        };
        assert_eq!(Mode::ALL.map(Mode::name), modes);
        let ValueKind::OneOf(words) = UNTRUSTED else {
            panic!("a policy is a word")
        };
        let read = words.iter().map(|word| UntrustedPolicy::from_name(word));
        assert!(read.clone().all(|policy| policy.is_some()) && read.count() == 3);
    }

    #[cfg(feature = "models")]
    #[test]
    fn every_protocol_is_one() {
        let ValueKind::OneOf(apis) = APIS else {
            panic!("a protocol is a word")
        };
        for api in apis {
            let read: Result<helve_model::Api, _> = serde_json::from_value((*api).into());
            assert_eq!(read.expect("a protocol").to_string(), *api);
        }
    }
}
