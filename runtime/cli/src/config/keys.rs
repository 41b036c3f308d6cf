//! All keys. One table feeds the files, the environment, the flags, `config show` and the help.

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
const TRANSPORTS: ValueKind = ValueKind::OneOf(&["http", "sse"]);
const UNTRUSTED: ValueKind = ValueKind::OneOf(&["egress", "always", "never"]);
const MODES: ValueKind =
    ValueKind::OneOf(&["default", "accept_edits", "explore", "bypass", "dont_ask"]);

/// All keys: the name, what it may be, what holds without it, and what it is for.
#[rustfmt::skip] // A table is read by its lines.
pub(in crate) static KEYS: &[Key] = &[
    Key::new("model", ValueKind::Model, "", "The model to talk to, as `provider/model`")
        .environment("HELVE_MODEL").flag("model").allowed_in(AllowedFiles::Accepted),
    Key::new("fallback", ValueKind::Models, "[]", "The models to turn to when that one cannot reply, in this order")
        .environment("HELVE_FALLBACK").flag("fallback").allowed_in(AllowedFiles::Accepted),
    Key::new("base_url", ValueKind::Url, "the provider's", "Where the model's provider is reached in place of its own address")
        .environment("HELVE_BASE_URL").flag("base-url").allowed_in(AllowedFiles::None),
    Key::new("max_output_tokens", ValueKind::Integer { min: 1, most: MAX_U32 }, "the provider's", "The most tokens of a reply"),
    Key::new("temperature", ValueKind::Number { most: 2.0 }, "the provider's", "How freely the model chooses its words, from 0 to 2"),
    Key::new("effort", EFFORTS, "the provider's", "How much the model thinks first: none, low, medium or high")
        .environment("HELVE_EFFORT").flag("effort"),
    Key::new("mode", MODES, "the app's", "How freely the agent may act")
        .environment("HELVE_MODE").flag("mode").allowed_in(AllowedFiles::Accepted),
    Key::new("max_turns", ValueKind::Integer { min: 1, most: MAX_U32 }, "50", "How many times the model may be called for one prompt")
        .environment("HELVE_MAX_TURNS").flag("max-turns").allowed_in(AllowedFiles::Accepted),
    Key::new("context_window", ValueKind::Integer { min: 1, most: MAX_U64 }, "", "How many tokens the model's context has: near its end, the conversation is summed up"),
    Key::new("reduce_results", ValueKind::Bool, "true", "Whether long results are made shorter before the model reads them: of test runs the failures are left, for instance")
        .environment("HELVE_REDUCE_RESULTS"),
    Key::new("permissions.dangerous", ValueKind::DangerousPaths, "[]", "More paths that ask whatever the rules say, beside those that `doctor` lists; every file that says it adds some, and each may say `reading=`, `writing=` and `why=`").cumulative(),
    Key::new("sandbox.kind", ValueKind::Sandbox, "local", "Which sandbox commands run in")
        .environment("HELVE_SANDBOX").flag("sandbox").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.hosts", ValueKind::TextList, "[]", "The hosts that commands reach: names, `*.name` for all below one, `*` for all public ones").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.denied_hosts", ValueKind::TextList, "[]", "Hosts that they do not reach, whatever else is said"),
    Key::new("sandbox.even_tainted", ValueKind::TextList, "[]", "Those of the hosts that commands reach without a question even after untrusted text was read").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.private_networks", ValueKind::Bool, "false", "Whether those hosts may be in private networks").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.writable", ValueKind::TextList, "[]", "More folders that commands may write").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.readable", ValueKind::TextList, "[]", "More folders and files that commands may read").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.environment", ValueKind::TextList, "[]", "More variables that commands see: names, or `PREFIX*`").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.protected", ValueKind::TextList, "[]", "More paths in writable folders that commands cannot change"),
    Key::new("sandbox.masked", ValueKind::TextList, "[]", "More names of files that commands cannot read, such as `*.secret`"),
    Key::new("sandbox.staged", ValueKind::Bool, "false", "Whether what a command changes is judged before it is applied to the folders, for unattended runs").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.memory_mib", ValueKind::Integer { min: 16, most: MAX_U32 }, "2048", "How much memory a command may use, in MiB").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.file_size_mib", ValueKind::Integer { min: 1, most: MAX_U32 }, "100", "How large a file of a command may become, in MiB").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.processes", ValueKind::Integer { min: 8, most: 32_768 }, "256", "How many processes and threads all commands together may have").allowed_in(AllowedFiles::Accepted),
    Key::new("sandbox.accept_missing", ValueKind::Layers, "[]", "The layers that may be missing: without this, no command runs where one is").allowed_in(AllowedFiles::Accepted),
    Key::new("tools.only", ValueKind::TextList, "all", "The tools that are used of the app's own and those that come with helve, by their names; every file that says it takes more away").cumulative(),
    Key::new("tools.without", ValueKind::TextList, "[]", "Tools that are not used, whoever brings them").cumulative(),
    #[cfg(feature = "mcp")]
    Key::new("tools.servers", ValueKind::TextList, "all", "The MCP servers whose tools are used").cumulative(),
    Key::new("tools.packages", ValueKind::TextList, "all", "The other packages whose tools are used").cumulative(),
    #[cfg(feature = "skills")]
    Key::new("skills.folders", ValueKind::TextList, "[]", "More folders of skills").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "skills")]
    Key::new("skills.shadow", ValueKind::Bool, "false", "Whether a skill of a folder may take the place of an embedded one of its name").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "skills")]
    Key::new("skills.allow", ValueKind::TextList, "all", "The skills that may be used, and no others").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "skills")]
    Key::new("skills.deny", ValueKind::TextList, "[]", "Skills that may not be used").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.command", ValueKind::Text, "", "The program of an MCP server of this machine").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.args", ValueKind::TextList, "[]", "Its arguments").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.env.*", ValueKind::Text, "", "A variable that is set for it").allowed_in(AllowedFiles::Accepted).secret(),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.inherit", ValueKind::TextList, "[]", "Variables of this process that it sees, too: names, or `PREFIX*`").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.cwd", ValueKind::Text, "", "The folder that it starts in").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.sandboxed", ValueKind::Bool, "false", "Whether it runs in the sandbox").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.url", ValueKind::Url, "", "The address of an MCP server, in place of a command").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.transport", TRANSPORTS, "http", "How it is spoken to there: http, or sse as before 2025-03-26").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.headers.*", ValueKind::Text, "", "A header of every request").allowed_in(AllowedFiles::Accepted).secret(),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.tools.only", ValueKind::TextList, "all", "The tools of it that are used, by its own names; `*` stands for any characters").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.tools.without", ValueKind::TextList, "[]", "Tools of it that are not used").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.connect", SECONDS, "30", "How long it may take to be there, in seconds").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.list", SECONDS, "30", "How long it may take to list what it has, in seconds").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.call", SECONDS, "600", "How long a call may take, in seconds").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.stall", SECONDS, "120", "How long a call may go on without a word of it, in seconds").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.sampling", ValueKind::Bool, "false", "Whether it may ask for something of the model, which you are asked about each time").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.disabled", ValueKind::Bool, "false", "Whether it is left alone").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.login", ValueKind::Bool, "true", "Whether you log in there where it asks for that; without it, an id and its secret log the program in").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.client_id", ValueKind::Text, "", "The id that this program is registered under there").allowed_in(AllowedFiles::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.client_secret", ValueKind::Text, "", "The secret that belongs to that id, best as `${VARIABLE}`").allowed_in(AllowedFiles::Accepted).secret(),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.scopes", ValueKind::TextList, "what it names", "What is asked for at a login").allowed_in(AllowedFiles::Accepted),
    Key::new("untrusted.ask", UNTRUSTED, "egress", "What asks after text of the web or of an MCP server was read: what could carry data out or acts later (egress), all that does more than read (always), or nothing more than before (never)").allowed_in(AllowedFiles::Accepted),
    Key::new("retry.attempts", ValueKind::Integer { min: 1, most: 100 }, "4", "How often a model is asked at most, the first time included").allowed_in(AllowedFiles::Accepted),
    Key::new("retry.longest_wait", ValueKind::Number { most: 3_600.0 }, "10", "The longest wait between two attempts, in seconds").allowed_in(AllowedFiles::Accepted),
    Key::new("retry.longest_retry_after", ValueKind::Number { most: 86_400.0 }, "60", "The longest wait that a provider may ask for, in seconds").allowed_in(AllowedFiles::Accepted),
    Key::new("progress.enabled", ValueKind::Bool, "true", "Whether what tools report while they work is told")
        .environment("HELVE_PROGRESS"),
    Key::new("progress.flush_interval_ms", ValueKind::Integer { min: 0, most: 60_000 }, "50", "How long is waited for more of it, in milliseconds; 0 tells all at once")
        .environment("HELVE_PROGRESS_FLUSH_MS"),
    Key::new("progress.max_bytes", ValueKind::Integer { min: 1, most: MAX_U32 }, "16384", "How much of it is gathered at most, in bytes")
        .environment("HELVE_PROGRESS_MAX_BYTES"),
    Key::new("providers.*.api", APIS, "", "What the provider speaks").allowed_in(AllowedFiles::Accepted),
    Key::new("providers.*.base_url", ValueKind::Url, "", "Where the provider is reached").allowed_in(AllowedFiles::Accepted),
    Key::new("providers.*.key", ValueKind::Text, "", "The key, best as `${VARIABLE}`").allowed_in(AllowedFiles::Accepted).secret(),
    Key::new("providers.*.headers.*", ValueKind::Text, "", "A header of every request").allowed_in(AllowedFiles::Accepted).secret(),
    Key::new("prices.*.input", DOLLARS, "", "Dollars for a million input tokens").allowed_in(AllowedFiles::Accepted),
    Key::new("prices.*.output", DOLLARS, "", "Dollars for a million output tokens").allowed_in(AllowedFiles::Accepted),
    Key::new("prices.*.cached_input", DOLLARS, "", "Dollars for a million input tokens out of the cache").allowed_in(AllowedFiles::Accepted),
    Key::new("prices.*.cache_write", DOLLARS, "", "Dollars for a million input tokens into the cache").allowed_in(AllowedFiles::Accepted),
];

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
