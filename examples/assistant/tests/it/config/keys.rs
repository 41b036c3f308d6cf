//! `config keys`: every key that a file may have.

use crate::config::fixture::ConfigFixture;

#[test]
#[expect(clippy::too_many_lines, reason = "the list is as long as it is")]
fn the_keys_are_listed() {
    insta::assert_snapshot!(ConfigFixture::new().run(&["config", "keys"]), @r#"
    exit 0
    --- stdout
    model                           The model, as `provider/model`
                                    a model, as `provider/model`
    fallback                        The fallback models, in order of preference
                                    a list of models, each as `provider/model` [default: []]
    models.small                    The model for summaries of the conversation, and for tools that ask for a small model
                                    a model, as `provider/model` [default: the model]
    models.vision                   The model for tools that ask for a model that reads images
                                    a model, as `provider/model` [default: the model]
    models.embed                    The embedding model for tools that ask for one
                                    a model, as `provider/model`
    base_url                        The base URL of the model's provider
                                    a URL [default: the provider's]
    max_output_tokens               The maximum number of tokens of a reply
                                    an integer from 1 to 4294967295 [default: the provider's]
    temperature                     The sampling temperature of the model, from 0 to 2
                                    a number from 0 to 2 [default: the provider's]
    effort                          The reasoning effort of the model: none, low, medium or high
                                    one of "none", "low", "medium", "high" [default: the provider's]
    mode                            The permission mode of the agent
                                    one of "default", "accept_edits", "explore", "plan", "bypass", "dont_ask" [default: the app's]
    max_turns                       The maximum number of model calls per prompt
                                    an integer from 1 to 4294967295 [default: 50]
    context_window                  The size of the model's context window in tokens; the conversation is summarized before it is full
                                    an integer of at least 1
    context.compact_at              The fill of the context window at which the conversation is summarized
                                    a number from 0 to 1 [default: 0.8]
    limits.tool_calls               The maximum number of tool calls per prompt
                                    an integer from 1 to 4294967295 [default: no limit]
    limits.tokens                   The maximum number of input and output tokens per prompt
                                    an integer of at least 1 [default: no limit]
    limits.cost_usd                 The maximum cost per prompt, in US dollars; the price of the model must be known
                                    a number from 0 to 1000000 [default: no limit]
    limits.minutes                  The maximum time per prompt, in minutes, without the time that questions wait for an answer
                                    a number from 0 to 10080 [default: no limit]
    limits.ask                      Whether a limit that ends a prompt asks to go on, at a terminal
                                    true or false [default: false]
    jobs.wake                       Whether an idle session goes on when one of its background jobs is over
                                    true or false [default: false]
    memory.recall                   Whether the model reads the entries of the memory that match a message before it replies
                                    true or false [default: true]
    chat.suggest                    The maximum number of suggestions of what to say next that a chat shows after a turn; they cost one call of the small model
                                    an integer from 0 to 9 [default: 0]
    approval.timeout                The timeout of a question at the terminal, in seconds, after which the call is rejected; "none" waits for the answer
                                    a number from 0 to 86400, or "none" [default: 120]
    results.chars                   The maximum number of characters of the results of tool calls that run together
                                    an integer from 1000 to 4294967295 [default: 80000]
    results.tokens                  The maximum number of tokens of these results, at four characters each; the smaller maximum applies
                                    an integer from 250 to 4294967295 [default: no limit]
    reduce_results                  Whether long tool results are shortened, for example test output to its failures
                                    true or false [default: true]
    permissions.dangerous           Additional paths that need approval regardless of the rules (see `doctor` for the built-in ones), each with optional `reading=`, `writing=` and `why=`; the lists of all files apply
                                    a list of paths, each as `PATTERN [reading=open|asks|always] [writing=open|asks|always] [why=TEXT]` [default: []]
    workspace.folders               Additional folders that the tools and commands may read and write
                                    a list of strings [default: []]
    sandbox.kind                    The sandbox for commands
                                    `local`, `passthrough`, `docker:IMAGE` or `ssh:[USER@]HOST[:PORT][/FOLDER]` [default: local]
    sandbox.hosts                   The hosts that commands may reach: names, `*.name` for subdomains, `*` for all public hosts
                                    a list of strings [default: []]
    sandbox.denied_hosts            The hosts that commands may never reach
                                    a list of strings [default: []]
    sandbox.even_tainted            The hosts that commands may reach without approval after untrusted text was read
                                    a list of strings [default: []]
    sandbox.private_networks        Whether commands may reach hosts in private networks
                                    true or false [default: false]
    sandbox.writable                Additional folders that commands may write to
                                    a list of strings [default: []]
    sandbox.readable                Additional folders and files that commands may read
                                    a list of strings [default: []]
    sandbox.environment             Additional environment variables for commands: names, or `PREFIX*`
                                    a list of strings [default: []]
    sandbox.protected               Additional paths in writable folders that commands cannot change
                                    a list of strings [default: []]
    sandbox.masked                  Additional file names that commands cannot read, for example `*.secret`
                                    a list of strings [default: []]
    sandbox.staged                  Whether the changes of a command are checked before they are applied, for unattended runs
                                    true or false [default: false]
    sandbox.memory_mib              The memory limit of a command, in MiB
                                    an integer from 16 to 4294967295 [default: 2048]
    sandbox.file_size_mib           The size limit of files that a command writes, in MiB
                                    an integer from 1 to 4294967295 [default: 100]
    sandbox.processes               The maximum number of processes and threads of all commands
                                    an integer from 8 to 32768 [default: 256]
    sandbox.accept_missing          The sandbox layers that may be missing; commands do not run if another layer is missing
                                    a list of layers: files, protected_paths, masked_paths, processes, network, privileges, system_calls, landlock, environment, descriptors, limits, lifetime [default: []]
    sandbox.*.kind                  The sandbox for commands
                                    `local`, `passthrough`, `docker:IMAGE` or `ssh:[USER@]HOST[:PORT][/FOLDER]` [default: that of `[sandbox]`]
    sandbox.*.hosts                 The hosts that commands may reach: names, `*.name` for subdomains, `*` for all public hosts
                                    a list of strings [default: that of `[sandbox]`]
    sandbox.*.denied_hosts          The hosts that commands may never reach
                                    a list of strings [default: none but those of `[sandbox]`]
    sandbox.*.even_tainted          The hosts that commands may reach without approval after untrusted text was read
                                    a list of strings [default: that of `[sandbox]`]
    sandbox.*.private_networks      Whether commands may reach hosts in private networks
                                    true or false [default: that of `[sandbox]`]
    sandbox.*.writable              Additional folders that commands may write to
                                    a list of strings [default: that of `[sandbox]`]
    sandbox.*.readable              Additional folders and files that commands may read
                                    a list of strings [default: that of `[sandbox]`]
    sandbox.*.environment           Additional environment variables for commands: names, or `PREFIX*`
                                    a list of strings [default: that of `[sandbox]`]
    sandbox.*.protected             Additional paths in writable folders that commands cannot change
                                    a list of strings [default: none but those of `[sandbox]`]
    sandbox.*.masked                Additional file names that commands cannot read, for example `*.secret`
                                    a list of strings [default: none but those of `[sandbox]`]
    sandbox.*.staged                Whether the changes of a command are checked before they are applied, for unattended runs
                                    true or false [default: that of `[sandbox]`]
    sandbox.*.memory_mib            The memory limit of a command, in MiB
                                    an integer from 16 to 4294967295 [default: that of `[sandbox]`]
    sandbox.*.file_size_mib         The size limit of files that a command writes, in MiB
                                    an integer from 1 to 4294967295 [default: that of `[sandbox]`]
    sandbox.*.processes             The maximum number of processes and threads of all commands
                                    an integer from 8 to 32768 [default: that of `[sandbox]`]
    sandbox.*.accept_missing        The sandbox layers that may be missing; commands do not run if another layer is missing
                                    a list of layers: files, protected_paths, masked_paths, processes, network, privileges, system_calls, landlock, environment, descriptors, limits, lifetime [default: that of `[sandbox]`]
    tools.only                      The only tools of the app and of helve to use, by name; the lists of all files apply
                                    a list of strings [default: all]
    tools.without                   Tools to disable, from any source
                                    a list of strings [default: []]
    tools.*.sandbox                 The named sandbox for the commands of a tool, by the tool's name, in which `*` is a wildcard
                                    a string [default: that of most tools]
    tools.*.hosts                   The only hosts that a tool may reach, by the tool's name: names, `*.name` for subdomains, with `:PORT` where it is not 80 or 443
                                    a list of strings [default: those of the app]
    tools.*.secrets.*               The origins that a tool may reach and send this secret to, such as `https://api.example.com`; the secret is the environment variable of its name
                                    a list of strings [default: []]
    tools.servers                   The only MCP servers to use tools from
                                    a list of strings [default: all]
    tools.packages                  The only other packages to use tools from
                                    a list of strings [default: all]
    skills.folders                  Additional folders of skills
                                    a list of strings [default: []]
    skills.shadow                   Whether a skill in a folder may replace an embedded skill of the same name
                                    true or false [default: false]
    skills.allow                    The only skills to use
                                    a list of strings [default: all]
    skills.deny                     Skills to disable
                                    a list of strings [default: []]
    skills.github                   The API of GitHub that skills are installed from
                                    a URL [default: https://api.github.com]
    skills.manage                   Whether the agent has the tools that create, install, run and manage skills
                                    true or false [default: false]
    skills.hub.source               The hub that `skills search` and `skills add NAME` use: `owner/repo`, `https://host` or a folder
                                    a string
    agents.models.*                 The meaning of a model's name in agent files, such as `sonnet`: `provider/model`, `inherit` or `small`
                                    a string
    mcp.servers.*.command           The program of a stdio MCP server
                                    a string
    mcp.servers.*.args              The arguments of the program
                                    a list of strings [default: []]
    mcp.servers.*.env.*             An environment variable of the server
                                    a string
    mcp.servers.*.inherit           Environment variables to pass to the server: names, or `PREFIX*`
                                    a list of strings [default: []]
    mcp.servers.*.cwd               The working folder of the server
                                    a string
    mcp.servers.*.sandboxed         Whether the server runs in the sandbox
                                    true or false [default: false]
    mcp.servers.*.url               The URL of a remote MCP server
                                    a URL
    mcp.servers.*.transport         The transport of the URL: http, or sse for protocol versions before 2025-03-26
                                    one of "http", "sse" [default: http]
    mcp.servers.*.headers.*         A header to send with every request
                                    a string
    mcp.servers.*.tools.only        The only tools of the server to use, by the server's names; `*` is a wildcard
                                    a list of strings [default: all]
    mcp.servers.*.tools.without     Tools of the server to disable
                                    a list of strings [default: []]
    mcp.servers.*.lifetime          How long the server runs: for the whole session, or for one call, so that each call starts and ends it (for servers that leak or hold locks)
                                    one of "session", "call" [default: session]
    mcp.servers.*.timeouts.connect  The timeout for connecting, in seconds
                                    a number from 0 to 86400 [default: 30]
    mcp.servers.*.timeouts.list     The timeout for listing tools, in seconds
                                    a number from 0 to 86400 [default: 30]
    mcp.servers.*.timeouts.call     The timeout of a call, in seconds
                                    a number from 0 to 86400 [default: 600]
    mcp.servers.*.timeouts.stall    The timeout of a call without progress, in seconds
                                    a number from 0 to 86400 [default: 120]
    mcp.servers.*.sampling          Whether the server may request completions from the model (sampling); each request needs your approval
                                    true or false [default: false]
    mcp.servers.*.disabled          Whether the server is disabled
                                    true or false [default: false]
    mcp.servers.*.login             Whether the user logs in in a browser; if false, the client id and secret are used
                                    true or false [default: true]
    mcp.servers.*.client_id         The OAuth client id
                                    a string
    mcp.servers.*.client_secret     The OAuth client secret, preferably as `${VARIABLE}`
                                    a string
    mcp.servers.*.scopes            The OAuth scopes to request
                                    a list of strings [default: the scopes that the server names]
    principal.team                  The team that you work in, which tools and session records see
                                    a string
    untrusted.ask                   Which calls need approval after text of the web or an MCP server was read: calls that can send data out or take effect later (egress), all calls that do more than read (always), or no additional calls (never)
                                    one of "egress", "always", "never" [default: egress]
    retry.attempts                  The maximum number of attempts per reply, including the first
                                    an integer from 1 to 100 [default: 4]
    retry.longest_wait              The maximum delay between two attempts, in seconds
                                    a number from 0 to 3600 [default: 10]
    retry.longest_retry_after       The maximum delay that a provider may request, in seconds
                                    a number from 0 to 86400 [default: 60]
    progress.enabled                Whether progress of tools is reported
                                    true or false [default: true]
    progress.flush_interval_ms      The interval between progress reports, in milliseconds; 0 reports immediately
                                    an integer from 0 to 60000 [default: 50]
    progress.max_bytes              The maximum size of a progress report, in bytes
                                    an integer from 1 to 4294967295 [default: 16384]
    providers.*.api                 The API of the provider
                                    one of "anthropic", "openai-chat", "openai-responses", "gemini", "ollama", "bedrock", "vertex"
    providers.*.base_url            The base URL of the provider
                                    a URL
    providers.*.key                 The API key, preferably as `${VARIABLE}`
                                    a string
    providers.*.headers.*           A header to send with every request
                                    a string
    prices.*.input                  The price of a million input tokens, in US dollars
                                    a number from 0 to 1000000
    prices.*.output                 The price of a million output tokens, in US dollars
                                    a number from 0 to 1000000
    prices.*.cached_input           The price of a million input tokens read from the cache, in US dollars
                                    a number from 0 to 1000000
    prices.*.cache_write            The price of a million input tokens written to the cache, in US dollars
                                    a number from 0 to 1000000
    ask_user.timeout                The seconds that the user has for an answer, after which defaults are used [default: no limit]
                                    an integer of at least 1
    "#);
}
