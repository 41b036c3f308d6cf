helve::include_skills!(42);

fn main() {}
