//! Tokens are counted by whatever the agent was given; the estimate is near what a real vocabulary says.

use std::sync::Arc;

use helve::model::{EstimatedTokenCounter, ModelRequest, ScriptedModel, TokenCounter};
use helve::transcript::Message;
use serde_json::json;

use crate::context::{Place, agent, say};

/// Counts every message as so many.
struct Heavy(u64);

impl TokenCounter for Heavy {
    fn count_text(&self, _: &str) -> u64 {
        self.0
    }
}

/// Runs two turns whose lengths no provider says, and returns how many requests they took.
async fn requests(count: impl TokenCounter + 'static) -> usize {
    let place = Place::new();
    let first = format!("Well, {}", "word ".repeat(50));
    let model = ScriptedModel::new().say(first).say("Summed.").say("Yes.");
    let model = Arc::new(model);
    let agent = agent(&model).token_counter(count);
    let mut conversation = place.begin().await;
    say(&agent, &mut conversation, "One.").await;
    say(&agent, &mut conversation, "Two.").await;
    model.used()
}

#[tokio::test]
async fn the_agent_counts_with_what_it_was_given() {
    assert_eq!(requests(EstimatedTokenCounter).await, 2);
    assert_eq!(requests(Heavy(0)).await, 2);
    // Eight thousand of ten are full: a summary is asked for.
    assert_eq!(requests(Heavy(2_000)).await, 3);
}

#[test]
fn a_request_has_the_tokens_of_all_its_parts() {
    let mut request = ModelRequest::new(vec![Message::user("a"), Message::user("b")]);
    assert_eq!(Heavy(7).count_request(&request), 14);
    request.system = Some("c".into());
    assert_eq!(Heavy(7).count_prefix(&request), 7);
    assert_eq!(Heavy(7).count_request(&request), 21);
    let whole = json!({ "a": "b" }).to_string();
    assert_eq!(
        EstimatedTokenCounter.count_text(&whole),
        helve::model::estimate_tokens(&whole)
    );
}

#[cfg(feature = "tokens")]
mod exact {
    use std::time::{Duration, Instant};

    use helve::model::{ExactTokenCounter, TokenCounter as _, Vocabulary, estimate_tokens};

    #[test]
    fn counts_are_those_that_are_published() {
        let count = |text| {
            let of = |vocabulary| ExactTokenCounter::new(vocabulary).count_text(text);
            (of(Vocabulary::Cl100kBase), of(Vocabulary::O200kBase))
        };
        assert_eq!(count(""), (0, 0));
        assert_eq!(count("hello world"), (2, 2));
        assert_eq!(count("tiktoken is great!").0, 6);
        assert_eq!(count("antidisestablishmentarianism"), (6, 6));
        assert_eq!(count("2 + 2 = 4"), (7, 7));
        assert_eq!(count("お誕生日おめでとう"), (9, 8));
    }

    #[test]
    fn no_text_takes_long() {
        let counter = ExactTokenCounter::new(Vocabulary::O200kBase);
        let begun = Instant::now();
        for unit in ["a", " ", "\n", "é", "!", "0", "{\"", "\u{200b}", "中"] {
            assert!(counter.count_text(&unit.repeat(50_000)) > 0, "{unit:?}");
        }
        assert!(begun.elapsed() < Duration::from_secs(60));
    }

    /// Texts of each kind, long enough that their errors even out.
    fn samples() -> [(&'static str, String, f64); 4] {
        let prose = include_str!("../../../../README.md").to_owned();
        let code = include_str!("../../../agent/src/turn.rs").to_owned();
        let entry = |number: u32| {
            serde_json::json!({
                "id": format!("item-{number:04}"), "price": number * 7, "tags": ["new", "sale"],
                "description": "A blue chair with four legs", "in_stock": number.is_multiple_of(2),
            })
        };
        let json = serde_json::to_string(&(0..60).map(entry).collect::<Vec<_>>()).unwrap();
        let chinese = "这个程序读取文件,检查其中的每一行,并把结果写回原处。如果文件不存在,它会告诉用户应该怎么做。\
            我们建议先阅读说明,然后再开始安装;安装只需要几分钟。"
            .repeat(5);
        [
            ("prose", prose, 0.30),
            ("code", code, 0.30),
            ("json", json, 0.30),
            ("chinese", chinese, 0.30),
        ]
    }

    #[test]
    fn the_estimate_is_near_the_exact_count() {
        let counter = ExactTokenCounter::new(Vocabulary::O200kBase);
        for (kind, text, bound) in samples() {
            let (exact, estimate) = (counter.count_text(&text), estimate_tokens(&text));
            let error = estimate as f64 / exact as f64 - 1.0;
            println!(
                "{kind}: exact {exact}, estimated {estimate}, error {:+.1} %",
                error * 100.0
            );
            assert!(error.abs() <= bound, "{kind}: {error}");
        }
    }
}
