const FOLDER: &str = "agents";

helve::include_agents!(FOLDER);

fn main() {}
