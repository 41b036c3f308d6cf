helve::include_skills!("skills/skill_md_case");

fn main() {}
