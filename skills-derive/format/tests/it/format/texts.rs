//! Tests of problems in the text of a SKILL.md.

use crate::format::world::{World, problems_of};

#[test]
fn front_matter_is_there_and_closed() {
    insta::assert_snapshot!(problems_of("# PDF\n"), @r#"
    error[SK0101]: the file does not begin with front matter
      --> skills/pdf/SKILL.md:1:1
       = help: make `---` its first line, then `name: …` and `description: …`, then `---` again
    "#);
    insta::assert_snapshot!(problems_of("---\nname: pdf\n"), @r#"
    error[SK0118]: the front matter is not closed
      --> skills/pdf/SKILL.md:1:1
       = help: end it with a line that is only `---`
    "#);
}

#[test]
fn front_matter_is_plain_yaml() {
    insta::assert_snapshot!(problems_of("---\n- name\n---\n"), @r#"
    error[SK0104]: the front matter is not a list of `field: value` lines
      --> skills/pdf/SKILL.md:2:1
    "#);
    insta::assert_snapshot!(problems_of("---\nname: pdf\nname: pdf\ndescription: d\nx: &a b\ny: *a\n---\n"), @r#"
    error[SK0105]: the key `name` is here twice
      --> skills/pdf/SKILL.md:3:1
       = help: keep one of the two
    error[SK0106]: anchors (`&…`) are not allowed in front matter
      --> skills/pdf/SKILL.md:5:4
       = help: write the value out, or quote it if the `&` belongs to the text
    error[SK0106]: aliases (`*…`) are not allowed in front matter
      --> skills/pdf/SKILL.md:6:4
       = help: write the value out, or quote it if the `*` belongs to the text
    "#);
    insta::assert_snapshot!(problems_of("---\nname: !!str pdf\ndescription: \"open\n---\n"), @r#"
    error[SK0107]: tags (`!…`) are not allowed in front matter
      --> skills/pdf/SKILL.md:2:7
       = help: every value is text: drop the tag, or quote the value
    error[SK0103]: invalid YAML: while scanning a quoted scalar, found unexpected end of stream
      --> skills/pdf/SKILL.md:3:14
    "#);
    insta::assert_snapshot!(problems_of("---\nname: pdf\ndescription: Use it when: asked\n---\n"), @r#"
    error[SK0102]: unquoted `: ` makes this a nested mapping
      --> skills/pdf/SKILL.md:3:25
       = help: quote it: description: "Use it when: …"
    "#);
}

#[test]
fn fields_keep_their_rules() {
    let name = format!("-{}--X!", "x".repeat(64));
    insta::assert_snapshot!(problems_of(&format!("---\nname: {name}\ndescription: {}\n---\n", "d".repeat(1025))), @r#"
    error[SK0112]: `name` is 69 characters long; at most 64 are allowed
      --> skills/pdf/SKILL.md:2:7
    error[SK0133]: `X` is an upper-case letter, which a name may not have
      --> skills/pdf/SKILL.md:2:7
       = help: write `name: pdf`, as the folder is called
    error[SK0113]: `!` is not allowed in a name: lower-case letters, digits and `-` are
      --> skills/pdf/SKILL.md:2:7
       = help: write `name: pdf`, as the folder is called
    error[SK0114]: a name may not begin or end with `-`
      --> skills/pdf/SKILL.md:2:7
       = help: write `name: pdf`, as the folder is called
    error[SK0134]: a name may not have two `-` in a row
      --> skills/pdf/SKILL.md:2:7
       = help: write `name: pdf`, as the folder is called
    error[SK0117]: `description` is 1025 characters long; at most 1024 are allowed
      --> skills/pdf/SKILL.md:3:14
    "#);
    insta::assert_snapshot!(problems_of("---\nname:\ndescription: []\n---\n"), @r#"
    error[SK0131]: `name` is empty
      --> skills/pdf/SKILL.md:2:5
       = help: write `name: pdf`
    error[SK0132]: `description` is a list, not text
      --> skills/pdf/SKILL.md:3:14
       = help: say what the skill does and when to use it: a model chooses by it
    "#);
    insta::assert_snapshot!(problems_of("---\nlicense: [MIT]\ncompatibility: ''\nmetadata: [a]\nallowed-tools: [Read, Bash(ls *)]\n---\n"), @r#"
    error[SK0111]: `name` is missing
      --> skills/pdf/SKILL.md:1:1
       = help: write `name: pdf`
    error[SK0116]: `description` is missing
      --> skills/pdf/SKILL.md:1:1
       = help: say what the skill does and when to use it: a model chooses by it
    error[SK0141]: `license` is a list, not text
      --> skills/pdf/SKILL.md:2:10
       = help: name the licence, or the file that holds it: `license: Apache-2.0`
    error[SK0137]: `compatibility` is empty
      --> skills/pdf/SKILL.md:3:16
       = help: leave the field out
    error[SK0139]: `metadata` is a list, not a mapping
      --> skills/pdf/SKILL.md:4:11
       = help: write `key: value` lines under it, indented
    error[SK0140]: `allowed-tools` is a list, not text
      --> skills/pdf/SKILL.md:5:16
       = help: write `allowed-tools: Read Bash(ls *)`
    "#);
    insta::assert_snapshot!(problems_of(&format!("---\nname: größe\ndescription: d\ncompatibility: {}\n---\n", "c".repeat(501))), @r#"
    error[SK0115]: the name is `größe`, but the folder is `pdf`
      --> skills/pdf/SKILL.md:2:7
       = help: write `name: pdf`, or rename the folder to `größe`
    warning[SK0135]: `ö` is not ASCII: MCP and some hosts take only `a` to `z`, digits and `-`
      --> skills/pdf/SKILL.md:2:7
    error[SK0136]: `compatibility` is 501 characters long; at most 500 are allowed
      --> skills/pdf/SKILL.md:4:16
    "#);
    insta::assert_snapshot!(problems_of("---\nname: pdf\ndescription: d\ncompatibility: {os: linux}\nallowed_tools: Read\n---\n"), @r#"
    error[SK0138]: `compatibility` is a mapping, not text
      --> skills/pdf/SKILL.md:4:16
       = help: write it as text: `compatibility: Needs Python 3.11 and network access`
    warning[SK0142]: `allowed_tools` is not a field of the specification
      --> skills/pdf/SKILL.md:5:16
       = help: did you mean `allowed-tools`?
    "#);
}

#[test]
fn a_description_goes_on_behind_a_hash() {
    insta::assert_snapshot!(problems_of("---\nname: pdf\ndescription: Use for C, C++ and C # always\n---\n"), @r#"
    warning[SK0207]: ` #` begins a comment: `description` ends here
      --> skills/pdf/SKILL.md:3:35
       = help: quote it if the text goes on: description: "Use for C, C++ and C #…"
    "#);
}

#[test]
fn a_body_is_short() {
    let lines = "x\n".repeat(501);
    insta::assert_snapshot!(problems_of(&format!("---\nname: pdf\ndescription: d\n---\n{lines}")), @r#"
    warning[SK0201]: the body has 501 lines; at most 500 are recommended
      --> skills/pdf/SKILL.md:5:1
       = help: move what is not always needed to files of its own, and link to them
    "#);
    let words = "word ".repeat(4_005);
    insta::assert_snapshot!(problems_of(&format!("---\nname: pdf\ndescription: d\n---\n{words}\n")), @r#"
    warning[SK0202]: the body has about 5006 tokens, a token for 4 bytes; at most 5000 are recommended
      --> skills/pdf/SKILL.md:5:1
       = help: move what is not always needed to files of its own, and link to them
    "#);
}

#[test]
fn everything_can_be_seen() {
    let flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}";
    let fine = format!(
        "\u{feff}---\nname: pdf\ndescription: d\n---\n👨\u{200d}👩 {flag} می\u{200c}خواهم\n"
    );
    assert_eq!(problems_of(&fine), "");
    insta::assert_snapshot!(problems_of("---\nname: pdf\ndescription: Reads\u{200b} files\n---\nDo\u{202e}evil\u{2066}\n"), @r#"
    warning[SK0208]: U+200B and 2 more characters cannot be seen, and a model reads them
      --> skills/pdf/SKILL.md:3:19
       = help: delete the invisible characters
    "#);
    let tagged = "---\nname: pdf\ndescription: d\n---\nHi\u{e0049}\n";
    let world = World::new(&[
        ("pdf/SKILL.md", tagged),
        ("pdf/a.md", "a\u{feff}b"),
        ("pdf/data.txt", "a\u{feff}b"),
    ]);
    insta::assert_snapshot!(world.problems(), @r#"
    warning[SK0208]: U+E0049 cannot be seen, and a model reads it
      --> skills/pdf/SKILL.md:5:3
       = help: delete the invisible characters
    warning[SK0208]: U+FEFF cannot be seen, and a model reads it
      --> skills/pdf/a.md:1:2
       = help: delete the invisible characters
    "#);
}

#[test]
fn line_ends_of_windows_are_as_good() {
    assert_eq!(
        problems_of(
            "\u{feff}---\r\nname: pdf\r\ndescription: >-\r\n  a\r\n  --- b\r\n---\r\nbody\r\n"
        ),
        ""
    );
}
