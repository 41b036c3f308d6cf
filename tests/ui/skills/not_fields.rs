helve::include_skills!("skills/not_fields");

fn main() {}
