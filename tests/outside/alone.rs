//! A static program alone: in an empty root, and in an empty folder.

use std::fs;
use std::process::Command;

use crate::building::{Build, run};
use crate::{FILE_TOOLS_AND_OWN, STRANGER};

/// A target on which linking libc statically is possible without a cross compiler.
const STATIC_TARGET: &str = "x86_64-unknown-linux-gnu";

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
fn a_static_binary_works_alone_in_an_empty_root() {
    let app = Build {
        target: Some(STATIC_TARGET),
        rustflags: "-C target-feature=+crt-static",
        // A second build of TLS in C would take longer than all else here.
        small: true,
        ..STRANGER
    }
    .run();
    let root = tempfile::tempdir().expect("a folder for the root");
    fs::copy(&app.0, root.path().join("stranger")).expect("the program can be copied");
    let Some(chroot) = chroot() else {
        println!("ran nothing: neither `chroot` nor `unshare -r chroot` is allowed here");
        return;
    };
    let inside = |arguments: &[&str]| {
        let mut command = Command::new(chroot[0]);
        command.args(&chroot[1..]).arg(root.path()).arg("/stranger");
        run(command.args(arguments))
    };
    let tools = inside(&["tools"]).succeeded();
    assert_eq!(tools.names(), FILE_TOOLS_AND_OWN);
    let parcels = r#"[{"grams": 1000, "to": {"street": "Main Street 1"}}]"#;
    let price = inside(&["call", "price", "--parcels", parcels]).succeeded();
    assert_eq!(price.out, "{\"cents\":200,\"to\":\"Main Street 1\"}\n");
    let note = root.path().join("note");
    fs::write(note, "one\ntwo\n").expect("the note can be written");
    let grep = inside(&["call", "grep", "--pattern", "tw", "--path", "."]).succeeded();
    assert!(grep.out.contains("two"), "{}", grep.out);
    let size = inside(&["call", "size", "--path", "stranger"]).succeeded();
    let expected = fs::metadata(&app.0).expect("the program is there").len();
    assert_eq!(size.out, format!("{expected}\n"));
    let outside = inside(&["call", "size", "--path", "../etc/passwd"]);
    assert_eq!(outside.code, Some(1), "{outside:?}");
}

/// Finds a way to change the root that is allowed here: as root, or as root of a user namespace.
fn chroot() -> Option<&'static [&'static str]> {
    let ways: [&[&str]; 2] = [&["chroot"], &["unshare", "-r", "chroot"]];
    ways.into_iter().find(|way| {
        // `/` is a root in which anything that works outside works.
        Command::new(way[0])
            .args(&way[1..])
            .args(["/", "true"])
            .output()
            .is_ok_and(|output| output.status.success())
    })
}
