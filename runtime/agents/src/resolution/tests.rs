//! No agent may do more than its session.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::json;

use super::*;
use crate::{FileScope, HostScope, SpecRules};
use helve_core::tool::{Annotations, Tool, ToolContext};
use helve_core::toolset::DynamicTool;
use helve_permission::Mode;

const TOOLS: [&str; 4] = ["read_file", "write_file", "bash", "mcp__tickets__close"];

const ENTRIES: [&str; 9] = [
    "Read",
    "Write",
    "Bash",
    "Bash(git diff:*)",
    "bash",
    "mcp__tickets",
    "mcp__tickets__close",
    "search/codebase",
    "Task(tester)",
];

fn tools() -> Vec<DynamicTool> {
    let hints = [
        Annotations::new(Some(true), None, None, None),
        Annotations::new(None, Some(false), None, Some(false)),
        Annotations::new(None, Some(true), None, Some(true)),
        Annotations::new(None, None, None, Some(true)),
    ];
    let tools = TOOLS.iter().zip(hints).map(|(name, hints)| {
        let schema = json!({ "type": "object" });
        let tool = DynamicTool::new(*name, "For a test.", schema, |_, _| unreachable!());
        tool.expect("it fits").with_annotations(hints)
    });
    tools.collect()
}

fn toolset(names: &[&str]) -> Toolset {
    let tools = tools().into_iter();
    let tools = tools.filter(|tool| names.iter().any(|name| **name == *tool.spec().name));
    Toolset::from_tools(tools.map(|tool| Arc::new(tool) as Arc<dyn Tool>))
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let names = ["read_file", "write_file", "bash", "mcp__*", "*"];
    vec(select(names.to_vec()).prop_map(Rule::tool), 0..2)
}

fn entries() -> impl Strategy<Value = Vec<String>> {
    vec(select(ENTRIES.to_vec()).prop_map(str::to_owned), 0..4)
}

fn mode() -> impl Strategy<Value = Mode> {
    select(Mode::ALL.to_vec())
}

fn patterns() -> impl Strategy<Value = Option<Vec<String>>> {
    of(vec(
        select(vec!["src/**", "**", "/etc/**"]).prop_map(str::to_owned),
        0..2,
    ))
}

prop_compose! {
    fn spec()(
        tools in of(entries()),
        without in entries(),
        servers in of(vec(select(vec!["tickets".to_owned(), "mail".to_owned()]), 0..2)),
        mode in of(mode()),
        (deny, ask) in (rules(), rules()),
        (read, write) in (patterns(), patterns()),
        allow in of(vec(select(vec!["*".to_owned(), "docs.rs".to_owned(), "not a host".to_owned()]), 0..2)),
        (turns, tool_calls, tokens) in (of(0..100_u32), of(0..100_u32), of(0..100_000_u64)),
        (cost_usd, minutes) in (of(0.0..10.0), of(0.0..100.0)),
    ) -> AgentSpec {
        AgentSpec {
            tools,
            without,
            servers,
            mode,
            rules: SpecRules { deny, ask },
            files: FileScope { read, write },
            hosts: HostScope { allow, deny: Vec::new() },
            budget: Budget { turns, tool_calls, tokens, cost_usd, minutes },
            ..AgentSpec::new("node", "d")
        }
    }
}

fn strictness(policy: &Policy, tool: &DynamicTool) -> u8 {
    let judged = policy.judge(tool, &ToolContext::new(), "{}");
    judged.expect("it fits").verdict.strictness()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// In a chain of agents, each resolved within the one above, no agent has a tool, a verdict or a bound beyond those of
    /// any agent above it.
    #[test]
    fn no_agent_goes_beyond_what_is_above(
        root_mode in mode(),
        (allow, ask, deny) in (rules(), rules(), rules()),
        granted in subsequence(TOOLS.to_vec(), 0..=TOOLS.len()),
        turns in 1..50_u32,
        calls in of(0..50_u32),
        chain in vec(spec(), 1..4),
    ) {
        let mut tools_above = toolset(&granted);
        let mut policies = vec![Policy::new(root_mode).rules(Rules { allow, ask, deny })];
        let mut bounds = Bounds::new(turns).tool_calls(calls);
        for spec in chain {
            let above = policies.last().expect("the root").clone();
            let resolved = spec.resolve(&SessionAuthority {
                tools: &tools_above,
                policy: &above,
                bounds: &bounds,
            });
            let own = resolved.tools(&tools_above);
            for name in own.names() {
                prop_assert!(tools_above.get(&name).is_some(), "{name} is a tool above");
            }
            if spec.tools.as_ref().is_some_and(Vec::is_empty) {
                prop_assert!(own.names().is_empty());
            }
            for tool in &tools() {
                let verdict = strictness(resolved.policy(), tool);
                for above in &policies {
                    prop_assert!(verdict >= strictness(above, tool), "{}", tool.spec().name);
                }
            }
            prop_assert_eq!(&resolved.bounds().within(&bounds), resolved.bounds());
            policies.push(resolved.policy().clone());
            bounds = resolved.bounds().clone();
            tools_above = own;
        }
    }
}

#[test]
fn a_list_that_means_no_tool_gives_none() {
    let (tools, policy, bounds) = (toolset(&TOOLS), Policy::new(Mode::Bypass), Bounds::new(9));
    let session = SessionAuthority {
        tools: &tools,
        policy: &policy,
        bounds: &bounds,
    };
    let names = |spec: &AgentSpec| spec.resolve(&session).tools(&tools).names();
    let spec = || AgentSpec::new("a", "d");
    assert_eq!(names(&spec()).len(), 4);
    assert!(names(&spec().tools(Vec::<String>::new())).is_empty());
    let foreign = spec().tools(["search/codebase", "edit/editFiles"]);
    assert!(names(&foreign).is_empty());
    assert_eq!(foreign.resolve(&session).notes().len(), 2);
    assert_eq!(
        names(&spec().tools(["Read", "mcp__tickets__*"])),
        ["mcp__tickets__close", "read_file"]
    );
    let without = AgentSpec {
        without: vec!["Bash".into(), "mcp__tickets".into()],
        ..spec()
    };
    assert_eq!(names(&without), ["read_file", "write_file"]);
}

#[test]
fn a_scope_narrows_its_tool_and_no_other() {
    let all = tools();
    let (tools, policy, bounds) = (toolset(&TOOLS), Policy::new(Mode::Bypass), Bounds::new(9));
    let session = SessionAuthority {
        tools: &tools,
        policy: &policy,
        bounds: &bounds,
    };
    let judged = |entries: &[&str]| {
        let resolved = AgentSpec::new("a", "d")
            .tools(entries.to_vec())
            .resolve(&session);
        (
            strictness(resolved.policy(), &all[1]),
            strictness(resolved.policy(), &all[2]),
        )
    };
    // These tools have no language of rules, so that no call is proven to be within the scope.
    assert_eq!(judged(&["Bash(git diff:*)", "Write"]), (0, 3));
    assert_eq!(judged(&["Bash(git diff:*)", "Bash", "Write"]), (0, 0));
}

#[test]
fn delegates_follow_the_lists() {
    let (tools, policy, bounds) = (toolset(&TOOLS), Policy::default(), Bounds::new(9));
    let session = SessionAuthority {
        tools: &tools,
        policy: &policy,
        bounds: &bounds,
    };
    let resolved = |tools: Option<Vec<&str>>, delegates: Option<Vec<&str>>, without: &[&str]| {
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let spec = AgentSpec {
            tools: tools.map(owned),
            delegates: delegates.map(owned),
            without: owned(without.to_vec()),
            ..AgentSpec::new("a", "d")
        };
        let resolved = spec.resolve(&session);
        [true, false].map(|root| ["x", "y"].map(|name| resolved.delegates_to(name, root)))
    };
    let (all, none) = ([true, true], [false, false]);
    assert_eq!(resolved(None, None, &[]), [all, none]);
    assert_eq!(resolved(Some(vec!["Read"]), None, &[]), [none, none]);
    assert_eq!(resolved(Some(vec!["Task"]), None, &[]), [all, none]);
    assert_eq!(
        resolved(Some(vec!["Agent(x)"]), None, &[]),
        [[true, false], none]
    );
    assert_eq!(resolved(None, Some(vec!["x"]), &[]), [[true, false]; 2]);
    assert_eq!(resolved(None, None, &["Task"]), [none, none]);
    assert_eq!(resolved(None, None, &["Agent(x)"]), [[false, true], none]);
}

#[test]
fn the_approval_of_a_plan_lifts_the_mode_of_the_session_and_not_that_of_an_agent() {
    let (tools, bounds) = (toolset(&TOOLS), Bounds::new(9));
    let policy = Policy::new(Mode::Plan);
    let session = SessionAuthority {
        tools: &tools,
        policy: &policy,
        bounds: &bounds,
    };
    let turn = policy.for_session();
    let modes = || {
        [None, Some(Mode::Plan), Some(Mode::Explore)].map(|mode| {
            let spec = AgentSpec {
                mode,
                ..AgentSpec::new("a", "d")
            };
            let delegate = spec.resolve(&session).policy().with_ceiling(&turn);
            delegate.current_mode()
        })
    };
    assert_eq!(modes(), [Mode::Plan, Mode::Plan, Mode::Explore]);
    turn.apply_plan_approval(&helve_permission::Decision::allow_once());
    assert_eq!(modes(), [Mode::Default, Mode::Plan, Mode::Explore]);
    // The agent of a session presents a plan itself.
    let spec = AgentSpec {
        mode: Some(Mode::Plan),
        ..AgentSpec::new("a", "d")
    };
    let planner = spec.resolve(&session).policy().for_session();
    planner.apply_plan_approval(&helve_permission::Decision::allow_once());
    assert_eq!(planner.current_mode(), Mode::Default);
}
