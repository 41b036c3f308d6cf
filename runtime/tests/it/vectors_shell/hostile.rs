//! Text that nobody would type: no panic, no long wait, and nothing denied becomes allowed by another way to write it.

use std::time::{Duration, Instant};

use helve::permission::{Mode, Rule, Rules, shell};

use crate::vectors_shell::bash::{judge, judge_with, word};
use crate::vectors_shell::corpora::{EVASIONS, EVERYDAY, lines};

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit.max(1)
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}

const PIECES: [&str; 40] = [
    "rm", "ls", "$(", ")", "`", "'", "\"", "\\", "\n", ";", "&", "|", "&&", "||", "<<", "<<<", "<",
    ">", ">>", "{", "}", ",", "*", "?", "[", "]", "$x", "${x", "$'", "(", "((", "if", "then", "fi",
    "EOF", " ", "é", "\u{0}", "=", "!",
];

#[test]
fn random_text_is_judged_without_a_panic() {
    let corpus: Vec<String> = lines(EVASIONS).into_iter().chain(lines(EVERYDAY)).collect();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..20_000 {
        let mut text: String = if round % 2 == 0 {
            (0..dice.below(24)).map(|_| *dice.pick(&PIECES)).collect()
        } else {
            dice.pick(&corpus).clone()
        };
        for _ in 0..dice.below(4) {
            let at = (0..=dice.below(text.len() + 1))
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            if dice.below(2) == 0 {
                let piece: &str = dice.pick::<&str>(&PIECES);
                text.insert_str(at, piece);
            } else {
                text.truncate(at);
            }
        }
        let parts = shell::covers("rm:*", &text).parts().len();
        let checked = shell::check(&helve::ToolContext::new(), &text);
        assert_eq!(parts, checked.parts.len(), "{text:?}");
        let _ = shell::suggest(&text);
    }
}

#[test]
fn huge_text_is_judged_in_bounded_time() {
    let texts = [
        "a".repeat(1 << 20),
        "ls ".repeat(350_000),
        ";".repeat(1_000_000),
        "(".repeat(10_000),
        format!("{}ls{}", "(".repeat(10_000), ")".repeat(10_000)),
        "$(".repeat(10_000),
        "\"$(".repeat(5_000),
        "${x:-".repeat(5_000),
        "{a,b}".repeat(5_000),
        "{".repeat(20_000),
        "`".repeat(20_001),
        "<<A ".repeat(5_000),
        "if ls; then ".repeat(4_000),
        "ls | ".repeat(10_000),
        "sudo ".repeat(12_000),
        "env -S '".repeat(5_000),
        "f() { ".repeat(5_000),
        "[[ ( ".repeat(5_000),
        "$((".repeat(10_000),
        "a=$(".repeat(5_000),
        format!("eval {}", "eval ".repeat(10_000)),
        format!("rm {}", "*".repeat(30_000)),
    ];
    for text in texts {
        let begun = Instant::now();
        let verdict = judge(Mode::Default, &text).verdict;
        let shown: String = text.chars().take(20).collect();
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "{shown}: {:?}",
            begun.elapsed()
        );
        assert_ne!(word(&verdict), "allow", "{shown}");
    }
}

/// Other ways to write the same words.
fn written_otherwise(dice: &mut Dice, command: &str) -> String {
    let words: Vec<String> = command
        .split(' ')
        .map(|word| match dice.below(7) {
            0 if word.len() > 1 => format!("{}''{}", &word[..1], &word[1..]),
            1 => format!("'{word}'"),
            2 => format!("\"{word}\""),
            3 if word.starts_with(|c: char| c.is_ascii_alphabetic()) => format!("\\{word}"),
            4 => {
                let escaped: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
                format!("$'{escaped}'")
            }
            _ => word.to_owned(),
        })
        .collect();
    let blank: &str = dice.pick::<&str>(&[" ", "  ", "\t", " \\\n "]);
    let command = words.join(blank);
    match dice.below(9) {
        0 => format!("ls && {command}"),
        1 => format!("ls; {command}"),
        2 => format!("ls & {command}"),
        3 => format!("ls\n{command}"),
        4 => format!("sudo {command}"),
        5 => format!("timeout 5 {command}"),
        6 => format!("FOO=1 {command}"),
        7 => format!("( {command} )"),
        _ => command,
    }
}

#[test]
fn what_is_denied_stays_denied_however_it_is_written() {
    let commands = [
        "rm x",
        "git push origin main",
        "npm publish",
        "curl http://x",
        "dd if=a of=b",
        "chmod 644 x",
    ];
    let mut dice = Dice(42);
    for _ in 0..2_000 {
        let command = *dice.pick(&commands);
        let program = command.split(' ').next().unwrap();
        let rules = Rules::new()
            .deny(Rule::calls("Bash", format!("{program}:*")))
            .allow(Rule::tool("Bash"));
        let text = written_otherwise(&mut dice, command);
        let verdict = judge_with(Mode::Bypass, rules, &text).verdict;
        assert_eq!(word(&verdict), "deny", "{text:?}");
    }
}

#[test]
fn a_suggested_rule_never_admits_another_program() {
    let all: Vec<String> = lines(EVASIONS).into_iter().chain(lines(EVERYDAY)).collect();
    let acting: Vec<&String> = all.iter().filter(|line| !shell::only_reads(line)).collect();
    let mut suggested: Vec<String> = all.iter().flat_map(|line| shell::suggest(line)).collect();
    suggested.sort();
    suggested.dedup();
    for rule in suggested.iter().step_by(2) {
        let wanted = rule.trim_end_matches(":*");
        for other in ["rm x", "sh -c 'rm x'", "curl x"] {
            for command in [
                format!("{wanted} && {other}"),
                format!("{wanted}; {other}"),
                format!("{wanted} | {other}"),
                format!("{wanted}\n{other}"),
                format!("{wanted} $({other})"),
                format!("sudo {wanted}"),
            ] {
                let program = other.split(' ').next().unwrap();
                if wanted.starts_with(program) {
                    continue;
                }
                let verdict =
                    judge_with(Mode::Default, Rules::new().allow(rule_of(rule)), &command).verdict;
                assert_ne!(word(&verdict), "allow", "{rule} {command}");
            }
        }
        let program = format!("{}:*", wanted.split(' ').next().unwrap());
        for line in acting.iter().step_by(5) {
            let verdict =
                judge_with(Mode::Default, Rules::new().allow(rule_of(rule)), line).verdict;
            if word(&verdict) == "allow" {
                assert!(shell::covers(&program, line).covers_any(), "{rule} {line}");
            }
        }
    }
    println!(
        "{} rules are suggested, {} command lines held against each",
        suggested.len(),
        acting.len()
    );
}

fn rule_of(content: &str) -> Rule {
    Rule::calls("Bash", content)
}
