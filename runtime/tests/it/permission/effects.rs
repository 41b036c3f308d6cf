//! The table of effects, as the code has it.

use helve_runtime::tool::{
    Annotations, Concurrency, DefaultVerdict, DefaultVerdicts, Effects, Risk, SandboxProfile,
};

const HINTS: [Option<bool>; 3] = [Some(true), Some(false), None];
const RISKS: [Risk; 3] = [Risk::Low, Risk::Medium, Risk::High];

fn sign(hint: Option<bool>) -> &'static str {
    match hint {
        Some(true) => "yes",
        Some(false) => "no",
        None => "-",
    }
}

fn word(standing: DefaultVerdict) -> &'static str {
    match standing {
        DefaultVerdict::Allow => "allow",
        DefaultVerdict::Ask => "ask",
        DefaultVerdict::Deny => "deny",
    }
}

fn profile(sandbox: SandboxProfile) -> &'static str {
    match sandbox {
        SandboxProfile::ReadOnly => "read_only",
        SandboxProfile::ReadOnlyNet => "read_only+net",
        SandboxProfile::Workspace => "workspace",
        _ => "workspace+net",
    }
}

/// Writes one row: what is declared, and all that follows.
fn row(declared: Annotations, risk: Risk) -> String {
    let effects = Effects::new(&declared, risk);
    let in_modes = effects.default_verdicts;
    let modes = [
        in_modes.default,
        in_modes.accept_edits,
        in_modes.explore,
        in_modes.bypass,
        in_modes.dont_ask,
    ];
    let runs = match (effects.concurrency, effects.may_rerun) {
        (Concurrency::Parallel, true) => "parallel, again",
        (Concurrency::Parallel, false) => "parallel",
        (Concurrency::Exclusive, true) => "alone, again",
        (Concurrency::Exclusive, false) => "alone",
    };
    let signs = [
        declared.read_only,
        declared.destructive,
        declared.idempotent,
        declared.open_world,
    ];
    let [reads, destroys, repeats, open] = signs.map(sign);
    let hints = serde_json::to_string(&effects.hints).unwrap();
    let hints = hints.replace("Hint", "").replace('"', "");
    format!(
        "{reads:5} {destroys:8} {repeats:7} {open:4} {:6} | {} | {runs:15} | {:13} | {hints}",
        risk.to_string(),
        modes
            .map(|standing| format!("{:5}", word(standing)))
            .join(" "),
        profile(effects.sandbox),
    )
}

/// A hint that is "no" and one that nobody declared differ only in what MCP clients are told.
#[test]
fn the_table() {
    let yes_or_not = [Some(true), None];
    let mut table = vec![
        "reads destroys repeats open risk   | default accept_edits explore bypass dont_ask | runs | sandbox | MCP".to_owned(),
    ];
    for read_only in yes_or_not {
        for open_world in yes_or_not {
            for idempotent in yes_or_not {
                for destructive in yes_or_not {
                    // A reader that destroys or may not be repeated contradicts itself; see below.
                    if read_only == Some(true) && (destructive.is_some() || idempotent.is_some()) {
                        continue;
                    }
                    for risk in RISKS {
                        let hints =
                            Annotations::new(read_only, destructive, idempotent, open_world);
                        table.push(row(hints, risk));
                    }
                }
            }
        }
    }
    insta::assert_snapshot!(table.join("\n"), @r#"
        reads destroys repeats open risk   | default accept_edits explore bypass dont_ask | runs | sandbox | MCP
        yes   -        -       yes  low    | allow allow allow allow allow | parallel, again | read_only+net | {readOnly:true,openWorld:true}
        yes   -        -       yes  medium | allow allow allow allow allow | parallel, again | read_only+net | {readOnly:true,openWorld:true}
        yes   -        -       yes  high   | ask   ask   deny  allow deny  | parallel, again | read_only+net | {readOnly:true,openWorld:true}
        yes   -        -       -    low    | allow allow allow allow allow | parallel, again | read_only     | {readOnly:true}
        yes   -        -       -    medium | allow allow allow allow allow | parallel, again | read_only     | {readOnly:true}
        yes   -        -       -    high   | ask   ask   deny  allow deny  | parallel, again | read_only     | {readOnly:true}
        -     yes      yes     yes  low    | allow allow deny  allow allow | alone, again    | workspace+net | {destructive:true,idempotent:true,openWorld:true}
        -     yes      yes     yes  medium | ask   ask   deny  allow deny  | alone, again    | workspace+net | {destructive:true,idempotent:true,openWorld:true}
        -     yes      yes     yes  high   | ask   ask   deny  allow deny  | alone, again    | workspace+net | {destructive:true,idempotent:true,openWorld:true}
        -     -        yes     yes  low    | allow allow deny  allow allow | alone, again    | workspace+net | {destructive:false,idempotent:true,openWorld:true}
        -     -        yes     yes  medium | ask   ask   deny  allow deny  | alone, again    | workspace+net | {idempotent:true,openWorld:true}
        -     -        yes     yes  high   | ask   ask   deny  allow deny  | alone, again    | workspace+net | {destructive:true,idempotent:true,openWorld:true}
        -     yes      -       yes  low    | allow allow deny  allow allow | alone           | workspace+net | {destructive:true,openWorld:true}
        -     yes      -       yes  medium | ask   ask   deny  allow deny  | alone           | workspace+net | {destructive:true,openWorld:true}
        -     yes      -       yes  high   | ask   ask   deny  allow deny  | alone           | workspace+net | {destructive:true,openWorld:true}
        -     -        -       yes  low    | allow allow deny  allow allow | alone           | workspace+net | {destructive:false,openWorld:true}
        -     -        -       yes  medium | ask   ask   deny  allow deny  | alone           | workspace+net | {openWorld:true}
        -     -        -       yes  high   | ask   ask   deny  allow deny  | alone           | workspace+net | {destructive:true,openWorld:true}
        -     yes      yes     -    low    | allow allow deny  allow allow | alone, again    | workspace     | {destructive:true,idempotent:true}
        -     yes      yes     -    medium | ask   ask   deny  allow deny  | alone, again    | workspace     | {destructive:true,idempotent:true}
        -     yes      yes     -    high   | ask   ask   deny  allow deny  | alone, again    | workspace     | {destructive:true,idempotent:true}
        -     -        yes     -    low    | allow allow deny  allow allow | alone, again    | workspace     | {destructive:false,idempotent:true}
        -     -        yes     -    medium | ask   ask   deny  allow deny  | alone, again    | workspace     | {idempotent:true}
        -     -        yes     -    high   | ask   ask   deny  allow deny  | alone, again    | workspace     | {destructive:true,idempotent:true}
        -     yes      -       -    low    | allow allow deny  allow allow | alone           | workspace     | {destructive:true}
        -     yes      -       -    medium | ask   ask   deny  allow deny  | alone           | workspace     | {destructive:true}
        -     yes      -       -    high   | ask   ask   deny  allow deny  | alone           | workspace     | {destructive:true}
        -     -        -       -    low    | allow allow deny  allow allow | alone           | workspace     | {destructive:false}
        -     -        -       -    medium | ask   ask   deny  allow deny  | alone           | workspace     | {}
        -     -        -       -    high   | ask   ask   deny  allow deny  | alone           | workspace     | {destructive:true}
        "#);
}

fn all() -> impl Iterator<Item = (Annotations, Risk)> {
    let quads = HINTS.into_iter().flat_map(|reads| {
        HINTS.into_iter().flat_map(move |destroys| {
            HINTS.into_iter().flat_map(move |repeats| {
                HINTS.map(move |open| Annotations::new(reads, destroys, repeats, open))
            })
        })
    });
    quads.flat_map(|hints| RISKS.map(|risk| (hints, risk)))
}

#[test]
fn what_a_call_does_is_said_in_words() {
    let yes = Some(true);
    let rows = [
        ("nothing declared", Annotations::NONE),
        ("reads", Annotations::new(yes, None, None, None)),
        ("reads, open", Annotations::new(yes, None, None, yes)),
        (
            "does not only read",
            Annotations::new(Some(false), None, None, None),
        ),
        (
            "destroys nothing",
            Annotations::new(None, Some(false), None, None),
        ),
        ("repeats", Annotations::new(None, None, yes, None)),
        ("open", Annotations::new(None, None, None, yes)),
        ("destroys", Annotations::new(None, yes, None, None)),
        ("destroys, open", Annotations::new(None, yes, None, yes)),
    ];
    let rows = rows.map(|(name, hints)| {
        let effects = Effects::new(&hints, hints.implied_risk());
        format!("{name}: it {}", effects.description)
    });
    insta::assert_snapshot!(rows.join("\n"), @r#"
        nothing declared: it does not say what it changes
        reads: it only reads
        reads, open: it only reads, and may reach the outside world
        does not only read: it changes something
        destroys nothing: it changes something
        repeats: it changes something
        open: it may change something, and may reach the outside world
        destroys: it may destroy something that cannot be brought back
        destroys, open: it may destroy something that cannot be brought back, and may reach the outside world
        "#);
}

#[test]
fn nothing_that_is_not_declared_to_read_runs_where_only_reading_is() {
    for (hints, risk) in all().filter(|(hints, _)| hints.read_only != Some(true)) {
        let effects = Effects::new(&hints, risk);
        assert_eq!(
            effects.default_verdicts.explore,
            DefaultVerdict::Deny,
            "{hints:?}"
        );
        assert_eq!(effects.concurrency, Concurrency::Exclusive, "{hints:?}");
    }
}

#[test]
fn more_risk_never_lets_more_run() {
    let strictness = |standing| match standing {
        DefaultVerdict::Allow => 0,
        DefaultVerdict::Ask => 1,
        DefaultVerdict::Deny => 2,
    };
    for (hints, _) in all() {
        let [low, medium, high] = RISKS.map(|risk| Effects::new(&hints, risk).default_verdicts);
        let each: [fn(DefaultVerdicts) -> DefaultVerdict; 5] = [
            |modes| modes.default,
            |modes| modes.accept_edits,
            |modes| modes.explore,
            |modes| modes.bypass,
            |modes| modes.dont_ask,
        ];
        for of in each {
            assert!(strictness(of(low)) <= strictness(of(medium)));
            assert!(strictness(of(medium)) <= strictness(of(high)));
        }
    }
}

#[test]
fn nobody_is_asked_where_nobody_is_there() {
    for (hints, risk) in all() {
        let standings = Effects::new(&hints, risk).default_verdicts;
        assert_ne!(standings.explore, DefaultVerdict::Ask);
        assert_ne!(standings.dont_ask, DefaultVerdict::Ask);
    }
}

#[test]
fn a_hint_that_is_declared_is_told_as_it_is() {
    for (hints, risk) in all().filter(|(hints, _)| hints.read_only != Some(true)) {
        let told = Effects::new(&hints, risk).hints;
        assert_eq!(told.idempotent, hints.idempotent);
        assert_eq!(told.open_world, hints.open_world);
        assert!(hints.destructive.is_none() || told.destructive == hints.destructive);
    }
}
