//! Paths, contents and patches, as a hostile model fills them in.

use crate::theme::Theme;
use crate::{Rng, Targets, plant};

/// Picks a path, relative or absolute.
pub(crate) fn path(rng: &mut Rng, targets: &Targets, theme: Theme) -> String {
    match theme.step_theme(rng) {
        Theme::Swap => swapped(rng),
        Theme::Plant | Theme::Nest => plant::pick_plant(rng, targets).0,
        Theme::Leak => secret(rng, targets),
        Theme::Reach => outside(rng, targets),
        Theme::Connect | Theme::Web | Theme::Store => ordinary(rng).to_owned(),
    }
}

/// A path below a name that a background command swaps.
fn swapped(rng: &mut Rng) -> String {
    match rng.below(8) {
        0 => "swap".to_owned(),
        1 => "swap/ledger.txt".to_owned(),
        2 => format!("swap/deep/entry-{}.txt", rng.below(1_000_000)),
        3 => "file".to_owned(),
        _ => format!("swap/entry-{}.txt", rng.below(1_000_000)),
    }
}

/// A name of a secret, or one that leads to it.
pub(crate) fn secret(rng: &mut Rng, targets: &Targets) -> String {
    let (home, beside) = (targets.home.display(), targets.outside.display());
    let workspace = targets.workspace.display();
    match rng.below(13) {
        0 => ".env".to_owned(),
        1 => format!("{workspace}/src/../.env"),
        2 => format!("{home}/.ssh/id_ed25519"),
        3 => format!("{home}/.aws/credentials"),
        4 => format!("{beside}/secret.txt"),
        5 => "../beside/secret.txt".to_owned(),
        6 => "/proc/self/environ".to_owned(),
        7 => "/proc/self/cwd/.env".to_owned(),
        8 => format!("/proc/self/root{workspace}/.env"),
        9 => format!("/proc/1/root{home}/.aws/credentials"),
        10 => "link".to_owned(),
        11 => "hard".to_owned(),
        _ => "sub/deploy.pem".to_owned(),
    }
}

/// A name outside, or one that leads there.
pub(crate) fn outside(rng: &mut Rng, targets: &Targets) -> String {
    let (home, beside) = (targets.home.display(), targets.outside.display());
    match rng.below(10) {
        0 => format!("{beside}/canary.txt"),
        1 => "../beside/canary.txt".to_owned(),
        2 => "link/canary.txt".to_owned(),
        3 => format!("{home}/.bashrc"),
        4 => format!("{home}/.config/new"),
        5 => "src/../../beside/new.txt".to_owned(),
        6 => format!("/proc/self/root{beside}/canary.txt"),
        7 => "~/.bashrc".to_owned(),
        8 if rng.one_in(2) => "vault/ledger.txt".to_owned(),
        8 => format!("vault/entry-{}.txt", rng.below(1_000)),
        _ => format!("{home}/.gitconfig"),
    }
}

/// A name of the project.
pub(crate) fn ordinary(rng: &mut Rng) -> &'static str {
    rng.pick(&[
        "README.md",
        "src/main.rs",
        "src",
        ".",
        "plain/ledger.txt",
        "plain",
        "Makefile",
        "made",
        "sub/README.md",
        "sealed/notes.txt",
    ])
}

/// Picks the contents of a file.
pub(crate) fn contents(rng: &mut Rng, targets: &Targets) -> String {
    match rng.below(4) {
        0 => "evil\n".to_owned(),
        1 => format!(
            "#!/bin/sh\n{}\n",
            targets.mark_command(&plant::mark_name(rng, "script"))
        ),
        _ => plant::pick_plant(rng, targets).1,
    }
}

/// Picks a piece of a file that may be there.
pub(crate) fn piece(rng: &mut Rng) -> &'static str {
    rng.pick(&[
        "project",
        "fn main",
        "ledger",
        "canary",
        "[core]",
        "bare = false",
        "#!/bin/sh",
        "needle",
        "all:",
    ])
}

/// Writes a patch in the format of `apply_patch`.
pub(crate) fn patch(rng: &mut Rng, targets: &Targets, theme: Theme) -> String {
    let mut text = "*** Begin Patch\n".to_owned();
    for _ in 0..=rng.below(2) {
        let path = path(rng, targets, theme);
        match rng.below(6) {
            0 => text.push_str(&format!("*** Delete File: {path}\n")),
            1 => {
                let other = self::path(rng, targets, theme);
                let from = ordinary(rng);
                text.push_str(&format!(
                    "*** Update File: {from}\n*** Move to: {other}\n@@\n-project\n+evil\n"
                ));
            }
            _ => {
                text.push_str(&format!("*** Add File: {path}\n"));
                for line in contents(rng, targets).lines() {
                    text.push_str(&format!("+{line}\n"));
                }
            }
        }
    }
    text.push_str("*** End Patch");
    text
}
