//! Pages of PDF documents.

use std::fmt::Write as _;

use libtest_mimic::Trial;
use serde_json::json;

use crate::runtime::run;
use crate::support::Tree;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        Trial::test("pages::shows_the_text_of_pages", || {
            run(shows_the_text_of_pages())
        }),
        Trial::test("pages::says_what_is_wrong_with_a_document", || {
            run(says_what_is_wrong_with_a_document())
        }),
        #[cfg(feature = "documents")]
        Trial::test("pages::are_indexed_in_a_worker", || {
            run(are_indexed_in_a_worker())
        }),
    ]
}

/// Writes a document with a line of text on each page; `more` goes into its trailer.
pub(crate) fn document(pages: usize, more: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..pages).map(|n| format!("{} 0 R", 4 + n * 2)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {pages} >>",
            kids.join(" ")
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for n in 0..pages {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + n * 2
        ));
        let text = format!("BT /F1 12 Tf 72 720 Td (This is page {}) Tj ET", n + 1);
        objects.push(format!(
            "<< /Length {} >>\nstream\n{text}\nendstream",
            text.len()
        ));
    }
    let mut out = String::from("%PDF-1.4\n");
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        let _ = write!(out, "{} 0 obj\n{object}\nendobj\n", index + 1);
    }
    let start = out.len();
    let _ = write!(out, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for offset in offsets {
        let _ = writeln!(out, "{offset:010} 00000 n ");
    }
    let _ = write!(
        out,
        "trailer\n<< /Size {} /Root 1 0 R {more} >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    );
    out.into_bytes()
}

async fn shows_the_text_of_pages() {
    let tree = Tree::new(&[("a.txt", "a\n")]);
    tree.write("a.pdf", document(23, ""));
    let pages = |pages: &'static str| tree.read(json!({ "path": "a.pdf", "pages": pages }));
    insta::assert_snapshot!(pages("2-3").await, @r#"
    --- page 2 ---
    This is page 2
    --- page 3 ---
    This is page 3
    [pages 2 to 3 of 23; go on with pages="4-23"]
    "#);
    insta::assert_snapshot!(pages("23").await, @"
    --- page 23 ---
    This is page 23
    [pages 23 to 23 of 23]
    ");
    insta::assert_snapshot!(pages("22-99").await, @"
    --- page 22 ---
    This is page 22
    --- page 23 ---
    This is page 23
    [pages 22 to 23 of 23]
    ");
    insta::assert_snapshot!(pages("24").await, @"failed: `a.pdf` has 23 pages; give `pages` from 1 to 23");
    insta::assert_snapshot!(pages("1-40").await, @"failed: `pages` names 23 pages, and at most 20 are read at once; read the rest with another call");
    insta::assert_snapshot!(pages("x").await, @r#"failed: `pages` is "x"; write a page from 1 on, such as "3", or a range, such as "1-5""#);
    insta::assert_snapshot!(pages("24-99").await, @"failed: `a.pdf` has 23 pages; give `pages` from 1 to 23");
    insta::assert_snapshot!(pages("3-4294967295").await, @"failed: `pages` names 21 pages, and at most 20 are read at once; read the rest with another call");
    let all = tree.read(json!({ "path": "a.pdf" })).await;
    assert!(all.starts_with("--- page 1 ---\nThis is page 1\n"), "{all}");
    assert!(
        all.ends_with("[pages 1 to 20 of 23; go on with pages=\"21-23\"]\n"),
        "{all}"
    );
    insta::assert_snapshot!(tree.read(json!({ "path": "a.txt", "pages": "1" })).await, @"failed: `a.txt` is no PDF document, so it has no pages; give `offset` and `limit` instead of `pages`");
    let cx = tree.builder().result_budget(100).build();
    let answer = tree
        .call_in(&cx, "read_file", json!({ "path": "a.pdf" }))
        .await;
    assert!(
        answer.contains("page 3") && answer.contains("go on with pages=\"4-23\""),
        "{answer}"
    );
}

async fn says_what_is_wrong_with_a_document() {
    let tree = Tree::new(&[]);
    let key = "0".repeat(64);
    let encrypt = format!(
        "/Encrypt << /Filter /Standard /V 1 /R 2 /O <{key}> /U <{key}> /P -4 >> /ID [<00> <00>]"
    );
    tree.write("secret.pdf", document(1, &encrypt));
    let mut cut = document(3, "");
    cut.truncate(300);
    tree.write("cut.pdf", cut);
    tree.write("none.pdf", b"%PDF-1.7 \0");
    tree.write(
        "deep.pdf",
        document(1, &format!("/X {}", "[".repeat(2_000_000))),
    );
    let mut large = document(1, "");
    large.resize(21 << 20, b' ');
    tree.write("large.pdf", large);
    insta::assert_snapshot!(tree.read(json!({ "path": "secret.pdf" })).await, @"failed: `secret.pdf` is a PDF document that is encrypted with a password; ask the user for a copy without one");
    for path in ["cut.pdf", "none.pdf", "deep.pdf"] {
        let answer = tree.read(json!({ "path": path })).await;
        assert!(
            answer.starts_with(&format!(
                "failed: `{path}` is a PDF document that cannot be read: "
            )),
            "{answer}"
        );
    }
    insta::assert_snapshot!(tree.read(json!({ "path": "large.pdf" })).await, @"failed: `large.pdf` is a PDF document of more than 21.0 MB, which is too large to be read here");
    let write = json!({ "path": "none.pdf", "content": "x" });
    let answer = tree.call("write_file", write).await;
    assert!(answer.contains("was not read"), "{answer}");
}

/// `index_folder` reads documents as `read_file` does: some pages in each worker, and one that cannot be read is left out.
#[cfg(feature = "documents")]
async fn are_indexed_in_a_worker() {
    let tree = Tree::new(&[("a.txt", "This is no page.\n")]);
    tree.write("a.pdf", document(23, ""));
    let mut cut = document(3, "");
    cut.truncate(300);
    tree.write("cut.pdf", cut);
    let index = tempfile::tempdir().unwrap();
    let mut state = helve::State::new();
    state.insert(helve::text_index::TextIndex::open(index.path()).unwrap());
    let cx = tree.builder().app(std::sync::Arc::new(state)).build();
    let tools = helve_tools::documents();
    let call = async |tool: &str, arguments: serde_json::Value| {
        crate::support::whole(tools.call(tool, &arguments.to_string(), &cx).await)
    };
    let indexed = call("index_folder", json!({})).await;
    assert!(
        indexed.starts_with("`.` is indexed: 2 files, of which 2 are new or changed (24 passages), and 0 were removed.\nNot indexed: 1 (`cut.pdf` ("),
        "{indexed}"
    );
    let found = call("search_documents", json!({ "query": "\"page 22\"" })).await;
    assert_eq!(
        found,
        "1 passage in `.` matches `\"page 22\"`:\n\na.pdf:page 22\nThis is page 22\n"
    );
}
