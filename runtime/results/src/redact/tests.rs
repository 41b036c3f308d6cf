//! Tests of the texts that are redacted, and of those that are left unchanged.

use super::*;

fn redacted(text: &str) -> String {
    Redactor::new().redact(text).into_owned()
}

#[test]
fn secrets_go_and_their_names_stay() {
    for (text, expected) in [
        (
            "ghp_abcdefghij1234567890abcdefghij123456",
            "[REDACTED:github-pat]",
        ),
        (
            "key=AKIAIOSFODNN7EXAMPLE rest",
            "key=[REDACTED:aws-access-key] rest",
        ),
        (
            "password=hunter2hunter2hunter2hunter2\n",
            "password=[REDACTED:generic-secret]\n",
        ),
        (
            r#"{"api_key": "abc123def"}"#,
            r#"{"api_key": "[REDACTED:generic-secret]"}"#,
        ),
        (
            r#"{\"token\":\"Abc123Abc123Abc123\"}"#,
            r#"{\"token\":\"[REDACTED:generic-secret]\"}"#,
        ),
        (
            r#"os.environ["DB_PASSWORD"] = "s3cret!""#,
            r#"os.environ["DB_PASSWORD"] = "[REDACTED:generic-secret]""#,
        ),
        (
            "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1",
            "AWS_SECRET_ACCESS_KEY=[REDACTED:generic-secret]",
        ),
        (
            "postgres://app:pa55@db:5432/x",
            "postgres://app:[REDACTED:url-password]@db:5432/x",
        ),
        (
            "Authorization: Bearer abcdef0123456789abcdef",
            "Authorization: Bearer [REDACTED:bearer-token]",
        ),
        ("xoxb-123456789012-abcdef.", "[REDACTED:slack-token]."),
        ("AKIAABCDEFGHIJKLMNOP", "[REDACTED:aws-access-key]"),
        ("sk_live_abcdefghijklmnopqrstuvwx", "[REDACTED:stripe-key]"),
        ("glpat-AbCdEfGhIj_lMnOpQr-T", "[REDACTED:gitlab-token]"),
        (
            "ghp_AbcdefghijAbcdefghijAbcdefghijAbcdef",
            "[REDACTED:github-pat]",
        ),
        (
            r"text\nghp_abcdefghij1234567890abcdefghij123456",
            r"text\n[REDACTED:github-pat]",
        ),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
            "[REDACTED:jwt]",
        ),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nafter",
            "[REDACTED:private-key]\nafter",
        ),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIEcut",
            "[REDACTED:private-key]",
        ),
    ] {
        assert_eq!(redacted(text), expected);
        assert_eq!(redacted(expected), expected, "twice");
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "Read the ARCHITECTURE.md first.",
        "let password = config.get(\"password\");",
        "password: string, token: &str, key: K",
        "fn token(&self) -> Token { self.token == other.token }",
        r#"{"type": "object", "required": ["password"], "password": "string"}"#,
        "the task-force-2024-is-a-long-hyphenated-word1",
        "secretName: my-secret-1",
        "PASSWORD=$DB_PASSWORD1234 TOKEN={{ token1234567890123456 }}",
        "commit 4f499aefbea948bb9f15ef11cc00676b",
        "https://example.org:8080/a:b@c?key=value",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "Basic instructions here: a == b, std::token::Tree",
        "Bearer authenticationtoken sk-this-is-a-long-hyphenated-word xoxb-your-token-here",
        "me@example.org +15551234567 123-45-6789",
    ] {
        let found = Redactor::new().find(text);
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn personal_data_goes_where_it_is_asked_for() {
    let redactor = Redactor::new().personal_data();
    assert_eq!(
        redactor.redact(
            "jo@example.org, +15551234567, 123-45-6789, 4111 1111 1111 1111, 10.0.0.1, 2026-11-22"
        ),
        "[REDACTED:email], [REDACTED:phone], [REDACTED:ssn], [REDACTED:card-number], 10.0.0.1, 2026-11-22"
    );
}

#[test]
fn an_address_before_a_private_key_is_one() {
    let redactor = Redactor::new().personal_data();
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----";
    for (text, expected) in [
        (
            format!("a@b.org{key}"),
            "[REDACTED:email][REDACTED:private-key]",
        ),
        (
            format!("a@.Aa{key}\""),
            "[REDACTED:email][REDACTED:private-key]\"",
        ),
        ("a@b-----c.org.".to_owned(), "[REDACTED:email]."),
        ("a@b.c-----".to_owned(), "a@b.c-----"),
    ] {
        assert_eq!(redactor.redact(&text), expected, "{text}");
    }
}

#[test]
fn account_numbers_are_personal_data() {
    let redactor = Redactor::new().personal_data();
    for (text, expected) in [
        ("IBAN: DE89370400440532013000.", "IBAN: [REDACTED:iban]."),
        ("GB29 NWBK 6016 1331 9268 19", "[REDACTED:iban]"),
        (
            "NO9386011117947,FR1420041010050500013M02606",
            "[REDACTED:iban],[REDACTED:iban]",
        ),
    ] {
        assert_eq!(redactor.redact(text), expected);
    }
    // A wrong check digit, a country without account numbers, a number that is too short, and a part of a word.
    for text in [
        "DE88370400440532013000",
        "US89370400440532013000",
        "GB29 NWBK 6016 1331 9268",
        "XDE89370400440532013000",
        "DE89370400440532013000X",
    ] {
        assert_eq!(redactor.redact(text), text);
    }
    assert_eq!(redacted("DE89370400440532013000"), "DE89370400440532013000");
}

#[test]
fn what_is_learned_goes_in_every_form() {
    let redactor = Redactor::new();
    let clone = redactor.clone();
    clone.learn(&Secret::new("pass \"word\"/1"));
    clone.learn(&Secret::new("no"));
    assert_eq!(
        redactor.redact(
            "pass \"word\"/1 no, pass \\\"word\\\"/1, pass%20%22word%22%2F1, cGFzcyAid29yZCIvMQ=="
        ),
        "[REDACTED:secret] no, [REDACTED:secret], [REDACTED:secret], [REDACTED:secret]=="
    );
}

#[test]
fn json_stays_json() {
    let json = r#"{"a":["ghp_abcdefghij1234567890abcdefghij123456",1],"password":"hunter22","n":{"secret":"short"}}"#;
    let redacted = Redactor::new().redact_json_text(json);
    assert_eq!(
        redacted,
        r#"{"a":["[REDACTED:github-pat]",1],"password":"[REDACTED:generic-secret]","n":{"secret":"short"}}"#
    );
}

/// The mark makes the value long enough for a secret, but it is none.
#[test]
fn a_mark_is_no_evidence() {
    let once = redacted("secret://a:b@0");
    assert_eq!(once, "secret://a:[REDACTED:url-password]@0");
    assert_eq!(redacted(&once), once);
}

/// The name before the value that is held back begins within the first word.
#[test]
fn a_piece_ends_at_a_word() {
    let between = "a ".repeat(36);
    for filler in 0..20 {
        let text = format!(
            "Ask-ant-api03-abcDEF123456abcDEF123456{} {between}\"api_key\": \"zyx987zyx987\"",
            "<".repeat(filler)
        );
        let mut stream = Redactor::new().stream();
        let mut shown = stream.push(&text);
        shown.push_str(&stream.finish());
        assert_eq!(shown, redacted(&text));
    }
}

#[test]
fn a_long_value_goes_whole() {
    let key = "Ab1+".repeat(1_000);
    assert_eq!(
        redacted(&format!("secret={key}")),
        "secret=[REDACTED:generic-secret]"
    );
    assert_eq!(
        redacted(&format!("\"privateKey\": \"{key}\"")),
        "\"privateKey\": \"[REDACTED:generic-secret]\""
    );
}

/// Texts that make a naive search examine the same bytes repeatedly; each would take minutes.
#[test]
fn what_begins_again_and_again_is_read_once() {
    for piece in [
        "sk-",
        "eyJ-",
        "secret=",
        "key:",
        "-----BEGIN PRIVATE KEY-----",
        "://a:b",
        "xoxb-a.",
        "Bearer ",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let _ = Redactor::new().personal_data().redact(&text);
    }
}

#[test]
fn a_redacted_part_of_a_value_does_not_change_where_the_value_ends() {
    let redactor = Redactor::new();
    let once = redactor
        .redact("password=hunter2hunter2postgres://me:pa55w0rd@db/x(")
        .into_owned();
    assert_eq!(
        once,
        "password=hunter2hunter2postgres://me:[REDACTED:url-password]@db/x("
    );
    assert_eq!(redactor.redact(&once), once);
}
