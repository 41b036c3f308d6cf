//! What Markdown looks like, and that it looks the same however it came.

use proptest::prelude::*;

use super::*;

const EVERYTHING: &str = "\
# A heading with `code`

Some *emphasis*, **weight**, ~~regret~~ and `code` in a paragraph that is long enough to be broken.
It goes on [here](https://example.org/a), and <https://example.org>.

Setext
------
- one
- two with a [x] that is no task
  and more of it

  a second paragraph

- [x] done
- [ ] open
    - nested
    - deeper
1. first
1. second
   ```rust
   let nested = true;

   more();
   ```
1. third

3) other list

> A quote
> with `code`
> - and a list

| name | what it does | n |
|:-----|:------------:|--:|
| a | something long that has to be broken somewhere | 1 |
| b | x | 22 |

```rust
fn main() {
    // Runs.

    println!(\"{}\", 1);
}
```
***
    indented code

    goes on

<b>html</b>
The end
";

fn render(pieces: &[&str], width: usize, colors: Colors) -> String {
    let mut markdown = Markdown::new(colors);
    let mut finished = Vec::new();
    for piece in pieces {
        markdown.push(piece, width, &mut finished);
        markdown.tail(width);
    }
    markdown.finish(width, &mut finished);
    let mut out = String::new();
    for line in &finished {
        line.write(colors, &mut out);
        out.push('\n');
    }
    out.replace('\u{1b}', "^")
}

#[test]
fn everything_there_is() {
    insta::assert_snapshot!(render(&[EVERYTHING], 50, Colors::None), @r#"
        # A heading with `code`

        Some *emphasis*, **weight**, ~~regret~~ and `code`
        in a paragraph that is long enough to be broken.
        It goes on here (https://example.org/a), and
        https://example.org.

        ## Setext

        • one
        • two with a [x] that is no task and more of it

          a second paragraph

        • [x] done
        • [ ] open
          • nested
          • deeper

        1. first
        2. second
               let nested = true;

               more();
        3. third

        3. other list

        │ A quote with `code`
        │
        │ • and a list

        name                what it does                 n
        ──────────────────────────────────────────────────
        a       something long that has to be broken     1
                             somewhere
        b                        x                      22

            fn main() {
                // Runs.

                println!("{}", 1);
            }

        ────────────────────────────────────────

            indented code

            goes on

        <b>html</b> The end
        "#);
}

#[test]
fn a_narrow_terminal() {
    insta::assert_snapshot!(render(&[EVERYTHING], 24, Colors::None), @r#"
        # A heading with `code`

        Some *emphasis*,
        **weight**, ~~regret~~
        and `code` in a
        paragraph that is long
        enough to be broken. It
        goes on here
        (https://example.org/a),
        and https://example.org.

        ## Setext

        • one
        • two with a [x] that is
          no task and more of it

          a second paragraph

        • [x] done
        • [ ] open
          • nested
          • deeper

        1. first
        2. second
               let nested = true;

               more();
        3. third

        3. other list

        │ A quote with `code`
        │
        │ • and a list

        name   what it does    n
        ────────────────────────
        a     something long   1
              that has to be
                  broken
                somewhere
        b           x         22

            fn main() {
                // Runs.

                println!("{}", 1);
            }

        ────────────────────────

            indented code

            goes on

        <b>html</b> The end
        "#);
}

#[test]
fn styles_are_few() {
    let text =
        "## Head\n\nSome *em*, **strong *both***, `code`, [a link](https://x.y).\n\n- item\n";
    insta::assert_snapshot!(render(&[text], 80, Colors::Terminal), @r#"
        ^[2m## ^[0m^[1mHead^[0m

        Some ^[3mem^[0m, ^[1mstrong ^[0m^[1m^[3mboth^[0m, ^[36mcode^[0m, ^[4ma link^[0m^[2m (https://x.y)^[0m.

        ^[2m• ^[0mitem
        "#);
}

#[test]
fn what_is_not_finished_can_be_seen() {
    let mut markdown = Markdown::new(Colors::None);
    let mut finished = Vec::new();
    let mut push = |text: &str| {
        markdown.push(text, 20, &mut finished);
        let texts = |lines: &[Line]| lines.iter().map(Line::text).collect::<Vec<_>>();
        (texts(&finished), texts(&markdown.tail(20)))
    };
    let none: Vec<String> = Vec::new();
    assert_eq!(push("One *wo"), (none.clone(), vec!["One *wo".to_owned()]));
    let (finished, tail) = push("rd* and another one\nstill\n");
    assert_eq!(finished, none);
    assert_eq!(tail, ["One *word* and", "another one still"]);
    let (finished, tail) = push("\n```\nco");
    assert_eq!(finished, ["One *word* and", "another one still", ""]);
    assert_eq!(tail, ["    co"]);
    let (finished, tail) = push("de\n");
    assert_eq!(finished[3..], ["    code"]);
    assert_eq!(tail, none);
}

#[test]
fn what_is_forgotten_is_not_shown() {
    let mut markdown = Markdown::new(Colors::None);
    let mut finished = Vec::new();
    markdown.push("half a sen", 80, &mut finished);
    markdown.reset();
    markdown.push("whole\n\nand ha", 80, &mut finished);
    markdown.reset();
    markdown.push("new", 80, &mut finished);
    markdown.finish(80, &mut finished);
    let texts: Vec<String> = finished.iter().map(Line::text).collect();
    assert_eq!(texts, ["whole", "new"]);
}

#[test]
fn the_work_is_bounded_however_long_a_block_gets() {
    let line = "word ".repeat(20) + "\n";
    let mut markdown = Markdown::new(Colors::None);
    let mut finished = Vec::new();
    for _ in 0..1_000 {
        markdown.push(&line, 80, &mut finished);
        assert!(markdown.splitter.pending().len() < 20_000);
    }
    assert!(finished.len() > 1_000);
    let endless = "x".repeat(1 << 20);
    markdown.push(&endless, 80, &mut finished);
    assert!(markdown.tail(80).len() <= MAX_TAIL_BYTES / 80 + 2);
}

/// Lines that begin and end every kind of block.
const LINES: [&str; 24] = [
    "",
    "",
    "text",
    "# head",
    "```",
    "```rust",
    "~~~~",
    "- item",
    "  more",
    "    deep",
    "1. one",
    "2. two",
    "7) seven",
    "> quote",
    "> - in quote",
    "| a | b |",
    "|---|---|",
    "---",
    "***",
    "<div>",
    "   ```",
    "  - nested",
    "\ttab",
    "a\r",
];

proptest! {
    #[test]
    fn it_looks_the_same_however_it_comes(
        lines in prop::collection::vec(prop::sample::select(&LINES[..]), 0..24),
        cuts in prop::collection::vec(1_usize..9, 1..20),
    ) {
        let text = lines.join("\n");
        let mut pieces = Vec::new();
        let mut rest = &*text;
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            // Every sign in there is one byte long.
            let end = (*cut).min(rest.len());
            pieces.push(&rest[..end]);
            rest = &rest[end..];
        }
        prop_assert_eq!(
            render(&pieces, 30, Colors::Terminal),
            render(&[&text], 30, Colors::Terminal)
        );
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), width in 0_usize..60) {
        render(&[&text], width, Colors::Terminal);
    }
}
