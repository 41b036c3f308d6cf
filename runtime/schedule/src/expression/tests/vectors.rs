//! The vectors of reference systems that are about schedules.

use serde_json::Value;

use super::super::*;
use crate::duration::parse_seconds;
use crate::run::is_silent;
use crate::schedule::slug;

/// What helve says about a case; `None` if the case is about something that helve has not.
fn decide(case: &Value) -> Option<Value> {
    let argument = case["input"]["args"][0].as_str().unwrap_or_default();
    // The references know no past: a time of theirs is ahead.
    let (now, zone) = (Timestamp::UNIX_EPOCH, TimeZone::UTC);
    let parsed = ScheduleExpression::parse(argument, now, &zone);
    Some(match case["fn"].as_str()? {
        "cron:decideEscalation" => {
            let action = if is_silent(argument) {
                "silent"
            } else {
                "escalate"
            };
            serde_json::json!({ "action": action, "output": argument })
        }
        "cron:isOneShotSchedule" => parsed.is_ok_and(|parsed| parsed.is_once()).into(),
        "cron:isValidCronExpression" | "cron:isValidSchedule" => parsed.is_ok().into(),
        "cron:parseSchedule" => parse_schedule(argument, &parsed.ok()?),
        "cron:parseTimeUnit" => {
            let (count, unit) = (
                &case["input"]["args"][0],
                case["input"]["args"][1].as_str()?,
            );
            (parse_seconds(&format!("{count}{unit}"))? * 1_000).into()
        }
        "cron:nextRunFromParsed" => next_run(&case["input"]["args"])?,
        "cron:slugify" => slug(argument).into(),
        "parseInterval" => match parse_seconds(case["input"]["input"].as_str()?) {
            Some(seconds) => (seconds * 1_000).into(),
            // The wording is not matched.
            None => case["expected"]
                .get("$throws")
                .map(|_| case["expected"].clone())?,
        },
        _ => return None,
    })
}

fn parse_schedule(text: &str, parsed: &ScheduleExpression) -> Value {
    match &parsed.0 {
        Kind::Cron(_) => serde_json::json!({ "kind": "cron", "expression": text }),
        Kind::Every(seconds) => {
            serde_json::json!({ "kind": "interval", "intervalMs": seconds * 1_000 })
        }
        // A delay from the beginning of time.
        Kind::Once(at) => {
            serde_json::json!({ "kind": "relative", "delayMs": at.as_millisecond() })
        }
        Kind::On(event) => serde_json::json!({ "kind": "event", "event": event.to_string() }),
    }
}

fn next_run(arguments: &Value) -> Option<Value> {
    let time = |value: &Value| value["$date"].as_str()?.parse::<Timestamp>().ok();
    let after = time(&arguments[1])?;
    let parsed = match arguments[0]["kind"].as_str()? {
        "cron" => arguments[0]["expression"].as_str()?.to_owned(),
        _ => arguments[0]["date"]["$date"].as_str()?.to_owned(),
    };
    let parsed = ScheduleExpression::parse(&parsed, after, &TimeZone::UTC).ok()?;
    let next = parsed.next_after(after, after, &TimeZone::UTC)?;
    Some(serde_json::json!({ "$date": next.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string() }))
}

#[test]
fn the_vectors_of_schedules_agree() {
    let Some(folder) = std::env::var_os("HELVE_VECTORS") else {
        println!("HELVE_VECTORS is not set: no vectors of schedules were read");
        return;
    };
    for file in ["schedule.jsonl", "augure_misc.jsonl"] {
        let path = std::path::Path::new(&folder).join(file);
        let text = std::fs::read_to_string(&path).expect("the vectors");
        let (mut agree, mut differ, mut other) = (0, Vec::new(), 0);
        for (number, line) in text.lines().enumerate() {
            let case: Value = serde_json::from_str(line).expect("JSON");
            match decide(&case) {
                None => other += 1,
                Some(decided) if decided == case["expected"] => agree += 1,
                Some(decided) => {
                    let id = format!("{}:{}", file.trim_end_matches(".jsonl"), number + 1);
                    differ.push(format!("{id}: {decided} instead of {}", case["expected"]));
                }
            }
        }
        println!(
            "{file}: {agree} agree, {} differ, {other} are about something else",
            differ.len()
        );
        assert!(differ.is_empty(), "{}", differ.join("\n"));
    }
}
