helve::include_skills!("skills/description_length");

fn main() {}
