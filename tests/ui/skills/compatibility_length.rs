helve::include_skills!("skills/compatibility_length");

fn main() {}
