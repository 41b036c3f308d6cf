helve::include_skills!("skills/reserved_name");

fn main() {}
