//! Prints what building and rendering the schema of a small tool costs. Run it with `--release`.

use std::hint::black_box;
use std::time::Instant;

use helve_runtime::schema::{
    Canonical, Constraints, Dialect, ParameterSchema, explain, input_schema,
};
use schemars::JsonSchema;

fn parameter<T: JsonSchema>(name: &'static str, required: bool) -> ParameterSchema<'static> {
    ParameterSchema {
        name,
        description: "What it is for, in a sentence.",
        schema: |generator| generator.subschema_for::<T>(),
        required,
        default: None,
        examples: Vec::new(),
        constraints: Constraints::NONE,
    }
}

fn build() -> Canonical {
    input_schema(vec![
        parameter::<String>("city", true),
        parameter::<u32>("days", true),
        parameter::<Option<bool>>("metric", false),
    ])
}

fn best(what: &str, mut run: impl FnMut()) {
    const ROUNDS: u32 = 2_000;
    let nanos = (0..20).map(|_| {
        let begun = Instant::now();
        (0..ROUNDS).for_each(|_| run());
        begun.elapsed().as_nanos() / u128::from(ROUNDS)
    });
    println!("{what}: {} ns", nanos.min().unwrap_or_default());
}

fn main() {
    best("build three parameters", || drop(black_box(build())));
    for dialect in Dialect::ALL {
        let mut schemas: Vec<Canonical> = Vec::new();
        best(&format!("build and render {dialect}"), || {
            let schema = build();
            black_box(schema.render(dialect));
            drop(schema);
        });
        schemas.push(build());
        best(&format!("render {dialect} again"), || {
            black_box(schemas[0].render(dialect));
        });
    }
    // The first round pays for fresh memory, as a program's start does.
    for round in 1..=3 {
        let begun = Instant::now();
        let thousand: Vec<Canonical> = (0..1_000).map(|_| build()).collect();
        let bytes: usize = thousand
            .iter()
            .map(|schema| schema.render(Dialect::Mcp).len())
            .sum();
        println!(
            "1,000 tools, built and rendered, round {round}: {:?} for {bytes} bytes",
            begun.elapsed()
        );
    }
    let schema = build();
    best("explain three mistakes", || {
        black_box(explain(&schema, r#"{"citty":"Paris","days":"3"}"#));
    });
}
