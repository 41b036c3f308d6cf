//! What a `#[tool]` does when it is called: through the facade, as a user's test would.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve::prelude::*;
use helve::tool::{Concurrency, Denied, Progress, ProgressUpdate, dispatch};
use helve::{Check, Registry, Risk, State, Tool, Toolset};
use insta::assert_snapshot;
use serde_json::json;

/// Calls a tool with JSON text and writes what came of it, error kind included.
async fn said(tool: impl Fn() -> Toolset, arguments: &str, context: &ToolContext) -> String {
    let tools = tool().tools();
    told(&*tools[0], arguments, context).await
}

async fn told(tool: &dyn Tool, arguments: &str, context: &ToolContext) -> String {
    match dispatch::call(tool, context, arguments).await {
        Ok(output) => output.text().into_owned(),
        Err(error) => format!("{}: {error}", error.kind()),
    }
}

/// Reports whether a call is taken, whatever the words of a refusal.
async fn takes(tool: impl Fn() -> Toolset, arguments: &str) -> bool {
    match dispatch::call(&*tool().tools()[0], &ToolContext::new(), arguments).await {
        Ok(_) => true,
        Err(ToolError::InvalidArguments(_)) => false,
        Err(error) => panic!("{arguments}: {error}"),
    }
}

#[data]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Unit {
    #[default]
    Celsius,
    Fahrenheit,
}

mod arguments {
    use super::*;

    /// Shows its arguments.
    #[tool(read_only)]
    async fn show(
        /// A number.
        number: u32,
        /// A text.
        text: &str,
        /// An optional one.
        other: Option<&str>,
        /// A list.
        list: &[u8],
        /// A map.
        map: Option<BTreeMap<String, f64>>,
        /// A unit.
        unit: Option<Unit>,
    ) -> String {
        format!("{number} {text:?} {other:?} {list:?} {map:?} {unit:?}")
    }

    /// Shows its defaults.
    #[tool]
    async fn defaults(
        /// Of the type.
        #[arg(default)]
        unit: Unit,
        /// A number.
        #[arg(default = 2)]
        number: u32,
        /// A text.
        #[arg(default = "a")]
        text: &str,
        /// An owned text.
        #[arg(default = "b")]
        owned: String,
        /// An optional text.
        #[arg(default = Some("c"))]
        optional: Option<&str>,
        /// A list.
        #[arg(default = vec![1])]
        list: &[u8],
        /// Nothing.
        nothing: Option<u8>,
    ) -> String {
        format!("{unit:?} {number} {text} {owned} {optional:?} {list:?} {nothing:?}")
    }

    /// Needs nothing.
    #[tool]
    fn nothing() -> String {
        "nothing".into()
    }

    /// Says whether its text was copied.
    #[tool]
    async fn address(
        /// A text.
        text: &str,
        range: &Mutex<Option<std::ops::Range<usize>>>,
    ) -> bool {
        let range = range.lock().unwrap().clone().unwrap();
        range.contains(&(text.as_ptr() as usize))
    }

    #[tokio::test]
    async fn arrive_as_the_function_takes_them() {
        let call = json!({ "number": 7, "text": "a\n", "other": "b", "list": [1, 2], "map": { "x": 1 }, "unit": "Celsius" });
        let output = helve::testing::call(show, call).await.unwrap();
        assert_eq!(
            output.text(),
            r#"7 "a\n" Some("b") [1, 2] Some({"x": 1.0}) Some(Celsius)"#
        );
    }

    #[tokio::test]
    async fn may_be_left_out_or_null_where_they_are_optional() {
        for text in [
            r#"{"number":7,"text":"","list":[]}"#,
            r#"{"number":7,"text":"","list":[],"other":null,"map":null,"unit":null}"#,
        ] {
            let shown = said(|| toolset![show], text, &ToolContext::new()).await;
            assert_eq!(shown, r#"7 "" None [] None None"#, "{text}");
        }
    }

    #[tokio::test]
    async fn keep_their_defaults_where_they_are_left_out_or_null() {
        for text in [
            "",
            " ",
            "null",
            "{}",
            r#"{"unit":null,"number":null,"text":null,"owned":null,"optional":null,"list":null}"#,
        ] {
            let shown = said(|| toolset![defaults], text, &ToolContext::new()).await;
            assert_eq!(shown, r#"Celsius 2 a b Some("c") [1] None"#, "{text:?}");
        }
    }

    #[tokio::test]
    async fn take_the_place_of_defaults() {
        let text = r#"{"unit":"Fahrenheit","number":0,"text":"x","owned":"","optional":"y","list":[],"nothing":1}"#;
        let shown = said(|| toolset![defaults], text, &ToolContext::new()).await;
        assert_eq!(shown, r#"Fahrenheit 0 x  Some("y") [] Some(1)"#);
    }

    #[tokio::test]
    async fn may_be_empty_in_three_ways_where_none_is_required() {
        for text in ["", "null", "{}", " { } "] {
            let shown = said(|| toolset![nothing], text, &ToolContext::new()).await;
            assert_eq!(shown, "nothing", "{text:?}");
        }
    }

    #[tokio::test]
    async fn are_refused_where_they_do_not_fit() {
        for text in [
            "",
            "[]",
            "7",
            "{",
            r#"{"number":7}"#,
            r#"{"number":-7,"text":"","list":[]}"#,
            r#"{"number":7,"text":"","list":[]} trailing"#,
            r#"{"number":7,"number":7,"text":"","list":[]}"#,
            r#"{"number":7,"text":"","list":[],"unknown":1}"#,
            r#"{"number":null,"text":"","list":[]}"#,
            r#"{"number":7,"text":null,"list":[]}"#,
            r#"{"number":7,"text":"","list":[],"unit":"Kelvin"}"#,
        ] {
            assert!(!takes(|| toolset![show], text).await, "{text:?}");
        }
    }

    #[tokio::test]
    async fn may_have_escapes_in_their_names_and_texts() {
        let text = r#" { "n\u0075mber" : 7 , "text" : "\u0061\n\"" , "list" : [ ] } "#;
        let shown = said(|| toolset![show], text, &ToolContext::new()).await;
        assert_eq!(shown, r#"7 "a\n\"" None [] None None"#);
    }

    #[tokio::test]
    async fn borrow_their_text_from_the_call_unless_it_has_escapes() {
        for (text, is_borrowed) in [
            (r#"{"text":"abc"}"#, "true"),
            (r#"{"text":"a\nc"}"#, "false"),
        ] {
            let start = text.as_ptr() as usize;
            let context = helve::testing::context_with(Mutex::new(Some(start..start + text.len())));
            let said = said(|| toolset![address], text, &context).await;
            assert_eq!(said, is_borrowed, "{text}");
        }
    }
}

mod constraints {
    use super::*;

    /// Takes what it is given.
    #[tool]
    fn strict(
        /// A number.
        #[arg(default = 1, min = -2, max = 3)]
        number: i32,
        /// A fraction.
        #[arg(default = 0.5, min = 0.5)]
        fraction: f64,
        /// A text.
        #[arg(default = "ab", min_len = 2, max_len = 3)]
        text: &str,
        /// A list.
        #[arg(default = vec![1], min_len = 1, max_len = 2)]
        list: &[u8],
        /// A name.
        #[arg(default = "a1", pattern = "^[a-z]+[0-9]$")]
        name: String,
        /// A part.
        #[arg(pattern = "x")]
        part: Option<&str>,
    ) -> String {
        format!("{number}{fraction}{text}{list:?}{name}{part:?}")
    }

    #[tokio::test]
    async fn hold_at_their_edges() {
        for (call, fits) in [
            (json!({ "number": -2 }), true),
            (json!({ "number": -3 }), false),
            (json!({ "number": 3 }), true),
            (json!({ "number": 4 }), false),
            (json!({ "fraction": 0.5 }), true),
            (json!({ "fraction": 0.499 }), false),
            (json!({ "text": "é…" }), true),
            (json!({ "text": "é" }), false),
            (json!({ "text": "abc" }), true),
            (json!({ "text": "abcd" }), false),
            (json!({ "list": [] }), false),
            (json!({ "list": [1, 2] }), true),
            (json!({ "list": [1, 2, 3] }), false),
            (json!({ "name": "abc7" }), true),
            (json!({ "name": "abc77" }), false),
            (json!({ "part": "axb" }), true),
            (json!({ "part": "ab" }), false),
            (json!({ "part": null }), true),
        ] {
            let taken = takes(|| toolset![strict], &call.to_string()).await;
            assert_eq!(taken, fits, "{call}");
        }
    }
}

mod host_state {
    use super::*;

    trait Clock: Send + Sync {
        fn hour(&self) -> u8;
    }

    struct At(u8);

    impl Clock for At {
        fn hour(&self) -> u8 {
            self.0
        }
    }

    struct Stations(u32);

    /// Takes state of every kind.
    #[tool]
    async fn kinds(
        stations: &Stations,
        shared: &Arc<Stations>,
        clock: &dyn Clock,
        absent: Option<&At>,
        cx: &ToolContext,
    ) -> String {
        let turn = cx.turn_number();
        format!(
            "{} {} {} {} {turn}",
            stations.0,
            shared.0,
            clock.hour(),
            absent.is_some(),
        )
    }

    /// Takes state on the blocking pool.
    #[tool(blocking)]
    fn kinds_blocking(clock: &dyn Clock, absent: Option<&Stations>, cx: &ToolContext) -> String {
        format!("{} {} {}", clock.hour(), absent.is_some(), cx.turn_number())
    }

    /// Counts stations.
    #[tool]
    fn stations(stations: &Stations) -> u32 {
        stations.0
    }

    fn all() -> ToolContext {
        let mut app = State::new();
        app.insert(Stations(1));
        app.insert(Arc::new(Stations(2)));
        app.insert_arc::<dyn Clock>(Arc::new(At(3)));
        ToolContext::builder()
            .app(Arc::new(app))
            .turn_number(4)
            .build()
    }

    #[tokio::test]
    async fn is_lent_whatever_its_kind() {
        assert_eq!(said(|| toolset![kinds], "", &all()).await, "1 2 3 false 4");
        assert_eq!(
            said(|| toolset![kinds_blocking], "", &all()).await,
            "3 true 4"
        );
    }

    #[tokio::test]
    async fn that_is_missing_is_named() {
        let said = said(|| toolset![stations], "", &ToolContext::new()).await;
        assert_snapshot!(said, @"not_available: the tool needs the host state `tool_macro::host_state::Stations`, which this app does not have");
    }

    #[test]
    fn that_is_missing_is_named_for_all_tools_before_anything_runs() {
        let error = toolset![kinds, stations]
            .check_state(&[])
            .unwrap_err()
            .to_string();
        let places = without_lines(&error);
        assert_snapshot!(places, @"
        some tools take host state that this app does not have:
          `kinds` (tests/tool_macro.rs:N) takes `&tool_macro::host_state::Stations`: add it with `.state(…)` or `.state_with(…)`
          `kinds` (tests/tool_macro.rs:N) takes `&alloc::sync::Arc<tool_macro::host_state::Stations>`: add it with `.state(…)` or `.state_with(…)`
          `kinds` (tests/tool_macro.rs:N) takes `&dyn tool_macro::host_state::Clock`: add it with `.state(…)` or `.state_with(…)`
          `stations` (tests/tool_macro.rs:N) takes `&tool_macro::host_state::Stations`: add it with `.state(…)` or `.state_with(…)`
        ");
    }

    /// Drops the line numbers, which every edit of this file changes.
    fn without_lines(text: &str) -> String {
        let lines = text.lines().map(|line| match line.split_once(".rs:") {
            Some((before, after)) => {
                format!(
                    "{before}.rs:N{}",
                    after.trim_start_matches(|c: char| c.is_ascii_digit())
                )
            }
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[tokio::test]
    async fn of_the_call_goes_before_the_sessions_and_that_before_the_apps() {
        let state = |number| {
            let mut state = State::new();
            state.insert(Stations(number));
            Arc::new(state)
        };
        let app = ToolContext::builder().app(state(1));
        let session = app.clone().session_state(state(2));
        let call = session.clone().call_state(state(3));
        for (context, expected) in [(app, "1"), (session, "2"), (call, "3")] {
            assert_eq!(
                said(|| toolset![stations], "", &context.build()).await,
                expected
            );
        }
    }

    #[tokio::test]
    async fn that_is_lazy_is_made_once_and_its_failure_is_told() {
        let mut app = State::new();
        app.insert_with(|| Err::<Stations, _>("the list is empty"));
        let context = ToolContext::builder().app(Arc::new(app)).build();
        for _ in 0..2 {
            let said = said(|| toolset![stations], "", &context).await;
            assert_eq!(
                said,
                "failed: the state `tool_macro::host_state::Stations` could not be made: the list is empty"
            );
        }
    }
}

mod failures {
    use super::*;

    #[derive(Debug)]
    struct Outer(std::io::Error);

    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the list cannot be read")
        }
    }

    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    enum Own {
        Refused,
    }

    impl From<Own> for ToolError {
        fn from(_: Own) -> Self {
            Self::Denied(Denied::new("not on Sundays"))
        }
    }

    /// Fails.
    #[tool]
    async fn standard() -> Result<(), Outer> {
        Err(Outer(std::io::Error::other("the disk is gone")))
    }

    /// Fails.
    #[tool]
    fn text() -> Result<u32, String> {
        Err("no such thing".into())
    }

    /// Fails.
    #[tool(blocking)]
    fn any() -> anyhow::Result<u32> {
        Err(anyhow::anyhow!("the disk is gone").context("the list cannot be read"))
    }

    /// Fails.
    #[tool]
    async fn own() -> Result<u32, Own> {
        Err(Own::Refused)
    }

    /// Is denied.
    #[tool]
    async fn denied_inside() -> anyhow::Result<u32> {
        Err(anyhow::Error::from(Denied::new("not on Sundays")).context("the shop is closed"))
    }

    /// Asks for files that it did not declare.
    #[tool]
    async fn refused_inside(cx: &ToolContext) -> anyhow::Result<u32> {
        cx.fs()
            .map_err(|refusal| anyhow::Error::from(refusal).context("the list cannot be read"))?;
        Ok(1)
    }

    /// Panics.
    #[tool]
    async fn panics() -> u32 {
        panic!("at the {}", "disco")
    }

    /// Panics.
    #[tool(blocking)]
    fn panics_blocking() -> u32 {
        panic!("at the disco")
    }

    #[tokio::test]
    async fn are_told_with_their_causes_and_denials_stay_denials() {
        let context = ToolContext::new();
        let mut all = Vec::new();
        let tools = toolset![
            standard,
            text,
            any,
            own,
            denied_inside,
            refused_inside,
            panics,
            panics_blocking
        ];
        for tool in tools.tools() {
            let said = told(&*tool, "", &context).await;
            all.push(format!("{}\n  {said}", tool.spec().name));
        }
        assert_snapshot!(all.join("\n"), @"
        any
          failed: the list cannot be read: the disk is gone
        denied_inside
          denied: the shop is closed: not on Sundays
        own
          denied: not on Sundays
        panics
          failed: the tool panicked, which is a defect in it: at the disco
        panics_blocking
          failed: the tool panicked, which is a defect in it: at the disco
        refused_inside
          denied: the list cannot be read: this tool did not declare that it uses files; declare `requires(fs)` on the tool
        standard
          failed: the list cannot be read: the disk is gone
        text
          failed: no such thing
        ");
    }
}

mod streams {
    use futures_core::Stream;
    use futures_util::stream;

    use super::*;

    /// Counts.
    #[tool]
    fn count(
        /// To what.
        to: u32,
    ) -> impl Stream<Item = Update<Vec<u32>>> {
        let steps = (0..to).map(move |done| Update::step(done.into(), to.into()));
        stream::iter(steps.chain([Update::message("counted"), Update::Done((0..to).collect())]))
    }

    /// Ends early.
    #[tool]
    fn ends() -> impl Stream<Item = Update<u32>> {
        stream::iter([Update::message("begins")])
    }

    /// Fails.
    #[tool]
    fn fails() -> impl Stream<Item = Update<u32>> {
        stream::iter([
            Update::message("begins"),
            Update::failed(Denied::new("not on Sundays")),
        ])
    }

    fn listening() -> (ToolContext, Arc<Mutex<Vec<ProgressUpdate>>>) {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink = heard.clone();
        let progress = Progress::to(move |update| sink.lock().unwrap().push(update));
        (ToolContext::builder().progress(progress).build(), heard)
    }

    #[tokio::test]
    async fn report_progress_and_end_in_one_value() {
        let (context, heard) = listening();
        assert_eq!(
            said(|| toolset![count], r#"{"to":2}"#, &context).await,
            "[0,1]"
        );
        assert_eq!(
            *heard.lock().unwrap(),
            [
                ProgressUpdate::step(0.0, 2.0),
                ProgressUpdate::step(1.0, 2.0),
                ProgressUpdate::message("counted")
            ]
        );
    }

    #[tokio::test]
    async fn that_end_without_a_value_have_failed() {
        let (context, heard) = listening();
        assert_eq!(
            said(|| toolset![ends], "", &context).await,
            "failed: the tool's stream ended without a result (`Update::Done`)"
        );
        assert_eq!(*heard.lock().unwrap(), [ProgressUpdate::message("begins")]);
    }

    #[tokio::test]
    async fn may_end_in_an_error_that_keeps_its_kind() {
        assert_eq!(
            said(|| toolset![fails], "", &ToolContext::new()).await,
            "denied: not on Sundays"
        );
    }
}

mod time {
    use super::*;

    /// Never comes back.
    #[tool(timeout = "2m")]
    async fn waits() {
        std::future::pending::<()>().await;
    }

    /// Comes back in time.
    #[tool(timeout = "2m")]
    async fn naps() {
        tokio::time::sleep(Duration::from_secs(119)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn out_stops_a_call() {
        let began = tokio::time::Instant::now();
        let said = said(|| toolset![waits], "", &ToolContext::new()).await;
        assert_eq!(began.elapsed().as_secs(), 120);
        assert_snapshot!(said, @"cancelled: the call did not finish before its deadline; it may have taken effect: check before you repeat it");
    }

    #[tokio::test(start_paused = true)]
    async fn enough_lets_a_call_finish() {
        assert_eq!(
            said(|| toolset![naps], "", &ToolContext::new()).await,
            "done"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn is_the_hosts_where_that_is_shorter() {
        let began = tokio::time::Instant::now();
        let context = ToolContext::builder()
            .deadline(began + Duration::from_secs(7))
            .build();
        said(|| toolset![naps], "", &context).await;
        assert_eq!(began.elapsed().as_secs(), 7);
    }

    #[tokio::test]
    async fn is_over_when_the_host_cancels() {
        let context = ToolContext::new();
        let (said, ()) = tokio::join!(said(|| toolset![waits], "", &context), async {
            tokio::task::yield_now().await;
            context.cancellation().cancel();
        });
        assert_snapshot!(said, @"cancelled: the call was cancelled; it may have taken effect: check before you repeat it");
    }

    #[tokio::test]
    async fn does_not_begin_after_a_cancellation() {
        let context = ToolContext::new();
        context.cancellation().cancel();
        assert_eq!(
            said(|| toolset![arguments_free], "", &context).await,
            "cancelled: the call was cancelled"
        );
    }
}

/// Does nothing.
#[tool]
fn arguments_free() {}

mod facts {
    use super::*;

    /// Deletes a file.
    #[tool(destructive, risk_with = risk, check = check, match_rule = matches, suggest_rules = suggest)]
    async fn delete(
        /// Which.
        path: &str,
        /// How often.
        #[arg(default = 1)]
        times: u32,
    ) -> String {
        unreachable!("{path} {times}: nothing runs to judge a call")
    }

    fn risk(path: &str, times: &u32) -> Risk {
        if path.starts_with("tmp/") && *times == 1 {
            Risk::Low
        } else {
            Risk::High
        }
    }

    fn check(_: &ToolContext, path: &str, _: &u32) -> Check {
        if path.starts_with('/') {
            Check::deny("only below the root")
        } else {
            Check::ask(format!("delete {path}?"))
        }
    }

    fn matches(rule: &str, path: &str, _: &u32) -> bool {
        rule.strip_suffix("/*")
            .is_some_and(|folder| path.starts_with(folder))
    }

    fn suggest(path: &str, _: &u32) -> Vec<String> {
        path.split_once('/')
            .map(|(folder, _)| format!("{folder}/*"))
            .into_iter()
            .collect()
    }

    /// Reads.
    #[tool(read_only)]
    fn read() {}

    /// Does not say.
    #[tool]
    fn silent() {}

    #[test]
    fn come_from_the_tools_own_functions_and_nothing_runs() {
        let tool = toolset![delete].get("delete").unwrap();
        let context = ToolContext::new();
        let facts = tool.facts(&context, r#"{"path":"tmp/a"}"#).unwrap();
        assert_eq!(
            (facts.risk, facts.concurrency),
            (Risk::Low, Concurrency::Exclusive)
        );
        assert_eq!(facts.check, Check::ask("delete tmp/a?"));
        assert_eq!(facts.suggested_rules, ["tmp/*"]);
        let facts = tool
            .facts(&context, r#"{"path":"/etc","times":2}"#)
            .unwrap();
        assert_eq!(
            (facts.risk, facts.check),
            (Risk::High, Check::deny("only below the root"))
        );
        assert!(tool.facts(&context, "{}").is_err());
    }

    #[test]
    fn include_the_rules_of_the_tool() {
        let tool = toolset![delete].get("delete").unwrap();
        let context = ToolContext::new();
        let covers = |rule| {
            tool.match_rule(&context, r#"{"path":"tmp/a"}"#, rule)
                .unwrap()
                .unwrap()
        };
        assert!(covers("tmp/*"));
        assert!(!covers("src/*"));
        assert!(tool.match_rule(&context, "{}", "tmp/*").unwrap().is_err());
    }

    #[test]
    fn follow_from_the_declaration_where_the_tool_has_no_functions() {
        let context = ToolContext::new();
        for (name, risk, concurrency) in [
            ("read", Risk::Low, Concurrency::Parallel),
            ("silent", Risk::Medium, Concurrency::Exclusive),
        ] {
            let tool = toolset![read, silent].get(name).unwrap();
            let facts = tool.facts(&context, "").unwrap();
            assert_eq!(
                (facts.risk, facts.concurrency, facts.check),
                (risk, concurrency, Check::Pass)
            );
            assert!(tool.match_rule(&context, "", "any").is_none());
        }
    }
}

mod methods {
    use super::*;

    struct Shop {
        stock: u32,
    }

    #[tools]
    impl Shop {
        /// Counts the stock.
        #[tool(read_only)]
        async fn stock(
            &self,
            /// Reserved.
            #[arg(default)]
            reserved: u32,
            other: Option<&Self>,
        ) -> u32 {
            self.stock - reserved + other.map_or(0, |other| other.stock)
        }

        /// Counts the stock, slowly.
        #[tool(blocking, check = Self::check)]
        fn slow_stock(&self) -> Result<u32, String> {
            Ok(self.stock)
        }

        fn check(_: &ToolContext) -> Check {
            Check::Allow
        }
    }

    #[tokio::test]
    async fn belong_to_the_value_that_their_toolset_binds() {
        let context = ToolContext::new();
        for stock in [3, 4] {
            let tools = Shop::toolset(Arc::new(Shop { stock }));
            let said = tools
                .call("stock", r#"{"reserved":1}"#, &context)
                .await
                .unwrap();
            assert_eq!(said.text(), (stock - 1).to_string());
            let said = tools.call("slow_stock", "", &context).await.unwrap();
            assert_eq!(said.text(), stock.to_string());
        }
    }

    #[tokio::test]
    async fn belong_to_the_apps_value_where_nothing_binds_them() {
        let context = helve::testing::context_with(Shop { stock: 5 });
        let tools = toolset![Shop::stock, Shop::slow_stock];
        assert_eq!(
            tools.call("stock", "", &context).await.unwrap().text(),
            "10"
        );
        assert_eq!(
            tools.call("slow_stock", "", &context).await.unwrap().text(),
            "5"
        );
    }

    #[tokio::test]
    async fn say_whose_they_are_where_there_is_no_value() {
        let said = said(|| toolset![Shop::stock], "", &ToolContext::new()).await;
        assert_snapshot!(said, @"not_available: the tool is a method of `tool_macro::methods::Shop`, which this app does not have");
    }

    #[test]
    fn are_judged_like_functions() {
        let tools = Shop::toolset(Arc::new(Shop { stock: 5 }));
        let facts = tools
            .get("slow_stock")
            .unwrap()
            .facts(&ToolContext::new(), "")
            .unwrap();
        assert_eq!(facts.check, Check::Allow);
    }
}

mod toolsets {
    use super::*;

    /// Reads.
    #[tool(read_only)]
    fn read_file() -> String {
        "read".into()
    }

    /// Writes.
    #[tool]
    fn write_file() -> String {
        "written".into()
    }

    /// Reads too.
    #[tool(read_only, name = "fetch")]
    fn called_otherwise() -> String {
        "fetched".into()
    }

    fn names(tools: &Toolset) -> String {
        tools.names().join(" ")
    }

    #[tokio::test]
    async fn select_by_function_and_compose() {
        let all = toolset![write_file, read_file, called_otherwise];
        assert_eq!(names(&all), "fetch read_file write_file");
        assert_eq!(
            names(&all.prefixed("my")),
            "my_fetch my_read_file my_write_file"
        );
        let readers = all.filtered(|spec| spec.annotations.read_only == Some(true));
        assert_eq!(names(&readers), "fetch read_file");
        assert_eq!(
            names(&all.only(["read_file"]).prefixed("my")),
            "my_read_file"
        );
        let renamed = all.only(["fetch"]).prefixed("my");
        let said = renamed
            .call("my_fetch", "", &ToolContext::new())
            .await
            .unwrap();
        assert_eq!(said.text(), "fetched");
    }

    #[test]
    fn warn_of_names_that_no_tool_has_with_the_nearest() {
        let tools = toolset![read_file, write_file].only(["read_fil", "xyzzy", "write_file"]);
        assert_eq!(names(&tools), "write_file");
        assert_snapshot!(tools.warnings().join("\n"), @"
        no tool is called `read_fil`; did you mean `read_file`?
        no tool is called `xyzzy`
        ");
    }

    #[tokio::test]
    async fn put_the_upper_layer_first() {
        let above = toolset![called_otherwise].prefixed("x");
        let below = toolset![read_file, write_file];
        assert_eq!(
            names(&above.layered(&below)),
            "read_file write_file x_fetch"
        );
    }

    #[tokio::test]
    async fn name_the_nearest_tool_for_one_that_is_not_there() {
        let error = toolset![read_file]
            .call("read_fiel", "", &ToolContext::new())
            .await
            .unwrap_err();
        assert_snapshot!(format!("{}: {error}", error.kind()), @"not_available: there is no tool `read_fiel`; did you mean `read_file`?");
    }

    #[test]
    #[should_panic = "toolset!: `names` is not a `#[tool]` function"]
    fn refuse_a_function_that_is_no_tool() {
        let _ = toolset![names];
    }

    #[test]
    fn leave_the_registry_as_it_is() {
        let registry = Registry::collect().unwrap();
        assert!(registry.get("fetch").is_some());
        assert!(registry.get("called_otherwise").is_none());
        assert!(registry.get("my_fetch").is_none());
    }
}
