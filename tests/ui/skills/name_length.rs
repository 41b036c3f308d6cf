helve::include_skills!("skills/name_length");

fn main() {}
