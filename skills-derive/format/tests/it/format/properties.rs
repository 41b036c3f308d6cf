//! Property tests: any input is read in bounded time and without a panic.

use std::time::{Duration, Instant};

use helve_skill_format::{
    Profile, Value, allowed_tools, invisible_characters, limits, parse, read_skill,
};
use proptest::prelude::*;

const PROFILES: [Profile; 4] = [
    Profile::Spec,
    Profile::SkillsRef,
    Profile::Mcp,
    Profile::Lenient,
];

/// Generates pieces of front matter and Markdown, so that random texts pass the first checks.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "---",
        "\n",
        "name: pdf",
        "description: ",
        ": ",
        " #",
        "- ",
        "  ",
        "\t",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "](",
        "|",
        ">",
        "\"",
        "'",
        "&a ",
        "*a",
        "!!str ",
        "x",
        "é",
        "\u{feff}",
        "\u{200b}",
        "\r\n",
        "`",
        "```",
        "%20",
        "../",
        "\0",
        "? ",
        "...",
        "metadata:",
        "allowed-tools: Bash(git *)",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_read(text in prop_oneof![any::<String>(), pieces(), pieces().prop_map(|text| format!("---\n{text}\n---\n{text}"))]) {
        for profile in PROFILES {
            let parsed = parse(&text, Some("pdf"), profile);
            prop_assert!(text.is_char_boundary(parsed.body_start));
            // A rejected text has a problem, and an accepted one has all that a catalogue displays.
            if !parsed.has_errors() {
                let name = parsed.name.unwrap();
                prop_assert!(!name.is_empty() && !name.contains(['/', '\\', '.', ' ', '\n']), "{name}");
                prop_assert!(!parsed.description.unwrap().trim().is_empty());
            }
        }
    }

    #[test]
    fn what_the_specification_accepts_a_lenient_host_does(text in pieces().prop_map(|text| format!("---\nname: pdf\ndescription: d\n{text}\n---\n"))) {
        let (strict, lenient) = (parse(&text, Some("pdf"), Profile::Spec), parse(&text, Some("pdf"), Profile::Lenient));
        if !strict.has_errors() {
            prop_assert!(!lenient.has_errors());
            prop_assert_eq!((strict.name, strict.description), (lenient.name, lenient.description));
        }
    }

    #[test]
    fn a_list_of_tools_reads_back_as_itself(tools in prop::collection::btree_set("[A-Za-z_]{1,8}(\\([a-z *:,-]{0,12}\\))?", 0..6), comma in any::<bool>()) {
        let tools: Vec<String> = tools.into_iter().collect();
        let joined = tools.join(if comma { ", " } else { " " });
        prop_assert_eq!(&allowed_tools(&Value::Text(joined.clone())), &tools);
        prop_assert_eq!(&allowed_tools(&Value::Text(format!("[{joined}]"))), &tools);
        let list = Value::List(tools.iter().cloned().map(Value::Text).collect());
        prop_assert_eq!(&allowed_tools(&list), &tools);
    }

    #[test]
    fn any_tools_are_split_once_and_for_all(text in "[a-zA-Z(),* \\[\\]\"']{0,40}") {
        let once = allowed_tools(&Value::Text(text));
        prop_assert!(once.iter().all(|tool| !tool.is_empty() && tool.trim() == tool));
    }

    #[test]
    fn invisible_characters_stand_where_they_are_said_to(text in any::<String>()) {
        for (at, character) in invisible_characters(&text) {
            prop_assert!(text[at..].starts_with(character));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("pdf");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("SKILL.md"), bytes).unwrap();
        for profile in PROFILES {
            let options = helve_skill_format::Options::new().profile(profile);
            let collection = read_skill(&folder, "pdf", &options);
            prop_assert_eq!(collection.skills.is_empty(), collection.has_errors());
        }
    }
}

#[test]
fn the_worst_texts_take_no_time_to_speak_of() {
    let room = limits::MAX_FRONT_MATTER - 100;
    let body = usize::try_from(limits::MAX_SKILL_MD).unwrap() - 200;
    let in_front = |yaml: String| format!("---\nname: pdf\n{yaml}\n---\n");
    let behind = |unit: &str| {
        format!(
            "---\nname: pdf\ndescription: d\n---\n{}",
            unit.repeat(body / unit.len())
        )
    };
    let keys: String = (0..room / 9).map(|key| format!("k{key:05}:\n")).collect();
    let colons: String = (0..room / 12)
        .map(|key| format!("k{key:05}: a: b\n"))
        .collect();
    let worst = [
        in_front("[".repeat(room)),
        in_front(format!("a: é{}", "[],".repeat(room / 3))),
        in_front("- ".repeat(room / 2)),
        in_front(format!("a: \"{}", "x".repeat(room))),
        in_front(format!("a: {}", "x: ".repeat(room / 3))),
        in_front(format!("a:\n{}", "  b: &a c\n".repeat(room / 10))),
        in_front("#".repeat(room)),
        in_front(keys),
        in_front(colons),
        behind("]("),
        behind("`"),
        behind("` `` ``` "),
        behind("[a]: "),
        behind("[x](../../x.md) "),
        behind("\u{200b}"),
        behind("\n"),
        behind(&format!("{}\n", "](".repeat(8_000))),
    ];
    for (index, text) in worst.iter().enumerate() {
        for profile in PROFILES {
            let start = Instant::now();
            let parsed = parse(text, Some("pdf"), profile);
            assert!(text.is_char_boundary(parsed.body_start));
            let took = start.elapsed();
            // Far above the unoptimised duration, and far below that of a quadratic algorithm.
            assert!(took < Duration::from_secs(10), "text {index}: {took:?}");
        }
    }
}
