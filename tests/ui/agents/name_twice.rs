helve::include_agents!("agents/name_twice");

fn main() {}
