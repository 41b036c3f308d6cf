helve::include_skills!("skills/case_collision");

fn main() {}
