helve::include_skills!(FOLDER);

fn main() {}
