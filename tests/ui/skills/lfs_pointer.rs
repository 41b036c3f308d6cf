helve::include_skills!("skills/lfs_pointer");

fn main() {}
