helve::include_skills!();

fn main() {}
