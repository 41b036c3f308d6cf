//! The signatures of the functions that `#[tool]` names, such as `check`.

/// A function with as many parameters as `Signature` has.
///
/// `Arguments` is a tuple of as many types. The types of the parameters are left to the call, where a reference to a
/// `String` can become a `&str`. Where the bound is not satisfied, the type `Function` is unknown, so that the compiler
/// reports nothing further about the call.
#[diagnostic::on_unimplemented(
    message = "the signature of this function does not fit the tool",
    label = "expected `{Signature}`",
    note = "the function takes the parameters that the model supplies, by reference and in their order, and none that the host supplies"
)]
pub trait FitsSignature<Signature, Arguments, Kind> {
    /// The type itself.
    type Function;

    /// Returns the function itself.
    fn into_function(self) -> Self::Function;
}

/// Returns a function that `#[tool]` names, after a check of the number of its parameters.
#[inline]
pub fn check_signature<Signature, Arguments, F: FitsSignature<Signature, Arguments, Kind>, Kind>(
    function: F,
) -> F::Function {
    function.into_function()
}

/// A kind of function that does not exist.
///
/// The compiler reports the message of [`FitsSignature`] only if it has to choose among several implementations.
pub trait Uncallable {}

impl<Signature, Arguments, F: Uncallable> FitsSignature<Signature, Arguments, ()> for F {
    type Function = F;

    fn into_function(self) -> F {
        self
    }
}

/// The kind of function that exists.
pub enum Callable {}

macro_rules! fits_signature {
    ($($argument:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<Signature, F: Fn($($argument),*) -> Output, Output, $($argument),*>
            FitsSignature<Signature, ($($argument,)*), Callable> for F
        {
            type Function = F;

            #[inline]
            fn into_function(self) -> F {
                self
            }
        }
    };
}

fits_signature!();
fits_signature!(A);
fits_signature!(A B);
fits_signature!(A B C);
fits_signature!(A B C D);
fits_signature!(A B C D E);
fits_signature!(A B C D E G);
fits_signature!(A B C D E G H);
fits_signature!(A B C D E G H I);
