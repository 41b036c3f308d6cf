helve::include_skills!("skills/skill_md_missing");

fn main() {}
