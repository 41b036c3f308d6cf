//! From a folder to tokens.

use std::fs;

use tempfile::TempDir;

use super::*;

#[test]
fn the_path_is_relative_and_tidy() {
    assert_eq!(normalise("./skills/"), Ok("skills"));
    assert_eq!(normalise("../shared/skills"), Ok("../shared/skills"));
    assert!(normalise("/skills").is_err());
    assert!(normalise("./").is_err());
}

#[test]
fn equal_files_are_embedded_once_and_all_tracked() {
    let package = TempDir::new().unwrap();
    for name in ["csv", "pdf"] {
        let folder = package.path().join(name);
        fs::create_dir(&folder).unwrap();
        let text = format!("---\nname: {name}\ndescription: d\n---\n");
        fs::write(folder.join("SKILL.md"), text).unwrap();
        fs::write(folder.join("LICENSE"), "MIT").unwrap();
    }
    let skills = helve_skill_format::read(package.path(), "skills", &Options::default()).skills;
    let tokens = || expand::expand(&quote::quote!(helve), "skills", &skills).to_string();
    let text = tokens();
    assert_eq!(text, tokens(), "the same skills give the same tokens");
    assert!(text.contains("const BLOBS : [& [u8] ; 1usize]"), "{text}");
    assert_eq!(text.matches("BLOBS [0usize]").count(), 2);
    assert!(text.contains("/skills/csv/LICENSE") && text.contains("/skills/pdf/LICENSE"));
    syn::parse_str::<syn::Item>(&text).unwrap();
}
