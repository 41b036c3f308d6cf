use super::*;
use proptest::prelude::*;

fn apply(body: &str, arguments: &str) -> String {
    let folder = Path::new("/skills/pdf");
    Substitution::new(arguments)
        .folder(Some(folder))
        .apply(body)
        .into_owned()
}

#[test]
fn each_placeholder_becomes_what_it_stands_for() {
    for (body, arguments, becomes) in [
        ("a $ARGUMENTS b", "x y", "a x y b"),
        ("$ARGUMENTS[0]-$ARGUMENTS[1]-$ARGUMENTS[2]", "x y", "x-y-"),
        ("$ARGUMENTS: $0, $1", "x 'y z'", "x 'y z': x, y z"),
        ("$ARGUMENTS[0]", "\"a b\"c d", "a bc"),
        ("$ARGUMENTS[0]", "'no end", "no end"),
        ("Run ${SKILL_DIR}/fill.py", "", "Run /skills/pdf/fill.py"),
        ("Run ${HOST_SKILL_DIR}/x", "", "Run /skills/pdf/x"),
        ("Do $ARGUMENTS.", "", "Do ."),
    ] {
        assert_eq!(apply(body, arguments), becomes, "{body} with {arguments}");
    }
}

#[test]
fn what_only_looks_like_one_stays() {
    for body in [
        "${OTHER_VAR} ${skill_dir} ${SKILL_DIRS} ${SKILL_DIR",
        "$ARGUMENTSX $ARGUMENTS_2",
        "awk '{print $1, $NF}' \\$ARGUMENTS $",
        "costs $5 or $12.50",
    ] {
        assert_eq!(apply(body, ""), body);
        assert_eq!(apply(body, "x"), format!("{body}\n\nARGUMENTS: x"));
    }
    assert_eq!(apply("$ARGUMENTS $0000 $0x \\$0", "x"), "x $0000 $0x \\$0");
}

#[test]
fn a_skill_that_says_so_takes_arguments_by_number() {
    let given = Substitution::new("x y").positional(true);
    assert_eq!(given.apply("$1 of $0"), "y of x");
    let none = Substitution::new(" ").positional(true);
    assert_eq!(none.apply("awk '{print $1}'"), "awk '{print $1}'");
}

#[test]
fn arguments_cannot_fill_the_memory() {
    let body = "$ARGUMENTS".repeat(10_000);
    let text = apply(&body, &"x".repeat(10_000));
    assert!(text.len() <= body.len() + MAX_ADDED_BYTES);
    assert!(text.ends_with("$ARGUMENTS"));
}

proptest! {
    #[test]
    fn there_is_one_pass(before in "[a-z \n]{0,20}", after in "[a-z \n]{0,20}", arguments in "[$A-Z0-9{}_ ]{0,40}|.{0,40}") {
        let text = apply(&format!("{before} $ARGUMENTS {after}"), &arguments);
        prop_assert_eq!(text, format!("{before} {} {after}", arguments.trim()));
    }

    #[test]
    fn nothing_but_placeholders_changes(body in "[^$]{0,200}") {
        prop_assert_eq!(apply(&body, ""), body);
    }

    #[test]
    fn no_body_makes_it_fail(body in "(\\$(ARGUMENTS|[0-9]|\\{SKILL_DIR\\})|[\\[\\]\\\\0-9]|.){0,40}", arguments in ".{0,40}") {
        let _ = apply(&body, &arguments);
    }
}
