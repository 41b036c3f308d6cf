//! What is listed of the tools.

use std::path::Path;

use super::{place, web};
use crate::settings::lines_of;

/// The families of tools: the functions of `helve::tools` that return one.
fn families() -> Vec<String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let source = std::fs::read_to_string(workspace.join("tools/src/lib.rs")).expect("a source");
    let functions = source
        .lines()
        .filter_map(|line| line.strip_prefix("pub fn "));
    let names = functions.filter_map(|line| line.strip_suffix("() -> helve::Toolset {"));
    names.map(str::to_owned).collect()
}

/// What `doctor` says of the tools, but for the counts and the tools for GitHub.
fn of_the_web(seen: &str) -> String {
    let (_, tools) = seen.split_once("Tools\n").expect("a section");
    let (tools, _) = tools.split_once("\n\n").expect("an end");
    let others = |line: &&str| line.ends_with(" granted") || line.contains("github");
    let lines = tools
        .lines()
        .filter(|line| !others(line) && !line.contains("GITHUB_TOKEN"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_family_of_tools_is_granted_and_checked() {
    let app = include_str!("app.rs");
    let families = families();
    assert!(families.len() > 8, "{families:?}");
    for family in families {
        let pack = format!(".pack(helve::tools::{family}())\n");
        assert!(
            app.contains(&pack),
            "`{family}` is not in tests/it/toolbox/app.rs"
        );
    }
    let server = web();
    let seen = place(&server).run(&["doctor", "--offline"]);
    let granted = seen
        .lines()
        .find_map(|line| line.trim().strip_prefix("✓ helve-tools: "));
    let (some, all) = granted
        .and_then(|granted| granted.strip_suffix(" granted")?.split_once(" of "))
        .expect("a count");
    assert_eq!(some, all);
    let tools = of_the_web(&seen);
    insta::assert_snapshot!(server.redact_url(&tools), @"
    ✓ `http_request` sends `TRACKER_TOKEN` to http://127.0.0.1:PORT
    ✓ `web_fetch` reaches 127.0.0.1:PORT
    ✓ `web_search` reaches 127.0.0.1:PORT
    ");
}

#[test]
fn what_is_missing_is_said_with_the_page_that_explains_it() {
    let server = web();
    let place = place(&server)
        .with_user_settings("[http_request.presets.tracker]\nbase_url = \"api\"\n\n[tools.http_request.secrets]\nOTHER_TOKEN = [\"https://api.example.com\"]\n");
    let seen = place.run(&["doctor", "--offline"]);
    let tools = of_the_web(&seen);
    insta::assert_snapshot!(tools, @"
    · `http_request` is not configured
      → `http_request.presets.tracker.base_url`: `api` is not an absolute URL; write `https://host/path`: https://docs.rs/helve/latest/helve/guide/http/
    · `web_search` is not configured
      → set `provider` in `[web_search]` of the settings to `tavily`, `exa`, `brave` or `searxng`: https://docs.rs/helve/latest/helve/guide/web_search/
    ✓ `http_request` sends `OTHER_TOKEN` to https://api.example.com
    · `http_request`: the secret `OTHER_TOKEN` is not set
      → set `OTHER_TOKEN` in the environment
    ");
}

#[test]
fn the_tools_are_listed() {
    let server = web();
    let seen = place(&server).run(&["tools"]);
    for tool in ["web_fetch", "web_search", "http_request", "check_code"] {
        assert!(seen.contains(tool), "{tool}: {seen}");
    }
}

#[test]
fn their_settings_are_listed() {
    let server = web();
    let seen = place(&server).run(&["config", "keys"]);
    let sections = [
        "web_fetch.",
        "web_search.",
        "http_request.",
        "check_code.",
        "tools.",
    ];
    insta::assert_snapshot!(lines_of(&seen, &sections), @r#"
    tools.only                              The only tools of the app and of helve to use, by name; the lists of all files apply
                                            a list of strings [default: all]
    tools.without                           Tools to disable, from any source
                                            a list of strings [default: []]
    tools.*.sandbox                         The named sandbox for the commands of a tool, by the tool's name, in which `*` is a wildcard
                                            a string [default: that of most tools]
    tools.*.hosts                           The only hosts that a tool may reach, by the tool's name: names, `*.name` for subdomains, with `:PORT` where it is not 80 or 443
                                            a list of strings [default: those of the app]
    tools.*.secrets.*                       The origins that a tool may reach and send this secret to, such as `https://api.example.com`; the secret is the environment variable of its name
                                            a list of strings [default: []]
    tools.servers                           The only MCP servers to use tools from
                                            a list of strings [default: all]
    tools.packages                          The only other packages to use tools from
                                            a list of strings [default: all]
    check_code.timeout                      The seconds that the checks of a call may take [default: 600]
                                            an integer from 1 to 3600
    check_code.after_edit                   What is checked after a tool changed a file, where the app has the hook for it [default: nothing]
                                            one of "types", "lint", "tests"
    http_request.presets.*.base_url         The URL that the URLs of requests are relative to, and stay below
                                            a string [default: ""]
    http_request.presets.*.secret           The secret that is sent to the origin of the base, by its name in `[tools.http_request.secrets]`
                                            a string
    http_request.presets.*.auth             How the secret is sent
                                            one of "bearer", "basic", "header", "query" [default: "bearer"]
    http_request.presets.*.auth_name        The user of `basic`, or the name of the header or of the parameter of the query
                                            a string
    http_request.presets.*.allow            The only requests, as `METHOD /path`, in which `*` stands for a part of a segment and `**` for any segments [default: all]
                                            an array [default: []]
    http_request.presets.*.headers.*        The headers of each request
                                            a string
    http_request.presets.*.idempotency_key  Whether requests that change something have the header `Idempotency-Key`, the same at each attempt
                                            true or false [default: false]
    web_fetch.max_chars                     The characters of a page that a call shows which does not say how many [default: 20000]
                                            an integer from 100 to 200000
    web_fetch.cache_minutes                 The minutes for which a session uses a page again; with 0 each call requests it [default: 15]
                                            an integer from 0 to 1440
    web_search.provider                     The engine: tavily, exa, brave, searxng, or one of the program
                                            a string
    web_search.fallback                     The engines that are asked in turn where the one before gave no answer
                                            an array [default: []]
    web_search.max_results                  The results of a search that does not say how many [default: 5]
                                            an integer from 1 to 20
    web_search.timeout                      The seconds that an engine has for its answer [default: 20]
                                            an integer from 1 to 120
    web_search.cache_minutes                The minutes for which a session uses the results of a search again; with 0 each call searches [default: 10]
                                            an integer from 0 to 1440
    web_search.base_url.tavily              Of Tavily [default: `https://api.tavily.com`]
                                            a string [default: null]
    web_search.base_url.exa                 Of Exa [default: `https://api.exa.ai`]
                                            a string [default: null]
    web_search.base_url.brave               Of Brave [default: `https://api.search.brave.com`]
                                            a string [default: null]
    web_search.base_url.searxng             Of SearXNG, which has no usual address
                                            a string [default: null]
    "#);
    let seen = place(&server).run(&["config", "show"]);
    insta::assert_snapshot!(server.redact_url(&lines_of(&seen, &sections)), @r#"
    tools.only                                all                           default
    tools.without                             []                            default
    tools.servers                             all                           default
    tools.packages                            all                           default
    check_code.timeout                        60                            ~/.config/helve/helve.toml:15
    check_code.after_edit                     (none)                        default
    web_fetch.max_chars                       5000                          ~/.config/helve/helve.toml:2
    web_fetch.cache_minutes                   (none)                        default
    web_search.provider                       "searxng"                     ~/.config/helve/helve.toml:5
    web_search.fallback                       []                            default
    web_search.max_results                    (none)                        default
    web_search.timeout                        (none)                        default
    web_search.cache_minutes                  (none)                        default
    web_search.base_url.tavily                null                          default
    web_search.base_url.exa                   null                          default
    web_search.base_url.brave                 null                          default
    web_search.base_url.searxng               "http://127.0.0.1:PORT"      ~/.config/helve/helve.toml:8
    http_request.presets.tracker.base_url     "http://127.0.0.1:PORT/v1/"  ~/.config/helve/helve.toml:11
    http_request.presets.tracker.secret       "TRACKER_TOKEN"               ~/.config/helve/helve.toml:12
    tools.http_request.secrets.TRACKER_TOKEN  ["http://127.0.0.1:PORT"]    ~/.config/helve/helve.toml:24
    tools.web_fetch.hosts                     ["127.0.0.1:PORT"]           ~/.config/helve/helve.toml:18
    tools.web_search.hosts                    ["127.0.0.1:PORT"]           ~/.config/helve/helve.toml:21
    "#);
}
