helve::testing::cases!("tests/cases/*.jsonl", |setup| agent(setup));

fn main() {}
