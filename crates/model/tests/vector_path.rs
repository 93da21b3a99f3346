//! The choice of a compiled form is the whole process's: one test in a process of its own.

use airlink_model::types::{NotOnThisCpu, VectorPath};

#[test]
fn a_choice_holds_until_it_is_taken_back() {
    assert_eq!(VectorPath::current(), VectorPath::best());
    assert_eq!(VectorPath::choose(Some(VectorPath::Portable)), Ok(()));
    assert_eq!(VectorPath::current(), VectorPath::Portable);
    assert!(!VectorPath::is_wide());
    let possible = VectorPath::best() == VectorPath::Avx2;
    let chosen = VectorPath::choose(Some(VectorPath::Avx2));
    assert_eq!(chosen, if possible { Ok(()) } else { Err(NotOnThisCpu) });
    assert_eq!(VectorPath::is_wide(), possible);
    assert_eq!(VectorPath::choose(None), Ok(()));
    assert_eq!(VectorPath::current(), VectorPath::best());
}
