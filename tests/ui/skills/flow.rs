helve::include_skills!("skills/flow", profile = "skills-ref");

fn main() {}
