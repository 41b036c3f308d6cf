helve::include_skills!("skills/skill_size", profile = "mcp");

fn main() {}
