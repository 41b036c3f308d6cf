helve::include_agents!("agents/no_agents");

fn main() {}
