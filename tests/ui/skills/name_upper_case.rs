helve::include_skills!("skills/name_upper_case");

fn main() {}
