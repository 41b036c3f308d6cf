//! Arguments that are a little wrong: what is mended, and what is not.

use helve_runtime::schema::{CanonicalSchema, explain, from_value, repair};
use serde_json::{Value, json};

use super::vectors::{Case, Tally, load_topic};

/// Where helve differs, and why.
const DIFFERENCES: &[(&str, &str)] = &[(
    "json_repair:34",
    "of two objects neither is taken: the second could be the model's final word, or another call",
)];

#[test]
fn json_repair() {
    let Some(cases) = load_topic("json_repair") else {
        return;
    };
    let mut tally = Tally::new("json_repair");
    for case in &cases {
        let input = &case.input;
        match case.function.as_str() {
            "_json_loads_with_repair" => {
                let schema = match &input["schema"] {
                    Value::Null => anything(),
                    schema => from_value(schema.clone()).unwrap(),
                };
                let found = read(&schema, input["json_str"].as_str().unwrap());
                tally.compare(case, &found, &Some(case.expected.clone()));
            }
            "coerceArgsToSchema" => recorded_the_wrong_way_round(&mut tally, case),
            "core:coerceArgsToSchema" => coerce(&mut tally, case),
            "core:coerceValue" => {
                let found = coerced(
                    &json!({ "v": input["args"][2] }),
                    &json!({ "v": input["args"][1] }),
                );
                let found = found.map(|arguments| arguments["v"].clone());
                let expected =
                    (case.expected["ok"] == true).then(|| case.expected["value"].clone());
                tally.compare(case, &same_numbers(found), &same_numbers(expected));
            }
            "core:describeRepairedArgsFailure" => describe(&mut tally, case),
            "core:extractBalancedBlock" => {
                let text = input["args"][0].as_str().unwrap();
                // Where there is a block, it is what is read.
                let found = read(&anything(), text).is_some();
                tally.compare(case, &found, &!case.expected.is_null());
            }
            "core:repairJson" | "repairJson" => {
                let text = input["args"][0]
                    .as_str()
                    .or(input["text"].as_str())
                    .unwrap();
                let expected =
                    (case.expected["ok"] == true).then(|| case.expected["value"].clone());
                tally.compare(case, &read(&anything(), text), &expected);
            }
            "core:typeMatches" => {
                let schema = schema_of(&json!({ "v": { "type": input["args"][0] } }));
                let arguments = json!({ "v": input["args"][1] }).to_string();
                let fits = explain(&schema, &arguments).is_empty();
                tally.compare(case, &json!(fits), &case.expected);
            }
            other => panic!(
                "{}: `{other}` is a function that these tests do not know",
                case.id
            ),
        }
    }
    tally.finish(DIFFERENCES);
}

/// An object with anything in it.
fn anything() -> CanonicalSchema {
    from_value(json!({ "type": "object", "additionalProperties": true })).unwrap()
}

fn schema_of(properties: &Value) -> CanonicalSchema {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    from_value(json!({ "type": "object", "properties": properties, "required": required })).unwrap()
}

/// Reads arguments as a call does: as they are, or mended.
fn read(schema: &CanonicalSchema, text: &str) -> Option<Value> {
    if explain(schema, text).is_empty() {
        return serde_json::from_str(text).ok();
    }
    let repaired = repair(schema, text)?;
    assert!(
        !repaired.repairs.is_empty(),
        "a repair that nobody hears of"
    );
    serde_json::from_str(&repaired.arguments).ok()
}

fn coerced(properties: &Value, arguments: &Value) -> Option<Value> {
    read(&schema_of(properties), &arguments.to_string())
}

/// The values that come out are those that were recorded; where something cannot be coerced, the call is refused, with the
/// field named.
fn coerce(tally: &mut Tally, case: &Case) {
    let (schema, given) = (&case.input["args"][0], &case.input["args"][1]);
    let mismatches = case.expected["mismatches"].as_array().unwrap();
    let found = coerced(&schema["properties"], given);
    if mismatches.is_empty() {
        let expected = Some(case.expected["args"].clone());
        return tally.compare(case, &same_numbers(found), &same_numbers(expected));
    }
    let mistakes = explain(&schema_of(&schema["properties"]), &given.to_string());
    let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    let named = mismatches.iter().all(|mismatch| {
        let field = mismatch["field"].as_str().unwrap();
        mistakes
            .iter()
            .any(|mistake| mistake.contains(&format!("`/{field}`")))
    });
    match found.is_none() && named {
        true => tally.agree(case),
        false => tally.differ(case, format!("{found:?}, {mistakes:?}")),
    }
}

/// The call that was recorded had its two arguments swapped, so that a schema was coerced to arguments: what can be asked
/// is that the arguments, which do not fit the schema, are refused.
fn recorded_the_wrong_way_round(tally: &mut Tally, case: &Case) {
    let found = coerced(&case.input["schema"]["properties"], &case.input["args"]);
    tally.compare(case, &found, &None);
}

/// The message names each field that is missing or of another type.
fn describe(tally: &mut Tally, case: &Case) {
    let (schema, missing, wrong) = (
        &case.input["args"][0],
        &case.input["args"][1],
        &case.input["args"][2],
    );
    let mut properties = schema["properties"].as_object().unwrap().clone();
    let mut given = serde_json::Map::new();
    for name in schema["required"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        properties
            .entry(name)
            .or_insert(json!({ "type": "string" }));
        if missing
            .as_array()
            .unwrap()
            .iter()
            .all(|missing| missing != name)
        {
            // What was given was of the type that was recorded, a text.
            given.insert(name.to_owned(), json!("x"));
        }
    }
    let mistakes = explain(
        &schema_of(&Value::Object(properties)),
        &Value::Object(given).to_string(),
    );
    let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    let fields = missing
        .as_array()
        .unwrap()
        .iter()
        .map(|field| (field, "got nothing"));
    let wrong = wrong
        .as_array()
        .unwrap()
        .iter()
        .map(|wrong| (&wrong["field"], "got the string"));
    let all = fields.chain(wrong).all(|(field, got)| {
        let path = format!("`/{}`", field.as_str().unwrap());
        mistakes
            .iter()
            .any(|mistake| mistake.starts_with(&path) && mistake.contains(got))
    });
    match all {
        true => tally.agree(case),
        false => tally.differ(case, format!("{mistakes:?}")),
    }
}

/// Writes whole numbers in one way: 5 and 5.0 are the same number of JSON.
fn same_numbers(value: Option<Value>) -> Option<String> {
    let value = value?;
    Some(match value.as_f64() {
        Some(number) => number.to_string(),
        None => value.to_string().replace(".0}", "}").replace(".0,", ","),
    })
}
