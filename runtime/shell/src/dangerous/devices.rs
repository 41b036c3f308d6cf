//! Devices, and the files that control the kernel.

use super::arguments::Arguments;
use super::danger::{Danger, danger, fatal, grave};

/// Programs that write the files among their arguments.
const WRITERS: [&str; 9] = [
    "tee", "cp", "mv", "ln", "truncate", "install", "shred", "sponge", "touch",
];

pub(super) fn find(program: &str, arguments: &Arguments<'_, '_>) -> Option<Danger> {
    if program == "find" && is_root_search(arguments) {
        let removes = arguments.has_word(&["-delete"]) || runs_removal(arguments);
        return removes.then(|| grave("it removes everything that it finds from the root on"));
    }
    if !WRITERS.contains(&program) {
        return None;
    }
    arguments.operands().find_map(written_place)
}

pub(super) fn is_root_search(arguments: &Arguments<'_, '_>) -> bool {
    let mut places = arguments
        .texts()
        .take_while(|text| !text.starts_with('-') && !matches!(*text, "!" | "("));
    places.any(|place| matches!(place, "/" | "/*" | "//" | "/."))
}

fn runs_removal(arguments: &Arguments<'_, '_>) -> bool {
    let mut texts = arguments.texts();
    texts.any(|text| matches!(text, "-exec" | "-execdir" | "-ok"))
        && texts
            .next()
            .is_some_and(|program| program.rsplit('/').next() == Some("rm"))
}

/// Returns the danger of writing any data to a path.
pub(crate) fn written_place(path: &str) -> Option<Danger> {
    let path = path.to_ascii_lowercase();
    let path = path.replace("//", "/").replace("/./", "/");
    let is_below = |folder: &str| crate::paths::is_below(&path, folder);
    if writes_device(&path) {
        return Some(fatal("it overwrites a disk"));
    }
    if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
        return Some(danger("it opens a network connection"));
    }
    if is_below("/sys") || is_below("/boot") || is_below("/proc") || is_below("/efi") {
        return Some(grave("it changes the kernel, or what starts it"));
    }
    (path.starts_with("/dev/") && !is_harmless(&path)).then(|| danger("it writes to a device"))
}

fn is_harmless(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero" | "/dev/full"
    ) || path.starts_with("/dev/fd/")
        || path.starts_with("/dev/shm/")
        || path.starts_with("/dev/pts/")
}

/// Reports whether a path is a disk device.
pub(super) fn writes_device(path: &str) -> bool {
    const DISKS: [&str; 14] = [
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "loop", "dm-", "md", "mapper/",
        "sr", "ram",
    ];
    path.strip_prefix("/dev/")
        .is_some_and(|name| DISKS.iter().any(|disk| name.starts_with(disk)))
}
