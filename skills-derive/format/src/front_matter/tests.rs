use super::*;
use crate::codes;
use crate::limits::MAX_FRONT_MATTER;
use crate::problem::{Finding, Position};

/// Reads the front matter of `text`; returns the fields as lines, or the findings as a report renders them.
fn outcome(text: &str) -> String {
    let parts = match split(text) {
        Ok(parts) => parts,
        Err(finding) => return render(&[finding]),
    };
    let mut read = read(parts.yaml);
    // The errors of the reference validator have separate tests.
    let stricter = [codes::FLOW, codes::INDENTATION];
    read.findings
        .retain(|finding| !stricter.contains(&finding.code));
    if !read.findings.is_empty() {
        return render(&read.findings);
    }
    assert!(read.is_complete);
    let fields = read.front_matter.fields.iter();
    let lines = fields.map(|field| {
        let Position { line, column } = field.at;
        format!("{} = {:?} at {line}:{column}", field.key, field.value)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn render(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|finding| {
        let at = finding.at.unwrap();
        let help = finding
            .help
            .as_ref()
            .map(|help| format!("\n   = help: {help}"))
            .unwrap_or_default();
        format!(
            "{} {}:{} {}{help}",
            finding.code, at.line, at.column, finding.message
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Reads with the profiles of the reference validator and of a lenient host, and returns the findings of each.
fn findings_of(yaml: &str) -> String {
    let strict: Vec<_> = read(yaml)
        .findings
        .into_iter()
        .filter(|finding| [codes::FLOW, codes::INDENTATION].contains(&finding.code))
        .collect();
    render(&strict)
}

fn fenced(yaml: &str) -> String {
    format!("---\n{yaml}---\nbody\n")
}

#[test]
fn every_scalar_stays_the_text_that_was_written() {
    let text = fenced(
        "version: 1.50\nnull: ~\nyes: no\nempty:\nquoted: \"a: b\"\nlist: [a, b]\nmap:\n  a: b\n",
    );
    insta::assert_snapshot!(outcome(&text), @r#"
    version = Text("1.50") at 2:10
    null = Text("~") at 3:7
    yes = Text("no") at 4:6
    empty = Text("") at 5:6
    quoted = Text("a: b") at 6:9
    list = List([Text("a"), Text("b")]) at 7:7
    map = Mapping([("a", Text("b"))]) at 9:3
    "#);
}

#[test]
fn block_scalars_are_read() {
    insta::assert_snapshot!(outcome(&fenced("a: |\n  one\n  two: 2\nb: >\n  one\n  two\nc: >-\n  three\n")), @r#"
    a = Text("one\ntwo: 2\n") at 3:3
    b = Text("one two\n") at 6:3
    c = Text("three") at 9:3
    "#);
}

#[test]
fn only_a_line_that_is_three_hyphens_ends_the_front_matter() {
    let text = "---\na: one --- two\nb: |\n  ---\n  three\n---  \nbody\n---\nmore\n";
    insta::assert_snapshot!(outcome(text), @r#"
    a = Text("one --- two") at 2:4
    b = Text("---\nthree\n") at 4:3
    "#);
    let parts = split(text).unwrap();
    assert_eq!(&text[parts.body_start..], "body\n---\nmore\n");
}

#[test]
fn a_byte_order_mark_and_crlf_are_tolerated() {
    let text = "\u{feff}---\r\nname: pdf\r\ndescription: >\r\n  one\r\n  two\r\n---\r\nbody\r\n";
    insta::assert_snapshot!(outcome(text), @r#"
    name = Text("pdf") at 2:7
    description = Text("one two\n") at 4:3
    "#);
    assert_eq!(&text[split(text).unwrap().body_start..], "body\r\n");
}

#[test]
fn a_file_may_end_with_its_front_matter() {
    let text = "---\na: b\n---";
    assert_eq!(split(text).unwrap().body_start, text.len());
    assert_eq!(split("---\n---\n").unwrap().yaml, "");
}

#[test]
fn front_matter_must_be_there_and_closed() {
    insta::assert_snapshot!(outcome("# Title\n---\na: b\n---\n"), @"
    SK0101 1:1 the file does not begin with front matter
       = help: make `---` its first line, then `name: …` and `description: …`, then `---` again
    ");
    insta::assert_snapshot!(outcome("---\na: b\n ---\n----\n"), @r#"
    SK0118 1:1 the front matter is not closed
       = help: end it with a line that is only `---`
    "#);
    assert!(outcome("").starts_with("SK0101"));
}

#[test]
fn front_matter_is_capped() {
    let text = fenced(&format!("a: {}\n", "x".repeat(MAX_FRONT_MATTER)));
    insta::assert_snapshot!(outcome(&text), @"SK0108 1:1 the front matter is 65540 bytes long; at most 65536 are read");
    let nested = fenced(&format!("a:\n  {}x\n", "- ".repeat(30_000)));
    insta::assert_snapshot!(outcome(&nested), @"SK0103 3:65 the front matter nests deeper than 32 levels");
    let flow = fenced(&format!("a: {}\n", "[".repeat(30_000)));
    insta::assert_snapshot!(outcome(&flow), @"SK0103 2:259 invalid YAML: recursion limit exceeded");
}

#[test]
fn an_unquoted_colon_is_explained_with_its_fix() {
    insta::assert_snapshot!(outcome(&fenced("name: pdf\ndescription: Use this skill when: asked\n")), @r#"
    SK0102 3:33 unquoted `: ` makes this a nested mapping
       = help: quote it: description: "Use this skill when: …"
    "#);
    insta::assert_snapshot!(outcome(&fenced("metadata:\n  note: say \"hi\"\n    when: asked\n")), @r#"
    SK0102 4:9 unquoted `: ` makes this a nested mapping
       = help: quote it: note: 'say "hi" when: …'
    "#);
    insta::assert_snapshot!(outcome(&fenced("a: it's: \"b\"\n")), @"
    SK0102 2:8 unquoted `: ` makes this a nested mapping
       = help: write `a: >-` and put the text on the next lines, indented
    ");
}

#[test]
fn duplicate_keys_are_refused_at_every_depth() {
    insta::assert_snapshot!(outcome(&fenced("a: 1\nb:\n  c: 1\n  c: 2\na: 2\n")), @"
    SK0105 5:3 the key `c` is here twice
       = help: keep one of the two
    SK0105 6:1 the key `a` is here twice
       = help: keep one of the two
    ");
}

#[test]
fn an_alias_bomb_is_refused_without_being_expanded() {
    let text = fenced("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n");
    insta::assert_snapshot!(outcome(&text), @"
    SK0106 2:4 anchors (`&…`) are not allowed in front matter
       = help: write the value out, or quote it if the `&` belongs to the text
    SK0106 3:4 anchors (`&…`) are not allowed in front matter
       = help: write the value out, or quote it if the `&` belongs to the text
    SK0106 3:8 aliases (`*…`) are not allowed in front matter
       = help: write the value out, or quote it if the `*` belongs to the text
    ");
}

#[test]
fn what_looks_like_an_alias_or_a_tag_says_how_to_mean_it() {
    insta::assert_snapshot!(outcome(&fenced("a: *bold* text\n")), @"
    SK0106 2:4 aliases (`*…`) are not allowed in front matter
       = help: write the value out, or quote it if the `*` belongs to the text
    ");
    insta::assert_snapshot!(outcome(&fenced("a: !!str x\n")), @"
    SK0107 2:4 tags (`!…`) are not allowed in front matter
       = help: every value is text: drop the tag, or quote the value
    ");
    insta::assert_snapshot!(outcome(&fenced("a: `code` text\n")), @"
    SK0103 2:4 invalid YAML: unexpected character: ``'
       = help: a value that begins with this character must be quoted
    ");
}

#[test]
fn a_nul_behind_an_escape_is_found() {
    insta::assert_snapshot!(outcome(&fenced("a: \"x\\0y\"\n")), @"SK0109 2:4 the value holds a NUL character");
}

#[test]
fn front_matter_is_one_mapping_with_plain_keys() {
    let message = "the front matter is not a list of `field: value` lines";
    assert_eq!(outcome(&fenced("- a\n")), format!("SK0104 2:1 {message}"));
    assert_eq!(
        outcome(&fenced("just text\n")),
        format!("SK0104 2:1 {message}")
    );
    insta::assert_snapshot!(outcome(&fenced("? [a]\n: b\n")), @"SK0103 2:3 a list or a mapping cannot be a key");
    insta::assert_snapshot!(outcome(&fenced("a: b\n...\nc: d\n")), @"SK0103 4:1 the front matter holds two YAML documents");
    assert_eq!(outcome(&fenced("# a comment\n")), "");
}

#[test]
fn what_stands_before_an_error_is_still_read() {
    let read = read("name: pdf\ndescription: one: two\n");
    let keys: Vec<_> = read
        .front_matter
        .fields
        .iter()
        .map(|field| field.key.as_str())
        .collect();
    assert_eq!((keys, read.is_complete), (vec!["name"], false));
}

#[test]
fn what_the_reference_validator_refuses_beyond_yaml_is_found() {
    insta::assert_snapshot!(findings_of("a: [b]\nc: {d: e}\n"), @r#"
    SK0119 2:4 lists and mappings in brackets are refused by the reference validator
       = help: write each entry on a line of its own, or quote the value if the bracket belongs to the text
    SK0119 3:4 lists and mappings in brackets are refused by the reference validator
       = help: write each entry on a line of its own, or quote the value if the bracket belongs to the text
    "#);
    insta::assert_snapshot!(findings_of("a:\n  b: c\nd:\n    e: f\n"), @r#"
    SK0120 5:5 mappings of one level that are indented differently are refused by the reference validator
       = help: indent them alike
    "#);
    assert_eq!(findings_of("a: \"[b]\"\nc:\n  d: e\nf:\n  g: h\n"), "");
}

#[test]
fn nested_values_are_kept_in_order() {
    let text = fenced("metadata:\n  b: 1\n  a:\n    - x\n    - y: z\nlist:\n- one\n- \n");
    insta::assert_snapshot!(outcome(&text), @r#"
    metadata = Mapping([("b", Text("1")), ("a", List([Text("x"), Mapping([("y", Text("z"))])]))]) at 3:3
    list = List([Text("one"), Text("")]) at 8:3
    "#);
    let parts = split(&text).unwrap();
    let front_matter = read(parts.yaml).front_matter;
    let metadata = &front_matter.get("metadata").unwrap().value;
    assert_eq!(metadata.get("b").and_then(Value::as_text), Some("1"));
    assert_eq!(front_matter.metadata().collect::<Vec<_>>(), [("b", "1")]);
}

#[test]
fn a_comment_that_cuts_a_value_short_is_found() {
    insta::assert_snapshot!(outcome(&fenced("description: Fixes issue #1 and # more\n")), @r#"
    SK0207 2:26 ` #` begins a comment: `description` ends here
       = help: quote it if the text goes on: description: "Fixes issue #…"
    "#);
    insta::assert_snapshot!(outcome(&fenced("ü: Überall\nd: größer # als\n")), @r#"
    SK0207 3:11 ` #` begins a comment: `d` ends here
       = help: quote it if the text goes on: d: "größer #…"
    "#);
    insta::assert_snapshot!(outcome(&fenced("d: say \"hi\" # loud\n")), @r#"
    SK0207 2:13 ` #` begins a comment: `d` ends here
       = help: write `d: >-` and put the text on the next lines, indented, if it goes on
    "#);
    for whole in [
        "d: issue#1\n",
        "d: \"a # b\"\n",
        "d: | # text\n  a # b\n",
        "# d\nd: e\n",
        "d: # nothing\n",
    ] {
        assert!(!outcome(&fenced(whole)).contains("SK0207"), "{whole}");
    }
}

#[test]
fn tabs_are_explained() {
    insta::assert_snapshot!(outcome(&fenced("metadata:\n\ta: b\n")), @r#"
    SK0103 3:2 invalid YAML: tabs disallowed within this context (block indentation)
       = help: write spaces instead of the tab
    "#);
    insta::assert_snapshot!(outcome(&fenced("name:\tpdf\ndescription: a\tb\n")), @r#"
    SK0103 2:7 invalid YAML: ':' must be followed by a valid YAML whitespace
       = help: write spaces instead of the tab
    "#);
}

#[test]
fn an_unquoted_colon_is_taken_as_it_stands_where_hosts_are_lenient() {
    let read = read_leniently("name: pdf\ndescription: Use when: it's asked\nlicense: a: b\n");
    assert!(read.is_complete);
    assert_eq!(
        read.front_matter.text("description"),
        Some("Use when: it's asked")
    );
    assert_eq!(read.front_matter.text("license"), Some("a: b"));
    insta::assert_snapshot!(render(&read.findings), @r#"
    SK0102 3:22 unquoted `: ` makes this a nested mapping
       = help: quote it: description: "Use when: …"
    SK0102 4:11 unquoted `: ` makes this a nested mapping
       = help: quote it: license: "a: …"
    "#);
    assert!(read.findings.iter().all(|finding| !finding.is_fatal));
}

#[test]
fn what_cannot_be_repaired_is_told_as_it_stands() {
    // The colon is in a continuation line of the value, or in a nested one.
    for yaml in [
        "a: one\n  two: three\n",
        "m:\n  a: b: c\n",
        "a: b: c\nd: [\n",
    ] {
        let read = read_leniently(yaml);
        assert!(!read.is_complete, "{yaml}");
        assert!(
            read.findings.iter().any(|finding| finding.is_fatal),
            "{yaml}"
        );
    }
}

#[test]
fn the_fields_that_matter_to_hosts_are_read() {
    let of = |yaml: &str| read(yaml).front_matter;
    assert!(of("tool: true\n").is_tool() && of("metadata:\n  tool: 'True'\n").is_tool());
    assert!(!of("tool: yes please\n").is_tool() && !of("").is_tool());
    assert!(of("").model_invocable());
    assert!(!of("disable-model-invocation: true\n").model_invocable());
    assert!(!of("activation: manual\n").model_invocable());
}
