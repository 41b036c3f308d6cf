helve::include_skills!("skills/nested_mapping");

fn main() {}
