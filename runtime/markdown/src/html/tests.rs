//! What the HTML looks like, and that no text makes it anything else.

use proptest::prelude::*;

use super::{page, render};

#[test]
fn each_element_is_rendered() {
    let text = "# A & B\n\nOne *two* **three** ~~four~~ `5 < 6`\nnext\\\nbreak\n\n> quoted\n\n- [x] done\n- open\n\n3. three\n4. four\n\n```rust,ignore\nlet a = \"<b>\";\n```\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n---\n";
    insta::assert_snapshot!(render(text), @r#"
    <h1>A &amp; B</h1>
    <p>One <em>two</em> <strong>three</strong> <del>four</del> <code>5 &lt; 6</code>
    next<br>
    break</p>
    <blockquote>
    <p>quoted</p>
    </blockquote>
    <ul>
    <li>☑ done</li>
    <li>open</li>
    </ul>
    <ol start="3">
    <li>three</li>
    <li>four</li>
    </ol>
    <pre><code class="language-rust">let a = &quot;&lt;b&gt;&quot;;
    </code></pre>
    <table>
    <tr><th>a</th><th>b</th></tr>
    <tr><td>1</td><td><code>2</code></td></tr>
    </table>
    <hr>
    "#);
}

#[test]
fn html_is_text_and_only_some_addresses_are_links() {
    let text = "<script>alert(1)</script>\n\na <b onclick=\"x()\">b</b>\n\n[web](https://example.com/?a=1&b=2 \"t\") <mailto:a@b.example> [run](javascript:alert(1)) [data](data:text/html,x) [file](/etc/passwd) [Up](JavaScript:x)\n\n![pixel](https://evil.example/p.png) [![alt](https://evil.example/q.png)](https://example.com)\n";
    insta::assert_snapshot!(render(text), @r#"
    <p>&lt;script&gt;alert(1)&lt;/script&gt;
    </p>
    <p>a &lt;b onclick=&quot;x()&quot;&gt;b&lt;/b&gt;</p>
    <p><a href="https://example.com/?a=1&amp;b=2" rel="noopener noreferrer nofollow">web</a> <a href="mailto:a@b.example" rel="noopener noreferrer nofollow">mailto:a@b.example</a> run (javascript:alert(1)) data (data:text/html,x) file (/etc/passwd) Up (JavaScript:x)</p>
    <p>[image: <a href="https://evil.example/p.png" rel="noopener noreferrer nofollow">pixel</a>] <a href="https://example.com" rel="noopener noreferrer nofollow">[image: alt] (https://evil.example/q.png)</a></p>
    "#);
}

#[test]
fn a_page_loads_nothing() {
    let page = page("A <title>", "Hello.");
    insta::assert_snapshot!(page.replace(super::STYLE, "STYLE"), @r#"
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <meta name="viewport" content="width=device-width">
    <title>A &lt;title&gt;</title>
    <style>STYLE</style>
    </head>
    <body>
    <p>Hello.</p>
    </body>
    </html>
    "#);
    assert!(!super::STYLE.contains("url("));
}

/// The elements that may occur, with the attributes that each may have.
const ELEMENTS: [(&str, &[&str]); 23] = [
    ("p", &[]),
    ("h1", &[]),
    ("h2", &[]),
    ("h3", &[]),
    ("h4", &[]),
    ("h5", &[]),
    ("h6", &[]),
    ("pre", &[]),
    ("code", &["class"]),
    ("ol", &["start"]),
    ("ul", &[]),
    ("li", &[]),
    ("a", &["href", "rel"]),
    ("table", &[]),
    ("tr", &[]),
    ("th", &[]),
    ("td", &[]),
    ("blockquote", &[]),
    ("em", &[]),
    ("strong", &[]),
    ("del", &[]),
    ("br", &[]),
    ("hr", &[]),
];

/// Checks that each tag of a text is one of ours, and that the tags are nested.
fn check(html: &str) -> Result<(), String> {
    let mut open = Vec::new();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        check_text(text)?;
        let (tag, after) = after.split_once('>').ok_or("a tag has no end")?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> ends no element"));
            }
            continue;
        }
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let (_, allowed) = ELEMENTS
            .iter()
            .find(|(own, _)| *own == name)
            .ok_or_else(|| format!("the element <{name}>"))?;
        while !attributes.is_empty() {
            let (attribute, value) = attributes.split_once("=\"").ok_or("an attribute")?;
            let (value, more) = value.split_once('"').ok_or("a value has no end")?;
            attributes = more.trim_start();
            if !allowed.contains(&attribute) {
                return Err(format!("the attribute {attribute} of <{name}>"));
            }
            let schemes = ["http://", "https://", "mailto:"];
            let value = value.to_ascii_lowercase();
            if attribute == "href" && !schemes.iter().any(|scheme| value.starts_with(scheme)) {
                return Err(format!("the address {value}"));
            }
        }
        if !matches!(name, "br" | "hr") {
            open.push(name);
        }
    }
    check_text(rest)?;
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("{open:?} are open"))
    }
}

fn check_text(text: &str) -> Result<(), String> {
    let control = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.contains(['>', '"', '\'']) || text.contains(control) {
        Err(format!("the text {text:?}"))
    } else {
        Ok(())
    }
}

/// Parts of Markdown and of HTML that are put together in any order.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("<script>"),
        Just("</script>"),
        Just("<img src=x onerror=alert(1)>"),
        Just("javascript:alert(1)"),
        Just("](javascript:x)"),
        Just("](https://a.example/\"onclick=\"x)"),
        Just("[a]"),
        Just("!["),
        Just("]("),
        Just(")"),
        Just("<https://a.example>"),
        Just("<a@b.example>"),
        Just("`"),
        Just("```"),
        Just("~~~\" onload=x\n"),
        Just("\n"),
        Just("\n\n"),
        Just("    "),
        Just("> "),
        Just("- "),
        Just("1. "),
        Just("# "),
        Just("|a|b|\n|-|-|\n"),
        Just("|"),
        Just("*"),
        Just("**"),
        Just("~~"),
        Just("&lt;"),
        Just("&#60;script&#62;"),
        Just("\\<"),
        Just("<!--"),
        Just("-->"),
        Just("<![CDATA["),
        Just("<?"),
        Just("\0"),
        Just("\u{202e}"),
        Just("\""),
        Just("'"),
        Just("- [ ] "),
        Just("[r]: javascript:x\n"),
        Just("[r]"),
        Just("text"),
        Just("\t"),
        Just("data:text/html,<b>"),
    ];
    proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_text_makes_other_elements(text in hostile()) {
        let html = render(&text);
        prop_assert_eq!(check(&html), Ok(()), "{}", html);
    }

    #[test]
    fn no_random_text_makes_other_elements(text in any::<String>()) {
        let html = render(&text);
        prop_assert_eq!(check(&html), Ok(()), "{}", html);
    }
}
