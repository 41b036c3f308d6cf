helve::include_skills!("skills/compatibility_text");

fn main() {}
