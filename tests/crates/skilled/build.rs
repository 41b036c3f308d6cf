fn main() {
    helve::build::watch("skills");
}
