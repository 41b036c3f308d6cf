//! Whether the corpus that recall is measured with keeps its own rules.

use std::collections::HashSet;

use crate::recall::corpus;
use corpus::rules::{shared_words, stem};
use corpus::{Question, TOTAL};

fn names(tools: &[std::sync::Arc<dyn helve::Tool>]) -> HashSet<String> {
    tools
        .iter()
        .map(|tool| tool.spec().name.to_string())
        .collect()
}

fn asked(questions: &[Question]) -> HashSet<&str> {
    questions
        .iter()
        .map(|question| question.tool.as_str())
        .collect()
}

#[test]
fn there_are_ten_thousand_tools_of_different_names() {
    let tools = corpus::tools();
    assert_eq!(tools.len(), TOTAL);
    assert_eq!(names(&tools).len(), TOTAL);
    assert!(corpus::written().len() >= 330);
}

#[test]
fn the_tools_are_the_same_in_every_run() {
    let text = |tools: Vec<std::sync::Arc<dyn helve::Tool>>| -> Vec<String> {
        let spec = |tool: &std::sync::Arc<dyn helve::Tool>| format!("{:?}", tool.spec());
        tools.iter().map(spec).collect()
    };
    assert!(text(corpus::tools()) == text(corpus::tools()));
}

#[test]
fn written_tools_say_what_their_parameters_are() {
    for tool in corpus::written() {
        let spec = tool.spec();
        let schema = spec.input_schema.value();
        let properties = schema["properties"]
            .as_object()
            .expect("it takes something");
        let silent = properties
            .iter()
            .find(|(_, property)| property["description"].as_str().is_none_or(str::is_empty));
        assert!(silent.is_none(), "{}: {silent:?}", spec.name);
        assert!(
            !spec.description.is_empty() && spec.group.is_some(),
            "{}",
            spec.name
        );
    }
}

#[test]
fn every_question_asks_for_a_written_tool_without_naming_it() {
    let written = names(&corpus::written());
    let mut broken = Vec::new();
    for Question { question, tool } in corpus::questions().into_iter().chain(corpus::held_out()) {
        if !written.contains(&tool) {
            broken.push(format!("{tool} is no written tool: {question}"));
        }
        for word in shared_words(&question, &tool) {
            broken.push(format!("`{word}` is in the name of {tool}: {question}"));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn questions_are_about_different_tools() {
    let (questions, held_out) = (corpus::questions(), corpus::held_out());
    assert_eq!((questions.len(), held_out.len()), (300, 100));
    assert!(asked(&questions).len() >= 270);
    let new = asked(&held_out).difference(&asked(&questions)).count();
    assert!(
        (40..=60).contains(&new),
        "{new} held-out tools have no other question"
    );
    let texts: HashSet<&str> = questions
        .iter()
        .chain(&held_out)
        .map(|question| question.question.as_str())
        .collect();
    assert_eq!(texts.len(), 400, "no question is asked twice");
}

#[test]
fn a_word_of_the_name_is_found_in_all_its_forms() {
    assert_eq!(stem("mails"), stem("mail"));
    for (question, name) in [
        ("I am sending a letter.", "send_mail"),
        ("Which mails came?", "send_mail"),
        ("They are running late.", "listRuns"),
        ("Who copied that?", "acme-copy-file"),
        ("The messages of today", "MessageReader"),
    ] {
        assert_eq!(shared_words(question, name).len(), 1, "{question} {name}");
    }
    assert!(shared_words("Can you get that for me?", "get_for_me").is_empty());
}
