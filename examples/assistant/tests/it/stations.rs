//! Packs under other names, calls that a person makes, and results as people see them.

mod results;

use crate::config::fixture::ConfigFixture;
use crate::terminal::pty::PtyFixture;

const STATIONS: &str = env!("CARGO_BIN_EXE_stations");

fn stations() -> ConfigFixture {
    ConfigFixture::new().with_program(STATIONS)
}

#[test]
fn a_renamed_tool_replaces_what_it_renames() {
    let seen = stations().run(&["call", "--help"]);
    let (_, tools) = seen.split_once("Tools:\n").expect("a list");
    let (tools, _) = tools.split_once("\n\n").expect("an end");
    let tools: Vec<&str> = tools.lines().map(str::trim).collect();
    let expected = [
        "bash",
        "bash_kill",
        "bash_output",
        "db_list_stations",
        "db_measure",
        "delete_station",
        "survey",
        "x_convert",
    ];
    assert_eq!(tools, expected);
}

#[test]
fn a_method_of_a_renamed_pack_has_its_value_and_the_state_of_the_app() {
    let place = stations();
    insta::assert_snapshot!(place.run(&["call", "db_list_stations"]), @r"
    exit 0
    --- stdout
    home, hill
    --- stderr
    calling `db_list_stations` (only reads, low risk) in PLACE/project
    ");
    let measured = place.run(&["call", "db_measure", "--place", r#"{"station": "hill"}"#]);
    insta::assert_snapshot!(measured, @r"
    exit 0
    --- stdout
    21 °C at hill, None m
    --- stderr
    calling `db_measure` (only reads, low risk) in PLACE/project
    ");
}

#[test]
fn what_the_check_of_a_tool_denies_does_not_run() {
    let place = stations();
    for flags in [&["call"][..], &["call", "--yes"]] {
        let seen = place.run(&[flags, &["delete_station", "--name", "home"]].concat());
        insta::allow_duplicates! {
            insta::assert_snapshot!(seen, @r"
            exit 1
            --- stderr
            error: Tool call denied: the station `home` must not be deleted
            ");
        }
    }
}

#[test]
fn a_destructive_call_without_a_terminal_needs_yes() {
    let place = stations();
    insta::assert_snapshot!(place.run(&["call", "delete_station", "--name", "hill"]), @r"
    exit 1
    --- stderr
    error: `delete_station` was not called: it may destroy something that cannot be brought back, and no terminal is attached for the question
    help: run `stations call --yes delete_station …` to call it without a question
    ");
    insta::assert_snapshot!(place.run(&["call", "--yes", "delete_station", "--name", "hill"]), @r"
    exit 0
    --- stdout
    deleted hill
    --- stderr
    calling `delete_station` (may destroy something that cannot be brought back, high risk) in PLACE/project
    ");
    let dry = place.run(&["call", "--dry-run", "delete_station", "--name", "hill"]);
    assert!(dry.contains("nothing was done"), "{dry}");
}

#[test]
fn a_destructive_call_is_asked_about_on_a_terminal() {
    let place = PtyFixture::new();
    let call = ["call", "delete_station", "--name", "hill"];
    let mut terminal = place.start_program(STATIONS, &call);
    terminal.wait_for_question("Call delete_station");
    terminal.type_line("n");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 1);
    insta::assert_snapshot!(screen, @r"
      delete_station hill
    ? Call delete_station, which may destroy something that cannot be brought back?
      [y] yes  [n] no
      > n
    error: `delete_station` was not called
    ");

    let mut terminal = place.start_program(STATIONS, &call);
    terminal.wait_for_question("Call delete_station");
    terminal.type_line("y");
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0);
    assert!(screen.contains("deleted hill"), "{screen}");
}

#[test]
fn unknown_keys_of_nested_data_are_mistakes() {
    let place = stations();
    let nested = r#"{"station": "hill", "hight": 2}"#;
    insta::assert_snapshot!(place.run(&["call", "db_measure", "--place", nested]), @r"
    exit 2
    --- stderr
    error: `/place/hight`: expected one of the keys `station`, `height`, got the unknown key `hight` with the number 2; did you mean `height`?
    ");
    // A type that allows them is a response of others, for example.
    let allowed = r#"{"reading": {"celsius": 2.5, "humidity": 40}, "times": 3}"#;
    insta::assert_snapshot!(place.run(&["call", "x_convert", allowed]), @r"
    exit 0
    --- stdout
    7.5
    --- stderr
    calling `x_convert` (only reads, low risk) in PLACE/project
    ");
}

#[test]
fn repairs_are_beside_the_mistakes() {
    let arguments = r#"{"reading": {"celsius": "2.5"}, "times": "often"}"#;
    insta::assert_snapshot!(stations().run(&["call", "x_convert", arguments]), @r#"
    exit 2
    --- stderr
    error: `/times`: expected an integer from 0 to 255, got the string "often"; write the number without quotes
    [repaired: `/reading/celsius`: read the string "2.5" as the number 2.5]
    "#);
}
