helve::include_skills!("skills/indentation", profile = "skills-ref");

fn main() {}
