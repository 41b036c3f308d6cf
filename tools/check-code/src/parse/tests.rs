//! The parsers, on what the checkers wrote: recorded outputs of cargo 1.95, TypeScript 6.0, ESLint 10, Ruff 0.17,
//! pytest 9.2 and Go 1.19.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{CheckerOutput, findings};
use crate::checker::{CheckKind, Checker};
use crate::diagnostic::{Findings, MAX_ROWS};
use crate::plan::PlannedCheck;

const CARGO_ERRORS: &str = include_str!("recorded/cargo_errors.txt");
const CARGO_TEST: &str = include_str!("recorded/cargo_test.txt");
const ESLINT: &str = include_str!("recorded/eslint.json");
const GO_TEST: &str = include_str!("recorded/go_test.jsonl");
const GO_VET: &str = include_str!("recorded/go_vet.txt");
const PYTEST: &str = include_str!("recorded/pytest.txt");
const PYTEST_COLLECTION: &str = include_str!("recorded/pytest_collection.txt");
const RUFF: &str = include_str!("recorded/ruff.jsonl");
const TSC: &str = include_str!("recorded/tsc.txt");

const RECORDED: [(Checker, CheckKind, &str); 9] = [
    (Checker::Cargo, CheckKind::Lint, CARGO_ERRORS),
    (Checker::Cargo, CheckKind::Tests, CARGO_TEST),
    (Checker::Tsc, CheckKind::Types, TSC),
    (Checker::Eslint, CheckKind::Lint, ESLINT),
    (Checker::Ruff, CheckKind::Lint, RUFF),
    (Checker::Pytest, CheckKind::Tests, PYTEST),
    (Checker::Pytest, CheckKind::Tests, PYTEST_COLLECTION),
    (Checker::Go, CheckKind::Lint, GO_VET),
    (Checker::Go, CheckKind::Tests, GO_TEST),
];

fn read(checker: Checker, kind: CheckKind, text: &str) -> Findings {
    let check = PlannedCheck {
        checker,
        kind,
        folder: "/project".into(),
        program: checker.program().to_owned(),
        args: Vec::new(),
        base: "/project".into(),
        module: Some("example.com/m".to_owned()),
    };
    let output = CheckerOutput {
        stdout: text,
        stderr: "",
    };
    findings(&check, &output)
}

fn render(checker: Checker, kind: CheckKind, text: &str) -> String {
    let findings = read(checker, kind, text);
    let mut shown = String::new();
    if let Some(tests) = findings.tests {
        writeln!(
            shown,
            "{} passed, {} failed, {} skipped",
            tests.passed, tests.failed, tests.skipped
        )
        .expect("text");
    }
    for row in findings.into_rows() {
        let number =
            |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
        let (line, column) = (number(row.line), number(row.column));
        let file = row.file.as_deref().unwrap_or("-");
        let code = row.code.as_deref().unwrap_or("-");
        let severity = row.severity.name();
        writeln!(
            shown,
            "{file} {line} {column} {severity} {code} | {}",
            row.message
        )
        .expect("text");
    }
    shown
}

#[test]
fn cargo() {
    insta::assert_snapshot!(render(Checker::Cargo, CheckKind::Lint, CARGO_ERRORS), @"
    src/lib.rs 4 15 error - | 2 positional arguments in format string, but there is 1 argument
    src/lib.rs 5 16 error E0425 | cannot find value `c` in this scope
    help: a local variable with a similar name exists
    src/lib.rs 3 18 error E0308 | mismatched types: expected `i32`, found `&str`
    ");
    insta::assert_snapshot!(render(Checker::Cargo, CheckKind::Tests, CARGO_TEST), @r#"
    1 passed, 3 failed, 1 skipped
    - - - error errs | Error: "no"
    src/lib.rs 18 5 error fails | assertion `left == right` failed: sums
      left: 2
     right: 3
    src/lib.rs 5 - error src/lib.rs - add (line 5) | assertion `left == right` failed
      left: 2
     right: 3
    src/lib.rs 9 9 warning unused_variables | unused variable: `unused`
    help: if this is intentional, prefix it with an underscore
    "#);
}

#[test]
fn typescript() {
    insta::assert_snapshot!(render(Checker::Tsc, CheckKind::Types, TSC), @"
    src/a.ts 1 7 error TS2322 | Type 'string' is not assignable to type 'number'.
    src/a.ts 3 21 error TS2322 | Type 'string' is not assignable to type 'number'.
    src/a.ts 4 41 error TS2339 | Property 'foo' does not exist on type 'number'.
    src/c.ts 1 40 error TS2322 | Type 'string | { c: number; }' is not assignable to type 'number'.
    Type 'string' is not assignable to type 'number'.
    src/c.ts 3 3 error TS2345 | Argument of type '(s: string) => string' is not assignable to parameter of type '(n: number) => string'.
    Types of parameters 's' and 'n' are incompatible.
    Type 'number' is not assignable to type 'string'.
    - - - error TS18003 | No inputs were found in config file 'tsconfig.json'.
    ");
    insta::assert_snapshot!(render(Checker::Eslint, CheckKind::Lint, ESLINT), @"
    /project/src/a.ts 1 7 error @typescript-eslint/no-unused-vars | 'n' is assigned a value but never used.
    /project/src/a.ts 3 7 error @typescript-eslint/no-unused-vars | 'p' is assigned a value but never used.
    /project/src/a.ts 5 5 error prefer-const | 'unused' is never reassigned. Use 'const' instead.
    /project/src/a.ts 5 5 error @typescript-eslint/no-unused-vars | 'unused' is assigned a value but never used.
    /project/src/b.js 1 8 error - | Parsing error: Expression expected.
    ");
}

#[test]
fn python() {
    insta::assert_snapshot!(render(Checker::Ruff, CheckKind::Lint, RUFF), @"
    /project/a.py 1 1 error I001 | Import block is un-sorted or un-formatted
    /project/a.py 1 8 error F401 | `os` imported but unused
    /project/a.py 3 5 error F841 | Local variable `x` is assigned to but never used
    /project/a.py 4 12 error F821 | Undefined name `y`
    /project/bad.py 1 5 error invalid-syntax | Expected an identifier
    /project/bad.py 2 1 error invalid-syntax | unexpected EOF while parsing
    /project/tests/test_a.py 1 1 error I001 | Import block is un-sorted or un-formatted
    /project/tests/test_imp.py 1 8 error F401 | `nothing_here` imported but unused
    ");
    insta::assert_snapshot!(render(Checker::Pytest, CheckKind::Tests, PYTEST), @"
    2 passed, 4 failed, 1 skipped
    tests/test_a.py 12 - error ERROR at setup of test_fix | RuntimeError: no fixture
    tests/test_a.py 6 - error test_eq | AssertionError: sums
    assert (1 + 1) == 3
    a2.py 2 - error TestK.test_in | ValueError: boom
    more
    tests/test_a.py 16 - error test_par[2] | assert 2 == 1
    ");
    insta::assert_snapshot!(render(Checker::Pytest, CheckKind::Tests, PYTEST_COLLECTION), @"
    0 passed, 1 failed, 0 skipped
    tests/test_imp.py 1 - error - | ModuleNotFoundError: No module named 'nothing_here'
    ");
}

#[test]
fn go() {
    insta::assert_snapshot!(render(Checker::Go, CheckKind::Lint, GO_VET), @r#"
    sub/s.go 3 29 error - | undeclared name: undefinedName
    /project/a.go 6 2 warning printf | fmt.Printf format %d has arg "x" of wrong type string
    "#);
    insta::assert_snapshot!(render(Checker::Go, CheckKind::Tests, GO_TEST), @"
    1 passed, 4 failed, 0 skipped
    a_test.go 7 - error TestBad/inner_case | got 1
    want 2
    /project/a_test.go 11 - error TestPanic | panic: runtime error: invalid memory address or nil pointer dereference [recovered]
    sub/ok/ok_test.go 5 - error TestDeep | deep
    ");
}

#[test]
fn a_mistake_in_a_macro_of_others_is_where_the_macro_is_called() {
    let span = |file: &str, line: u32, expansion: &str| {
        format!(
            r#"{{"file_name":"{file}","line_start":{line},"column_start":1,"is_primary":true,"label":null,"expansion":{expansion}}}"#
        )
    };
    let own = span("src/main.rs", 7, "null");
    let of_others = span(
        "/home/u/.cargo/registry/m.rs",
        900,
        &format!(r#"{{"span":{own}}}"#),
    );
    let line = format!(
        r#"{{"reason":"compiler-message","message":{{"message":"m","level":"error","code":null,"spans":[{of_others}]}}}}"#
    );
    let shown = render(Checker::Cargo, CheckKind::Types, &line);
    assert_eq!(shown, "src/main.rs 7 1 error - | m\n");
}

/// A configuration may print lines with brackets before ESLint writes its array.
#[test]
fn what_is_printed_before_the_array_is_no_part_of_it() {
    let whole = read(Checker::Eslint, CheckKind::Lint, ESLINT);
    for noise in [
        "[dotenv@17.2.0] injecting env (0) from .env\n",
        "[]\n[ { \"a\": [] } ]\n",
        "[{\"filePath\":1}] ",
        "",
    ] {
        let found = read(
            Checker::Eslint,
            CheckKind::Lint,
            &format!("{noise}{ESLINT}"),
        );
        assert_eq!(
            (found.total, found.is_unread),
            (whole.total, false),
            "{noise}"
        );
    }
    for (text, is_unread) in [
        ("", true),
        ("[dotenv@17.2.0] injecting env\n", true),
        ("[dotenv@17.2.0] injecting env\n[]\n", false),
        ("[]", false),
        (r#"[{"filePath":"/project/a.js","messages":[]}]"#, false),
    ] {
        let found = read(Checker::Eslint, CheckKind::Lint, text);
        assert_eq!((found.total, found.is_unread), (0, is_unread), "{text}");
    }
}

#[test]
fn an_output_that_was_cut_keeps_what_is_whole() {
    let whole = read(Checker::Eslint, CheckKind::Lint, ESLINT).total;
    let cut = read(
        Checker::Eslint,
        CheckKind::Lint,
        &ESLINT[..ESLINT.len() - 200],
    )
    .total;
    assert!(cut > 0 && cut < whole, "{cut} of {whole}");
}

#[test]
fn hostile_outputs_are_bounded() {
    let nested = "[".repeat(1 << 20);
    let rows = r#"{"code":"F1","filename":"a.py","location":{"row":1,"column":1},"message":"M"}"#;
    let many: String = (0..20_000)
        .map(|number| rows.replace('M', &number.to_string()) + "\n")
        .collect();
    let headings = "_ x _\n".repeat(100_000);
    let pytest = format!("=== FAILURES ===\n{headings}");
    for (checker, kind, _) in RECORDED {
        for text in [&nested, &many, &pytest] {
            let findings = read(checker, kind, text);
            assert!(findings.into_rows().len() <= MAX_ROWS);
        }
    }
    let findings = read(Checker::Ruff, CheckKind::Lint, &many);
    assert_eq!(
        (findings.total, findings.into_rows().len()),
        (20_000, MAX_ROWS)
    );
}

proptest! {
    #[test]
    fn whatever_is_written_is_read(which in 0..RECORDED.len(), at in 0.0..1.0, text in "\\PC{0,40}", other in "[\\[\\]{}:_=E. -]{0,60}\n?") {
        for (checker, kind, _) in RECORDED {
            read(checker, kind, &other);
            let recorded = RECORDED[which].2;
            let middle = (recorded.len() as f64 * at) as usize;
            let middle = (0..=middle).rev().find(|&at| recorded.is_char_boundary(at)).unwrap_or(0);
            let changed = format!("{}{text}{other}{}", &recorded[..middle], &recorded[middle..]);
            prop_assert!(read(checker, kind, &changed).into_rows().len() <= MAX_ROWS);
        }
    }
}
