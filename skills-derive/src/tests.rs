//! Tests from arguments and a folder to tokens.

use std::fs;

use tempfile::TempDir;

use super::*;

/// Creates a package with two skills that share a file; one of them has a text that compresses well.
fn package() -> TempDir {
    let package = TempDir::new().unwrap();
    for name in ["csv", "pdf"] {
        let folder = package.path().join("skills").join(name);
        fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: {name}\ndescription: d\n---\n");
        fs::write(folder.join("SKILL.md"), text).unwrap();
        fs::write(folder.join("LICENSE"), "MIT").unwrap();
    }
    fs::write(
        package.path().join("skills/pdf/long.md"),
        "long ".repeat(1000),
    )
    .unwrap();
    package
}

fn request(arguments: &str) -> Result<Request, String> {
    let request = syn::parse_str::<Request>(&format!("helve; {arguments}"));
    request.map_err(|errors| {
        let messages: Vec<_> = errors.into_iter().map(|error| error.to_string()).collect();
        messages.join("\n")
    })
}

fn expanded(arguments: &str) -> String {
    let package = package();
    let request = request(arguments).unwrap();
    let text = embed(&request, package.path()).unwrap().to_string();
    let again = embed(&request, package.path()).unwrap().to_string();
    assert_eq!(text, again, "the same skills give the same tokens");
    syn::parse_str::<syn::Item>(&text).unwrap();
    text
}

#[test]
fn the_path_is_relative_and_tidy() {
    assert_eq!(normalise("./skills/"), Ok("skills"));
    assert_eq!(normalise("../shared/skills"), Ok("../shared/skills"));
    assert!(normalise("/skills").is_err());
    assert!(normalise("./").is_err());
}

#[test]
fn arguments_come_in_any_order() {
    let request = request(r#"exclude = ["a", "b/"], "skills", profile = "mcp","#).unwrap();
    assert_eq!(request.folder.value(), "skills");
    assert_eq!(request.profile, helve_skill_format::Profile::Mcp);
    let exclude: Vec<_> = request.exclude.iter().map(LitStr::value).collect();
    assert_eq!(exclude, ["a", "b/"]);
}

#[test]
fn all_wrong_arguments_are_told_at_once() {
    let wrong = request(r#""skills", profil = "spec", exclude = "a", profile = "strict""#);
    insta::assert_snapshot!(wrong.unwrap_err(), @r#"
    unknown argument `profil`; did you mean `profile`?
    expected a list; write `exclude = ["drafts/", "*.psd"]`
    unknown profile `strict`; expected "spec", "skills-ref" or "mcp"
    "#);
}

#[test]
fn equal_files_are_embedded_once_and_all_tracked() {
    let text = expanded(r#""skills""#);
    assert_eq!(text.matches("const BLOB_").count(), 2, "{text}");
    assert_eq!(text.matches("\"LICENSE\" , BLOB_0 ,").count(), 2, "{text}");
    assert!(text.contains("/skills/csv/LICENSE") && text.contains("/skills/pdf/LICENSE"));
}

#[test]
fn only_a_build_with_debug_assertions_knows_the_folder() {
    let text = expanded(r#""skills", exclude = ["drafts/"]"#);
    let (before, after) = text.split_once("SourceFolder {").unwrap();
    assert!(before.contains("# [cfg (debug_assertions)] static SET"));
    assert!(after.contains(r#"exclude : & ["drafts/"]"#), "{after}");
    assert!(after.contains("# [cfg (not (debug_assertions))] static SET"));
}

#[cfg(feature = "zstd")]
#[test]
fn what_shrinks_is_compressed_and_still_tracked() {
    let text = expanded(r#""skills", compress = "zstd""#);
    assert!(text.contains("const BLOB_0 :"), "three bytes do not shrink");
    assert!(
        text.contains("static BLOB_1 : helve :: __private :: Compressed"),
        "{text}"
    );
    assert!(
        text.contains("EmbeddedFile :: compressed (\"long.md\" , & BLOB_1 ,"),
        "{text}"
    );
    assert!(text.contains("/skills/pdf/long.md"));
}
