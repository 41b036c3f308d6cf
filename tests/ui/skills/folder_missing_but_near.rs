helve::include_skills!("skills/several_skils");

fn main() {}
