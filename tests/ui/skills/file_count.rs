helve::include_skills!("skills/file_count", profile = "mcp");

fn main() {}
