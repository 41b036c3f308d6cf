//! Names, lists and arguments.

use std::time::Duration;

use helve_runtime::sandbox::{
    Exit, OutputStream, ProcessSpec, ReadOutput, SandboxError, Signal, TerminalSize,
};

use crate::sandbox_suite::fixture::{Fixture, TIMEOUT, exit_of, id, run, sh};

pub(crate) async fn an_id_is_started_once(place: Fixture) {
    let sandbox = place.open().await;
    let status = sandbox.start(sh("one", "echo first")).await.unwrap();
    assert_eq!((status.id, status.argv.len()), (id("one"), 3));
    for _ in 0..2 {
        let again = sandbox.start(sh("one", "echo second")).await.unwrap_err();
        assert!(matches!(again, SandboxError::ProcessExists { id: taken } if taken == id("one")));
        assert_eq!(exit_of(&*sandbox, "one").await, Exit::Code(0));
    }
    assert_eq!(sandbox.list().await.unwrap().len(), 1);
}

pub(crate) async fn an_unknown_program_does_not_start(place: Fixture) {
    let sandbox = place.open().await;
    for program in [
        "no-such-program-here",
        "/no/such/program",
        "./no-such-program",
    ] {
        let spec = ProcessSpec::new(id("missing"), [program]);
        let error = sandbox.start(spec).await.unwrap_err();
        assert!(
            matches!(&error, SandboxError::ProgramNotFound { program: named, .. } if named == program),
            "{error:?}"
        );
    }
    // What is wrong with the arguments says nothing of the program.
    let too_long = ProcessSpec::new(id("long"), ["true", &"x".repeat(140_000)]);
    for spec in [ProcessSpec::new(id("zero"), ["true", "a\0b"]), too_long] {
        let started = sandbox.start(spec).await;
        assert!(
            !matches!(started, Err(SandboxError::ProgramNotFound { .. })),
            "{started:?}"
        );
    }
    let nothing = ProcessSpec::new(id("missing"), Vec::<String>::new());
    assert!(sandbox.start(nothing).await.is_err());
    // The name is still free, since nothing ran under it.
    assert_eq!(
        run(&*sandbox, sh("missing", "exit 3")).await.exit,
        Exit::Code(3)
    );
}

pub(crate) async fn nobody_knows_an_unknown_process(place: Fixture) {
    let sandbox = place.open().await;
    let nobody = id("nobody");
    let read = ReadOutput {
        process: nobody.clone(),
        stream: OutputStream::Stdout,
        offset: 0,
        max: 10,
        wait: TIMEOUT,
    };
    let size = TerminalSize {
        rows: 1,
        columns: 1,
    };
    let answers = [
        sandbox.read(read).await.map(drop),
        sandbox.write(&nobody, vec![1], false).await,
        sandbox.resize(&nobody, size).await,
        sandbox.signal(&nobody, Signal::Kill).await,
        sandbox.status(&nobody, TIMEOUT).await.map(drop),
    ];
    for answer in answers {
        let error = answer.unwrap_err();
        assert!(
            matches!(error, SandboxError::UnknownProcess { .. }),
            "{error:?}"
        );
    }
}

pub(crate) async fn processes_are_listed_in_the_order_of_their_starts(place: Fixture) {
    let sandbox = place.open().await;
    assert_eq!(sandbox.list().await.unwrap(), []);
    for name in ["z", "a", "m"] {
        sandbox.start(sh(name, "exec sleep 600")).await.unwrap();
    }
    sandbox.signal(&id("a"), Signal::Kill).await.unwrap();
    exit_of(&*sandbox, "a").await;
    let list = sandbox.list().await.unwrap();
    let told: Vec<_> = list
        .iter()
        .map(|status| (status.id.as_str(), status.exit.clone()))
        .collect();
    assert_eq!(
        told,
        [("z", None), ("a", Some(Exit::Signal(9))), ("m", None)]
    );
}

pub(crate) async fn arguments_arrive_as_they_are(place: Fixture) {
    let sandbox = place.open().await;
    let odd = [
        "",
        " ",
        "a b",
        "'\"`$(id)",
        "line\nbreak",
        "é☂",
        "-n",
        "*",
        "\\",
    ];
    let mut argv = vec!["sh", "-c", "printf '<%s>' \"$@\"", "name"];
    argv.extend(odd);
    let ran = run(&*sandbox, ProcessSpec::new(id("odd"), argv)).await;
    let expected: String = odd.iter().map(|word| format!("<{word}>")).collect();
    assert_eq!((ran.stdout, ran.exit), (expected, Exit::Code(0)));
}

pub(crate) async fn many_run_at_once(place: Fixture) {
    let sandbox = place.open().await;
    for number in 0..20 {
        let script = format!("read go; echo {number}");
        let mut spec = sh(&format!("n{number}"), &script);
        spec.stdin = helve_runtime::sandbox::Stdin::Open;
        sandbox.start(spec).await.unwrap();
    }
    for number in (0..20).rev() {
        let name = id(&format!("n{number}"));
        let status = sandbox.status(&name, Duration::ZERO).await.unwrap();
        assert_eq!(status.exit, None);
        sandbox.write(&name, b"go\n".to_vec(), true).await.unwrap();
        assert_eq!(exit_of(&*sandbox, name.as_str()).await, Exit::Code(0));
    }
}
