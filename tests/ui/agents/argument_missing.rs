helve::include_agents!();

fn main() {}
