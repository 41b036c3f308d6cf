helve::include_skills!("skills", profil = "mcp");

fn main() {}
