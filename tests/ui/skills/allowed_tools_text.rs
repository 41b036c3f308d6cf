helve::include_skills!("skills/allowed_tools_text");

fn main() {}
