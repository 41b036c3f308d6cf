helve::include_skills!("skills/skill_md_missing_in_lower_case");

fn main() {}
