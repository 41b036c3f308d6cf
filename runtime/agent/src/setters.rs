//! Builder methods that set a field and do nothing else.

/// Defines one such method per line: its name and argument, and after the arrow the field and its value.
macro_rules! setters {
    ($($(#[$attribute:meta])* $name:ident($value:ident: $type:ty) => $field:ident = $set:expr;)*) => {
        $(
            $(#[$attribute])*
            #[must_use]
            pub fn $name(mut self, $value: $type) -> Self {
                self.$field = $set;
                self
            }
        )*
    };
}

pub(crate) use setters;
