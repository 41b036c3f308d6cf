//! Any text: no panic, and time that grows with its length.

use std::time::Instant;

use proptest::prelude::*;

use super::{analysed, word};

const PIECES: [&str; 64] = [
    "ls", "rm x", "echo", "cat", "a", "x=1", "$x", "${x}", "${x%.*}", "${", "$(", ")", "((", "))",
    "$((", "`", "'", "\"", "\\", "\n", "\\\n", ";", ";;", "&", "&&", "|", "||", "|&", "<", ">",
    ">>", "<<", "<<-", "<<<", "E", "E\n", "2>&1", "&>", "{", "}", ",", "..", "~", "*", "?", "[",
    "]", "[[", "]]", "if", "then", "else", "fi", "for", "in", "do", "done", "while", "case",
    "esac", "#", " ", "\t", "é",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn arbitrary_text_does_not_panic(text in any::<String>()) {
        let analysis = analysed(&text);
        prop_assert_eq!(analysis.covers("rm:*").len(), analysis.check().parts.len());
        let _ = analysis.suggestions();
    }

    #[test]
    fn pieces_of_shell_do_not_panic(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24)) {
        let text: String = pieces.concat();
        let analysis = analysed(&text);
        prop_assert_eq!(analysis.covers("rm:*").len(), analysis.check().parts.len());
        let _ = analysis.suggestions();
    }

    #[test]
    fn words_of_real_lines_do_not_panic(
        words in prop::collection::vec((prop::sample::select(real_words()), 0_usize..12), 0..8),
    ) {
        let words = words.iter().map(|(word, at)| match word.char_indices().nth(*at) {
            Some((end, _)) if end > 0 => &word[..end],
            _ => *word,
        });
        let text = words.collect::<Vec<_>>().join(" ");
        let analysis = analysed(&text);
        prop_assert_eq!(analysis.covers("rm:*").len(), analysis.check().parts.len());
    }
}

/// The words of what developers type every day.
fn real_words() -> Vec<&'static str> {
    include_str!("everyday.txt")
        .split_ascii_whitespace()
        .collect()
}

/// A scanner in C looked such characters up outside of its table, and the process was gone.
#[test]
fn characters_beyond_ascii_do_not_crash() {
    for character in ['é', '字', '😀', '\u{10fffd}'] {
        for text in [
            "$(X",
            "$(ls) X",
            "<<X\nX\nX",
            "${X}",
            "${xX",
            "((X))",
            "[[ X ]]",
            "$(ls) <<X",
            "x[X",
            "`X",
            "$X$(",
            "if X",
            "(X=",
            "<<-X $(",
            "$((X",
            "for X in",
            "[X",
            "${x:X",
            "${x/X/",
            "case X in X",
        ] {
            word(&text.replace('X', &character.to_string()));
        }
    }
}

/// Twice the text takes no more than four times as long, and a constant that covers a slow machine.
#[test]
fn time_grows_with_the_length() {
    let texts: [fn(usize) -> String; 16] = [
        |n| "ls;".repeat(n),
        |n| "ls | ".repeat(n),
        |n| "ls && ".repeat(n) + "ls",
        |n| "a ".repeat(n),
        |n| "$(".repeat(n),
        |n| "(".repeat(n),
        |n| "`ls` ".repeat(n),
        |n| "\"$x\" ".repeat(n),
        |n| "{a,b}".repeat(n),
        |n| "cat <<E\nx\nE\n".repeat(n),
        |n| "x=1; ".repeat(n),
        |n| "if ls; then ".repeat(n),
        |n| "for i in 1 2; do ".repeat(n),
        |n| "for i in {1..100}; do ls $i; done; ".repeat(n),
        |n| "# rm x\n".repeat(n),
        |n| "case x in a) ".repeat(n),
    ];
    for (index, text) in texts.iter().enumerate() {
        let time = |n: usize| {
            let text = text(n);
            let begun = Instant::now();
            word(&text);
            begun.elapsed()
        };
        let (short, long) = (time(500), time(2_000));
        assert!(
            long < short * 40 + std::time::Duration::from_secs(5),
            "{index}: {short:?} {long:?}"
        );
    }
}

const PROGRAMS: &[&str] = &[
    "kubectl",
    "docker",
    "gh",
    "git",
    "helm",
    "terraform",
    "npm",
    "cargo",
    "xargs",
    "timeout",
    "env",
    "find",
    "sed",
    "sort",
    "ssh",
    "sudo",
    "nice",
    "stdbuf",
    "gcloud",
    "aws",
    "az",
    "go",
    "pip",
    "yarn",
    "pnpm",
    "bun",
    "make",
    "python3",
    "node",
    "docker compose",
    "podman",
    "systemctl",
    "journalctl",
    "tar",
    "curl",
    "wget",
    "rg",
    "git stash",
    "git log",
    "brew",
    "apt",
    "apt-get",
    "dpkg",
    "rustup",
    "awk",
    "jq",
    "yq",
    "time",
    "command",
    "exec",
    "builtin",
    "bash",
    "sh",
    "eval",
    "trap",
    "test",
    "[",
    "printf",
    "ionice",
    "nohup",
    "setsid",
    "sudo -u",
];

#[test]
fn an_option_without_its_value_does_not_panic() {
    for program in PROGRAMS {
        for letter in ('a'..='z').chain('A'..='Z') {
            word(&format!("{program} -{letter}"));
            word(&format!("{program} -{letter} x"));
            word(&format!("{program} --{letter}="));
        }
        for option in [
            "--context",
            "--namespace",
            "--file",
            "--",
            "-",
            "--git-dir",
            "--user",
            "-C",
            "-c",
        ] {
            word(&format!("{program} {option}"));
        }
    }
}
