//! All keys. One table feeds the files, the environment, the flags, `config show` and the help.

use super::key::{Key, Who};
use super::kind::Kind;

const ANY: u64 = u64::MAX;
const U32: u64 = u32::MAX as u64;
const DOLLARS: Kind = Kind::Number { most: 1e6 };

const APIS: Kind = Kind::Word(&[
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "ollama",
    "bedrock",
    "vertex",
]);
const EFFORTS: Kind = Kind::Word(&["none", "low", "medium", "high"]);
#[cfg(feature = "mcp")]
const SECONDS: Kind = Kind::Number { most: 86_400.0 };
#[cfg(feature = "mcp")]
const TRANSPORTS: Kind = Kind::Word(&["http", "sse"]);
const UNTRUSTED: Kind = Kind::Word(&["egress", "always", "never"]);
const MODES: Kind = Kind::Word(&["default", "accept_edits", "explore", "bypass", "dont_ask"]);

/// All keys: the name, what it may be, what holds without it, and what it is for.
#[rustfmt::skip] // A table is read by its lines.
pub(in crate::cli) static KEYS: &[Key] = &[
    Key::new("model", Kind::Model, "", "The model to talk to, as `provider/model`")
        .environment("HELVE_MODEL").flag("model").said_by(Who::Accepted),
    Key::new("fallback", Kind::Models, "[]", "The models to turn to when that one cannot reply, in this order")
        .environment("HELVE_FALLBACK").flag("fallback").said_by(Who::Accepted),
    Key::new("base_url", Kind::Url, "the provider's", "Where the model's provider is reached in place of its own address")
        .environment("HELVE_BASE_URL").flag("base-url").said_by(Who::NoFile),
    Key::new("max_output_tokens", Kind::Whole { least: 1, most: U32 }, "the provider's", "The most tokens of a reply"),
    Key::new("temperature", Kind::Number { most: 2.0 }, "the provider's", "How freely the model chooses its words, from 0 to 2"),
    Key::new("effort", EFFORTS, "the provider's", "How much the model thinks first: none, low, medium or high")
        .environment("HELVE_EFFORT").flag("effort"),
    Key::new("mode", MODES, "the app's", "How freely the agent may act")
        .environment("HELVE_MODE").flag("mode").said_by(Who::Accepted),
    Key::new("max_turns", Kind::Whole { least: 1, most: U32 }, "50", "How many times the model may be called for one prompt")
        .environment("HELVE_MAX_TURNS").flag("max-turns").said_by(Who::Accepted),
    Key::new("context_window", Kind::Whole { least: 1, most: ANY }, "", "How many tokens the model's context has: near its end, the conversation is summed up"),
    Key::new("reduce_results", Kind::Switch, "true", "Whether long results are made shorter before the model reads them: of test runs the failures are left, for instance")
        .environment("HELVE_REDUCE_RESULTS"),
    Key::new("permissions.dangerous", Kind::DangerousPaths, "[]", "More paths that ask whatever the rules say, beside those that `doctor` lists; every file that says it adds some, and each may say `reading=`, `writing=` and `why=`").narrowing(),
    Key::new("sandbox.kind", Kind::Sandbox, "local", "Which sandbox commands run in")
        .environment("HELVE_SANDBOX").flag("sandbox").said_by(Who::Accepted),
    Key::new("sandbox.hosts", Kind::Texts, "[]", "The hosts that commands reach: names, `*.name` for all below one, `*` for all public ones").said_by(Who::Accepted),
    Key::new("sandbox.denied_hosts", Kind::Texts, "[]", "Hosts that they do not reach, whatever else is said"),
    Key::new("sandbox.even_tainted", Kind::Texts, "[]", "Those of the hosts that commands reach without a question even after untrusted text was read").said_by(Who::Accepted),
    Key::new("sandbox.private_networks", Kind::Switch, "false", "Whether those hosts may be in private networks").said_by(Who::Accepted),
    Key::new("sandbox.writable", Kind::Texts, "[]", "More folders that commands may write").said_by(Who::Accepted),
    Key::new("sandbox.readable", Kind::Texts, "[]", "More folders and files that commands may read").said_by(Who::Accepted),
    Key::new("sandbox.environment", Kind::Texts, "[]", "More variables that commands see: names, or `PREFIX*`").said_by(Who::Accepted),
    Key::new("sandbox.protected", Kind::Texts, "[]", "More paths in writable folders that commands cannot change"),
    Key::new("sandbox.masked", Kind::Texts, "[]", "More names of files that commands cannot read, such as `*.secret`"),
    Key::new("sandbox.staged", Kind::Switch, "false", "Whether what a command changes is judged before it is applied to the folders, for unattended runs").said_by(Who::Accepted),
    Key::new("sandbox.memory_mib", Kind::Whole { least: 16, most: U32 }, "2048", "How much memory a command may use, in MiB").said_by(Who::Accepted),
    Key::new("sandbox.file_size_mib", Kind::Whole { least: 1, most: U32 }, "100", "How large a file of a command may become, in MiB").said_by(Who::Accepted),
    Key::new("sandbox.processes", Kind::Whole { least: 8, most: 32_768 }, "256", "How many processes and threads all commands together may have").said_by(Who::Accepted),
    Key::new("sandbox.accept_missing", Kind::Layers, "[]", "The layers that may be missing: without this, no command runs where one is").said_by(Who::Accepted),
    Key::new("tools.only", Kind::Texts, "all", "The tools that are used of the app's own and those that come with helve, by their names; every file that says it takes more away").narrowing(),
    Key::new("tools.without", Kind::Texts, "[]", "Tools that are not used, whoever brings them").narrowing(),
    #[cfg(feature = "mcp")]
    Key::new("tools.servers", Kind::Texts, "all", "The MCP servers whose tools are used").narrowing(),
    Key::new("tools.packages", Kind::Texts, "all", "The other packages whose tools are used").narrowing(),
    #[cfg(feature = "skills")]
    Key::new("skills.folders", Kind::Texts, "[]", "More folders of skills").said_by(Who::Accepted),
    #[cfg(feature = "skills")]
    Key::new("skills.shadow", Kind::Switch, "false", "Whether a skill of a folder may take the place of an embedded one of its name").said_by(Who::Accepted),
    #[cfg(feature = "skills")]
    Key::new("skills.allow", Kind::Texts, "all", "The skills that may be used, and no others").said_by(Who::Accepted),
    #[cfg(feature = "skills")]
    Key::new("skills.deny", Kind::Texts, "[]", "Skills that may not be used").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.command", Kind::Text, "", "The program of an MCP server of this machine").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.args", Kind::Texts, "[]", "Its arguments").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.env.*", Kind::Text, "", "A variable that is set for it").said_by(Who::Accepted).secret(),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.inherit", Kind::Texts, "[]", "Variables of this process that it sees, too: names, or `PREFIX*`").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.cwd", Kind::Text, "", "The folder that it starts in").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.sandboxed", Kind::Switch, "false", "Whether it runs in the sandbox").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.url", Kind::Url, "", "The address of an MCP server, in place of a command").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.transport", TRANSPORTS, "http", "How it is spoken to there: http, or sse as before 2025-03-26").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.headers.*", Kind::Text, "", "A header of every request").said_by(Who::Accepted).secret(),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.tools.only", Kind::Texts, "all", "The tools of it that are used, by its own names; `*` stands for any characters").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.tools.without", Kind::Texts, "[]", "Tools of it that are not used").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.connect", SECONDS, "30", "How long it may take to be there, in seconds").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.list", SECONDS, "30", "How long it may take to list what it has, in seconds").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.call", SECONDS, "600", "How long a call may take, in seconds").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.timeouts.stall", SECONDS, "120", "How long a call may go on without a word of it, in seconds").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.sampling", Kind::Switch, "false", "Whether it may ask for something of the model, which you are asked about each time").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.disabled", Kind::Switch, "false", "Whether it is left alone").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.login", Kind::Switch, "true", "Whether you log in there where it asks for that; without it, an id and its secret log the program in").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.client_id", Kind::Text, "", "The id that this program is registered under there").said_by(Who::Accepted),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.client_secret", Kind::Text, "", "The secret that belongs to that id, best as `${VARIABLE}`").said_by(Who::Accepted).secret(),
    #[cfg(feature = "mcp")]
    Key::new("mcp.servers.*.scopes", Kind::Texts, "what it names", "What is asked for at a login").said_by(Who::Accepted),
    Key::new("untrusted.ask", UNTRUSTED, "egress", "What asks after text of the web or of an MCP server was read: what could carry data out or acts later (egress), all that does more than read (always), or nothing more than before (never)").said_by(Who::Accepted),
    Key::new("retry.attempts", Kind::Whole { least: 1, most: 100 }, "4", "How often a model is asked at most, the first time included").said_by(Who::Accepted),
    Key::new("retry.longest_wait", Kind::Number { most: 3_600.0 }, "10", "The longest wait between two attempts, in seconds").said_by(Who::Accepted),
    Key::new("retry.longest_retry_after", Kind::Number { most: 86_400.0 }, "60", "The longest wait that a provider may ask for, in seconds").said_by(Who::Accepted),
    Key::new("progress.enabled", Kind::Switch, "true", "Whether what tools report while they work is told")
        .environment("HELVE_PROGRESS"),
    Key::new("progress.flush_interval_ms", Kind::Whole { least: 0, most: 60_000 }, "50", "How long is waited for more of it, in milliseconds; 0 tells all at once")
        .environment("HELVE_PROGRESS_FLUSH_MS"),
    Key::new("progress.max_bytes", Kind::Whole { least: 1, most: U32 }, "16384", "How much of it is gathered at most, in bytes")
        .environment("HELVE_PROGRESS_MAX_BYTES"),
    Key::new("providers.*.api", APIS, "", "What the provider speaks").said_by(Who::Accepted),
    Key::new("providers.*.base_url", Kind::Url, "", "Where the provider is reached").said_by(Who::Accepted),
    Key::new("providers.*.key", Kind::Text, "", "The key, best as `${VARIABLE}`").said_by(Who::Accepted).secret(),
    Key::new("providers.*.headers.*", Kind::Text, "", "A header of every request").said_by(Who::Accepted).secret(),
    Key::new("prices.*.input", DOLLARS, "", "Dollars for a million input tokens").said_by(Who::Accepted),
    Key::new("prices.*.output", DOLLARS, "", "Dollars for a million output tokens").said_by(Who::Accepted),
    Key::new("prices.*.cached_input", DOLLARS, "", "Dollars for a million input tokens out of the cache").said_by(Who::Accepted),
    Key::new("prices.*.cache_write", DOLLARS, "", "Dollars for a million input tokens into the cache").said_by(Who::Accepted),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::{Mode, UntrustedPolicy};

    #[test]
    fn the_words_are_those_that_are_read() {
        let Kind::Word(modes) = MODES else {
            panic!("a mode is a word")
        };
        assert_eq!(Mode::ALL.map(Mode::name), modes);
        let Kind::Word(words) = UNTRUSTED else {
            panic!("a policy is a word")
        };
        let read = words.iter().map(|word| UntrustedPolicy::of_name(word));
        assert!(read.clone().all(|policy| policy.is_some()) && read.count() == 3);
    }

    #[cfg(feature = "models")]
    #[test]
    fn every_protocol_is_one() {
        let Kind::Word(apis) = APIS else {
            panic!("a protocol is a word")
        };
        for api in apis {
            let read: Result<crate::model::Api, _> = serde_json::from_value((*api).into());
            assert_eq!(read.expect("a protocol").to_string(), *api);
        }
    }
}
