helve::include_skills!("skills", exclude = [""]);

fn main() {}
