helve::include_skills!("skills/tab", profile = "skills-ref");

fn main() {}
