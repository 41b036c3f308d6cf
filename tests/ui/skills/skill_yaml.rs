helve::include_skills!("skills/skill_yaml");

fn main() {}
