helve::include_skills!("skills/name_not_ascii", profile = "mcp");

fn main() {}
