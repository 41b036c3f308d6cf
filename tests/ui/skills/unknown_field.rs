helve::include_skills!("skills/unknown_field", profile = "skills-ref");

fn main() {}
