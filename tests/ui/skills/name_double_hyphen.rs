helve::include_skills!("skills/name_double_hyphen");

fn main() {}
