//! Compressed skills: unpacked when they are first read, and checked.
#![cfg(feature = "skills-zstd")]
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use helve_runtime::__private::CompressedContents;
use helve_runtime::skill::{EmbeddedFile, EmbeddedSkill, SkillCatalog, SkillSet};

helve_runtime::include_skills!("tests/fixtures/packed-skills", compress = "zstd");

const FIELDS: &str = include_str!("../fixtures/packed-skills/packed-pdf/references/fields.md");

fn skill() -> &'static EmbeddedSkill {
    let mut sets = SkillSet::linked();
    let packed = |set: &&SkillSet| set.skills()[0].name() == "packed-pdf";
    &sets.find(packed).unwrap().skills()[0]
}

#[test]
fn what_is_compressed_reads_as_what_is_not() {
    let file = skill().file("references/fields.md").unwrap();
    assert_eq!((file.size(), file.is_utf8()), (FIELDS.len(), true));
    assert_eq!(file.text(), Ok(FIELDS));
    let bytes = file.bytes().unwrap();
    assert_eq!(
        bytes.as_ptr(),
        file.bytes().unwrap().as_ptr(),
        "unpacked once"
    );
    let note = skill().file("references/note.md").unwrap();
    assert_eq!(note.text(), Ok("Short.\n"));
}

#[tokio::test]
async fn a_catalogue_reads_compressed_files() {
    let catalog = SkillCatalog::collect().unwrap();
    let skill = catalog.find("packed-pdf").unwrap();
    let bytes = skill.read("references/fields.md").await.unwrap();
    assert_eq!(bytes, FIELDS.as_bytes());
}

#[test]
fn a_damaged_program_says_so() {
    // An empty frame.
    const EMPTY: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00];

    let file = |packed: &'static [u8], size| {
        let contents = Box::leak(Box::new(CompressedContents::zstd(packed, size)));
        EmbeddedFile::compressed("a.md", contents, [0; 32], false, true)
    };
    let said = |file: EmbeddedFile| file.bytes().unwrap_err().to_string();
    insta::assert_snapshot!(said(file(b"nothing", 1)), @r#"the embedded file `a.md` is corrupt (it does not unpack): the executable was modified; reinstall it"#);
    insta::assert_snapshot!(said(file(EMPTY, 1)), @r#"the embedded file `a.md` is corrupt (its size is another): the executable was modified; reinstall it"#);
    insta::assert_snapshot!(said(file(EMPTY, 0)), @r#"the embedded file `a.md` is corrupt (its SHA-256 is another): the executable was modified; reinstall it"#);
}
