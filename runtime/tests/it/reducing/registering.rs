//! One reducer a tool, for as long as its guard lives.

use helve::agent::Agent;
use helve::model::ScriptedModel;
use helve::results::reducer::{
    DuplicateReducer, ReducedText, ReducerContext, Reducers, ResultReducer,
};

struct Named(&'static str);

impl ResultReducer for Named {
    fn reduce(&self, _: &ReducerContext<'_>, _: &str) -> Option<ReducedText> {
        Some(ReducedText::new(self.0))
    }

    fn name(&self) -> &str {
        self.0
    }
}

fn reduced(reducers: &Reducers) -> Option<String> {
    let call = ReducerContext::new("orders", "{}");
    let reduced = reducers.reduce(&call, "a text of some length");
    reduced.map(|reduced| reduced.text().to_owned())
}

#[test]
fn a_second_reducer_is_refused_by_the_names_of_both() {
    let reducers = Reducers::new();
    let _guard = reducers.register("orders", Named("first")).unwrap();
    let refused = reducers.register("orders", Named("second")).unwrap_err();
    insta::assert_snapshot!(refused, @"the results of `orders` already have the reducer `first`, so `second` cannot be registered: remove one of the two away");
    assert_eq!(reduced(&reducers).as_deref(), Some("first"));
    let refused: DuplicateReducer = Reducers::built_in()
        .with_reducer("bash", Named("mine"))
        .unwrap_err();
    insta::assert_snapshot!(refused, @"the results of `bash` already have the reducer `helve's reducer of commands`, so `mine` cannot be registered: remove one of the two away");
    let replaced = Reducers::built_in()
        .without("bash")
        .with_reducer("bash", Named("mine"))
        .unwrap();
    assert_eq!(replaced.tools(), ["bash", "bash_output", "read_file"]);
}

#[test]
fn an_agent_refuses_a_second_one_too() {
    let agent = Agent::new("main", ScriptedModel::new())
        .reducer("orders", Named("first"))
        .unwrap();
    assert!(agent.reducer("orders", Named("second")).is_err());
}

#[test]
fn a_guard_takes_away_what_it_stands_for_and_nothing_else() {
    let reducers = Reducers::new();
    let mut first = reducers.register("orders", Named("first")).unwrap();
    first.unregister();
    assert_eq!(reduced(&reducers), None);
    let second = reducers.register("orders", Named("second")).unwrap();
    first.unregister();
    drop(first);
    assert_eq!(reduced(&reducers).as_deref(), Some("second"));
    drop(second);
    assert_eq!(reduced(&reducers), None);
}

#[test]
fn a_guard_of_one_that_was_taken_away_leaves_its_successor() {
    let reducers = Reducers::new();
    let first = reducers.register("orders", Named("first")).unwrap();
    let reducers = reducers
        .without("orders")
        .with_reducer("orders", Named("second"))
        .unwrap();
    drop(first);
    assert_eq!(reduced(&reducers).as_deref(), Some("second"));
}

#[test]
fn a_guard_that_is_kept_leaves_its_reducer() {
    let reducers = Reducers::new();
    reducers.register("orders", Named("first")).unwrap().keep();
    assert_eq!(reduced(&reducers.clone()).as_deref(), Some("first"));
}
