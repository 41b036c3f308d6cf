helve::include_skills!("skills", profile = Profile::Spec);

fn main() {}
