helve::include_skills!("skills", profile = "lenient");

fn main() {}
