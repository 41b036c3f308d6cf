//! The demonstration, as a user sees it in a pipe.

use std::process::{Command, Stdio};

#[test]
fn the_team_writes_tests_and_reviews_a_program() {
    let mut demo = Command::new(env!("CARGO_BIN_EXE_team"));
    demo.arg("demo").stdin(Stdio::null());
    let output = demo.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let folder = env!("CARGO_MANIFEST_DIR").trim_end_matches("/examples/team");
    let text = text.replace(folder, "FOLDER");
    insta::assert_snapshot!(text, @r#"
    The model's messages are recorded; the tools run for real in FOLDER.

    > We need a program that limits a number to the range from 0 to 100.

    The coder begins.

    → task {"agent": "coder", "label": "first version", "prompt": "Write a program that limits a number to the range from…
    → coder: write_program {"text": "100 min"}
    ✓ coder: write_program
        100 min

    ✓ task
        `100 min`
        The address of the task is `t1/1.0`.

    Now the tester.

    → task {"agent": "tester", "label": "test", "prompt": "The program must limit a number to the range from 0 to 100."}
    → tester: run_program {"numbers": [-5, 0, 50, 100, 200]}
    ✓ tester: run_program
        [-5.0,0.0,50.0,100.0,100.0]

    ✓ task
        -5 comes out as -5; expected is 0.
        The address of the task is `t1/2.0`.

    Negative numbers are wrong, so the coder goes on.

    → task {"agent": "coder", "label": "second version", "continue": "t1/1.0", "prompt": "-5 comes out as -5; expected is…
    → coder: write_program {"text": "0 max 100 min"}
    ✓ coder: write_program
        0 max 100 min

    ✓ task
        `0 max 100 min`
        The address of the task is `t1/3.0`.

    → task {"agent": "tester", "label": "second test", "continue": "t1/2.0", "prompt": "The coder has changed the program…
    → tester: run_program {"numbers": [-5, 0, 50, 100, 200]}
    ✓ tester: run_program
        [0.0,0.0,50.0,100.0,100.0]

    ✓ task
        There is none: all five results are right.
        The address of the task is `t1/4.0`.

    The tests pass; the reviewer reads it.

    → task {"agent": "reviewer", "label": "review", "prompt": "Review the program: it limits a number to the range from 0…
    → reviewer: read_program {}
    ✓ reviewer: read_program
        0 max 100 min

    ✓ task
        No word can be left out.
        The address of the task is `t1/5.0`.

    The program is `0 max 100 min`. The first version, `100 min`, let negative numbers through; the tester found it with -5. The second one passes all five tests, and the reviewer finds nothing to leave out.

    — finished
    "#);
    assert!(output.status.success());
}
