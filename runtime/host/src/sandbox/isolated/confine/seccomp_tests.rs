//! Tests that the filter in parts decides like all rules in one chain, with fewer steps.

use std::sync::LazyLock;

use proptest::prelude::*;
use seccompiler::{BpfProgram, sock_filter};

use super::{NEWEST_SYSCALL, OuterIsolation, chain, filter, prefix, rules};

/// The input of a filter.
#[derive(Debug, Clone)]
struct Call {
    number: u32,
    architecture: u32,
    arguments: [u64; 6],
}

impl Call {
    fn arg(&self, offset: u32) -> u32 {
        let half = |value: u64, offset: u32| (value >> (8 * (offset % 8))) as u32;
        match offset {
            0 => self.number,
            4 => self.architecture,
            16.. => half(self.arguments[(offset as usize - 16) / 8], offset),
            _ => panic!("nothing of it is asked: {offset}"),
        }
    }
}

/// Runs a program as the kernel does, and returns its result and the number of steps.
fn run(program: &[sock_filter], call: &Call) -> (u32, usize) {
    let (mut at, mut word, mut steps) = (0, 0, 0);
    loop {
        let step = &program[at];
        (at, steps) = (at + 1, steps + 1);
        let jump = |holds: bool| usize::from(if holds { step.jt } else { step.jf });
        match step.code {
            0x20 => word = call.arg(step.k),
            0x54 => word &= step.k,
            0x05 => at += step.k as usize,
            0x15 => at += jump(word == step.k),
            0x25 => at += jump(word > step.k),
            0x35 => at += jump(word >= step.k),
            0x06 => return (step.k, steps),
            other => panic!("no such step: {other:#x}"),
        }
    }
}

fn architecture(program: &BpfProgram) -> u32 {
    let load = program
        .iter()
        .position(|step| step.code == 0x20 && step.k == 4);
    program[load.expect("it looks at the architecture") + 1].k
}

/// Returns the filter in parts, and the filter as one chain.
fn both(around: OuterIsolation) -> (BpfProgram, BpfProgram) {
    let memory = Some(2 << 30);
    let rules = rules(around, memory).expect("rules");
    let mut one = prefix();
    one.extend(chain(rules).expect("a chain"));
    (filter(around, memory).expect("a filter"), one)
}

static BOTH: LazyLock<[(BpfProgram, BpfProgram); 2]> =
    LazyLock::new(|| [OuterIsolation::Namespaces, OuterIsolation::None].map(both));

/// Generates values that rules compare with, and others.
fn argument() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        0..20_u64,
        (0..64_u32).prop_map(|bit| 1 << bit),
        (0..64_u32, 0..64_u32).prop_map(|(one, other)| 1 << one | 1 << other),
        prop::sample::select(vec![
            0x5412,
            0x541c,
            0x5423,
            0xffff_ffff,
            2 << 30,
            (2 << 30) + 1
        ]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn parts_decide_as_one_chain(
        number in 0..NEWEST_SYSCALL + 20,
        arguments in prop::array::uniform6(argument()),
        is_foreign in prop::bool::weighted(0.02),
        is_outside in any::<bool>(),
    ) {
        let (parts, chain) = &BOTH[usize::from(is_outside)];
        let own = architecture(chain);
        let architecture = if is_foreign { own ^ 1 } else { own };
        let call = Call { number, architecture, arguments };
        prop_assert_eq!(run(parts, &call).0, run(chain, &call).0, "{:?}", call);
    }
}

#[test]
fn parts_are_shorter_to_run() {
    let (parts, chain) = both(OuterIsolation::Namespaces);
    let steps = |program: &BpfProgram| -> usize {
        let architecture = architecture(program);
        let calls = (0..=NEWEST_SYSCALL).map(|number| Call {
            number,
            architecture,
            arguments: [0; 6],
        });
        calls.map(|call| run(program, &call).1).sum()
    };
    assert!(
        5 * steps(&parts) < steps(&chain),
        "{} {}",
        steps(&parts),
        steps(&chain)
    );
}
