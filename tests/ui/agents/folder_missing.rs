helve::include_agents!("agents/folder_missing");

fn main() {}
