helve::include_skills!("skills", compress = "gzip");

fn main() {}
