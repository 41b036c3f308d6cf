helve::include_skills!("skills/skill_count");

fn main() {}
