helve::include_skills!("skills/nul");

fn main() {}
