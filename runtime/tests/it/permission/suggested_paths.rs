//! Which rule is suggested for a path.

use helve_runtime::permission::paths;

use crate::permission::fixture::context;

#[test]
fn a_path_that_names_a_folder_suggests_that_folder_and_no_more() {
    for (path, rule) in [
        ("dir/", "dir/**"),
        ("a/b/c/", "a/b/c/**"),
        ("/tmp/x//", "/tmp/x/**"),
        ("a/b/.", "a/b/**"),
        ("./", "./**"),
        ("a/../b/", "b/**"),
        ("~/notes/", "~/notes/**"),
        ("dir", "./**"),
        ("a/b/c", "a/b/**"),
        ("/", "/**"),
    ] {
        assert_eq!(paths::suggest(path).as_deref(), Some(rule), "{path}");
    }
}

#[test]
fn what_reads_as_a_pattern_is_escaped() {
    let cx = context();
    for (path, rule, other) in [
        ("app/[id]/page.tsx", r"app/\[id]/**", "app/i/page.tsx"),
        (
            "app/[...all]/page.tsx",
            r"app/\[...all]/**",
            "app/a/page.tsx",
        ),
        ("/srv/a*b/x", r"/srv/a\*b/**", "/srv/aXb/x"),
        ("what?/x", r"what\?/**", "whatX/x"),
        (r"back\slash/x", r"back\\slash/**", "backslash/x"),
    ] {
        let suggested = paths::suggest(path);
        assert_eq!(suggested.as_deref(), Some(rule), "{path}");
        assert!(paths::covers(&cx, rule, path).covers_all(), "{rule} {path}");
        assert!(
            !paths::covers(&cx, rule, other).covers_all(),
            "{rule} {other}"
        );
    }
    assert_eq!(
        paths::suggest_folder("app/[id]").as_deref(),
        Some(r"app/\[id]/**")
    );
}

#[test]
fn a_folder_called_like_home_is_not_home() {
    let cx = context();
    let rule = paths::suggest("./~/x").unwrap();
    assert!(paths::covers(&cx, &rule, "./~/x").covers_all(), "{rule}");
    assert!(!paths::covers(&cx, &rule, "~/x").covers_all(), "{rule}");
}

#[cfg(all(feature = "files", unix))]
#[test]
fn a_working_folder_whose_name_reads_as_a_pattern_is_that_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("[id]");
    std::fs::create_dir(&root).unwrap();
    let grants = helve_runtime::capability::Grants {
        files: Some(std::sync::Arc::new(
            helve_runtime::sandbox::LocalFs::new(&root).unwrap(),
        )),
        ..helve_runtime::capability::Grants::default()
    };
    let cx = helve_runtime::tool::ToolContext::builder()
        .home("/home/[me]")
        .grants(grants)
        .build();
    let whole = root.join("src/a.rs");
    for (rule, path) in [
        ("src/**", "src/a.rs"),
        ("./**", "a.rs"),
        ("src/a.rs", "src/a.rs"),
        ("~/notes/**", "~/notes/x"),
        ("src/*.rs", whole.to_str().unwrap()),
    ] {
        assert!(paths::covers(&cx, rule, path).covers_all(), "{rule} {path}");
    }
    let other = folder.path().join("i/src/a.rs");
    assert!(!paths::covers(&cx, "src/**", other.to_str().unwrap()).covers_all());
}
