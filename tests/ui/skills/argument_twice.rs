helve::include_skills!("skills", profile = "mcp", profile = "spec");

fn main() {}
