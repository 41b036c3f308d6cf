helve::include_agents!("agents/problems");

fn main() {}
