helve::include_skills!("/skills");

fn main() {}
