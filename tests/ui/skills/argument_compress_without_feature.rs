helve::include_skills!("skills", compress = "zstd");

fn main() {}
