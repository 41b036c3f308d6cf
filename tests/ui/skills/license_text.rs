helve::include_skills!("skills/license_text");

fn main() {}
