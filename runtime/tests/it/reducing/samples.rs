//! Outputs of programs, as they write them.

/// A line for each number, made by a function of it.
pub(crate) fn lines(numbers: std::ops::Range<u32>, line: impl Fn(u32) -> String) -> String {
    numbers.map(|number| line(number) + "\n").collect()
}

pub(crate) fn cargo_that_passes() -> String {
    let tests = lines(0..30, |n| format!("test shapes::case_{n} ... ok"));
    format!(
        "   Compiling shapes v0.1.0 (/work/shapes)\nwarning: unused variable: `x`\n    Finished `test` profile [unoptimized] \
         target(s) in 1.20s\n     Running unittests src/lib.rs (target/debug/deps/shapes-0a1b)\n\nrunning 30 \
         tests\n{tests}\ntest result: ok. 30 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\n   \
         Doc-tests shapes\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; \
         finished in 0.00s\n"
    )
}

pub(crate) fn cargo_that_fails() -> String {
    let tests = lines(0..30, |n| format!("test shapes::case_{n} ... ok"));
    format!(
        "   Compiling shapes v0.1.0 (/work/shapes)\n    Finished `test` profile [unoptimized] target(s) in 1.20s\n     Running \
         unittests src/lib.rs (target/debug/deps/shapes-0a1b)\n\nrunning 31 tests\n{tests}test shapes::area ... \
         FAILED\n\nfailures:\n\n---- shapes::area stdout ----\nside is 3\n\nthread 'shapes::area' panicked at \
         src/lib.rs:12:9:\nassertion `left == right` failed\n  left: 6\n right: 9\n\n\nfailures:\n    shapes::area\n\ntest result: \
         FAILED. 30 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\nerror: test failed, to rerun \
         pass `--lib`\n"
    )
}

pub(crate) fn pytest_that_fails() -> String {
    let tests = lines(0..30, |n| {
        format!("tests/test_shapes.py::test_case_{n} PASSED                 [ {n:2}%]")
    });
    format!(
        "============================= test session starts ==============================\nplatform linux -- Python 3.12.3, \
         pytest-8.3.2, pluggy-1.5.0\nrootdir: /work/shapes\ncollected 31 items\n\n{tests}tests/test_shapes.py::test_area FAILED  \
         [100%]\n\n=================================== FAILURES ===================================\n__________________________________ \
         test_area ___________________________________\n\n    def test_area():\n>       assert area(3) == 9\nE       assert 6 == \
         9\nE        +  where 6 = area(3)\n\ntests/test_shapes.py:4: AssertionError\n=========================== short test summary \
         info ============================\nFAILED tests/test_shapes.py::test_area - assert 6 == \
         9\n========================= 1 failed, 30 passed in 0.12s =========================\n"
    )
}

pub(crate) fn vitest_that_fails() -> String {
    let tests = lines(0..30, |n| format!("   ✓ shapes > case {n} 1ms"));
    format!(
        " RUN  v2.1.1 /work/shapes\n\n ❯ shapes.test.ts (31 tests | 1 failed) 12ms\n{tests}   × shapes > area 4ms\n     → expected 6 \
         to be 9 // Object.is equality\n\n⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  shapes.test.ts > shapes > area\nAssertionError: \
         expected 6 to be 9 // Object.is equality\n\n- Expected\n+ Received\n\n- 9\n+ 6\n\n ❯ shapes.test.ts:5:19\n\n Test Files  1 \
         failed (1)\n      Tests  1 failed | 30 passed (31)\n   Start at  10:00:00\n   Duration  310ms\n"
    )
}

pub(crate) fn go_that_fails() -> String {
    let tests = lines(0..20, |n| {
        format!("=== RUN   TestCase{n}\n--- PASS: TestCase{n} (0.00s)")
    });
    format!(
        "{tests}=== RUN   TestArea\n    shapes_test.go:9: area(3) = 6, want 9\n--- FAIL: TestArea (0.00s)\nFAIL\nFAIL\texample.org/\
         shapes\t0.004s\nok  \texample.org/shapes/paint\t0.003s\nFAIL\n"
    )
}

pub(crate) fn npm_install() -> String {
    let noise = lines(0..20, |n| {
        format!("npm http fetch GET 200 https://registry.npmjs.org/p{n} 12ms")
    });
    format!(
        "{noise}npm warn deprecated inflight@1.0.6: This module is not supported\n\nadded 212 packages, and audited 213 packages in \
         4s\n\n31 packages are looking for funding\n  run `npm fund` for details\n\nfound 0 vulnerabilities\n"
    )
}

pub(crate) fn git_status_short() -> String {
    format!(
        "## main...origin/main [ahead 2]\n{}{}UU src/both.rs\nR  src/old.rs -> src/new.rs\n",
        lines(0..30, |n| format!(" M src/file_{n}.rs")),
        lines(0..5, |n| format!("?? notes/{n}.md")),
    )
}

pub(crate) fn git_status_long() -> String {
    format!(
        "On branch main\nYour branch is ahead of 'origin/main' by 2 commits.\n  (use \"git push\" to publish your local \
         commits)\n\nChanges not staged for commit:\n  (use \"git add <file>...\" to update what will be committed)\n  (use \"git \
         restore <file>...\" to discard changes in working directory)\n{}\nUntracked files:\n  (use \"git add <file>...\" to include in \
         what will be committed)\n{}\nno changes added to commit (use \"git add\" and/or \"git commit -a\")\n",
        lines(0..30, |n| format!("\tmodified:   src/file_{n}.rs")),
        lines(0..2, |n| format!("\tnotes/{n}.md")),
    )
}

pub(crate) fn log() -> String {
    lines(0..400, |n| match n {
        150 => "2026-01-01T00:02:30Z ERROR worker: connection refused by 10.0.0.7".to_owned(),
        _ => format!(
            "2026-01-01T00:00:{:02}Z INFO worker: handled request {n}",
            n % 60
        ),
    })
}

pub(crate) fn numbered(count: u32) -> String {
    lines(1..count + 1, |n| format!("{n:6}\tlet line_{n} = {n};"))
}
