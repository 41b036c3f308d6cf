//! What the compiler says to somebody who made a mistake: one case a rule, whole messages.

#[test]
fn mistakes_are_told_in_our_words_on_the_right_token() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
