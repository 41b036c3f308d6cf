helve::include_skills!("skills/anchor");

fn main() {}
