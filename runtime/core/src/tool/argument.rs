//! The argument types that a model can supply.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, Visitor};

/// A type that the model can supply as an argument: it has a schema ([`JsonSchema`]) and can be deserialised
/// ([`Deserialize`]).
///
/// Implemented for every type that derives both; [`#[helve::data]`](macro@crate::data) derives them.
#[diagnostic::on_unimplemented(
    message = "the model cannot supply a value of type `{Self}`",
    label = "not a tool argument",
    note = "put `#[helve::data]` on your own type (or derive `serde::Deserialize` and `schemars::JsonSchema`); take host state by reference: `&{Self}`"
)]
pub trait ToolArg: Send + Sized + 'static {
    #[doc(hidden)]
    const KIND: ParameterKind;
    /// The kind of a list of this type, so that errors about `&[T]` refer to `T`.
    #[doc(hidden)]
    const LIST: ParameterKind;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolArg for T {
    const KIND: ParameterKind = ParameterKind::owned::<T>();
    const LIST: ParameterKind = ParameterKind::owned::<Vec<T>>();
}

/// A type that `#[arg(default)]` can create.
#[diagnostic::on_unimplemented(
    message = "`#[arg(default)]` takes the `Default` of `{Self}`, which has none",
    label = "has no `Default`",
    note = "derive `Default` (an enum marks a variant with `#[default]`), or write the value: `#[arg(default = …)]`"
)]
pub trait DefaultTrait {
    /// Creates the default.
    fn make() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> DefaultTrait for T {
    fn make() -> Self {
        T::default()
    }
}

/// A type that `#[arg(default = "text")]` can create.
#[diagnostic::on_unimplemented(
    message = "a text cannot become the default of a `{Self}`",
    label = "not a `{Self}`",
    note = "write a value of that type: `#[arg(default = …)]` takes any expression"
)]
pub trait DefaultText {
    /// Creates the default.
    fn make(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> DefaultText for T {
    fn make(text: &'static str) -> Self {
        text.into()
    }
}

/// The functions that the shared parser uses for a parameter's type; instantiated once per type and crate, not once
/// per tool.
#[derive(Debug, Clone, Copy)]
pub struct ParameterKind {
    /// Parses one value from the start of a text into a slot and returns its end.
    pub(crate) fill: for<'a> fn(&mut Slot<'_, 'a>, &'a str) -> serde_json::Result<usize>,
    /// Fills the slot of an omitted argument, if the type allows that.
    pub(crate) fill_missing: fn(&mut Slot<'_, '_>) -> bool,
    /// Generates the schema of a value.
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    /// Creates the storage that keeps a value for later.
    pub(crate) new_storage: fn() -> Box<dyn Any + Send>,
    /// Swaps the stored value and the value in a slot.
    pub(crate) exchange: fn(&mut (dyn Any + Send), &mut Slot<'_, '_>),
}

impl ParameterKind {
    /// `&str`: borrowed from the text of the call if the JSON string has no escapes.
    pub const TEXT: Self = Self {
        fill: fill_text,
        fill_missing: |_| false,
        schema: schema::<String>,
        new_storage: new_storage::<Cow<'static, str>>,
        exchange: exchange_text,
    };

    /// `Option<&str>`.
    pub const OPTIONAL_TEXT: Self = Self {
        fill: fill_optional_text,
        fill_missing: |_| true,
        schema: schema::<Option<String>>,
        new_storage: new_storage::<Cow<'static, str>>,
        exchange: exchange_text,
    };

    const fn owned<T: DeserializeOwned + JsonSchema + Send + 'static>() -> Self {
        Self {
            fill: fill::<T>,
            fill_missing: missing::<T>,
            schema: schema::<T>,
            new_storage: new_storage::<T>,
            exchange: exchange::<T>,
        }
    }

    /// Reports whether a call may omit the parameter.
    pub(crate) fn is_optional(&self) -> bool {
        (self.fill_missing)(&mut Slot::Probe)
    }
}

/// The destination of an argument: a local variable of the generated function, without unsafe code.
pub enum Slot<'s, 'a> {
    /// An `Option<T>` of an owned type.
    Value(&'s mut dyn Any),
    /// A text that may be borrowed from the text of the call.
    Text(&'s mut Option<Cow<'a, str>>),
    /// No destination: the parser only determines whether the argument may be omitted.
    Probe,
}

impl<'s, 'a> Slot<'s, 'a> {
    /// Creates a slot for a local variable.
    pub fn value<T: Any>(slot: &'s mut Option<T>) -> Self {
        Self::Value(slot)
    }

    pub(crate) fn set<T: Any>(&mut self, value: T) {
        if let Self::Value(slot) = self
            && let Some(slot) = slot.downcast_mut::<Option<T>>()
        {
            *slot = Some(value);
        }
    }

    /// Sets a text; a slot that outlives the text of the call must own it.
    #[inline]
    pub(crate) fn set_text(&mut self, value: Cow<'a, str>) {
        match self {
            Self::Text(slot) => **slot = Some(value),
            Self::Value(_) => self.set::<Cow<'static, str>>(Cow::Owned(value.into_owned())),
            Self::Probe => {}
        }
    }
}

impl fmt::Debug for Slot<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value(_) => "Slot::Value",
            Self::Text(_) => "Slot::Text",
            Self::Probe => "Slot::Probe",
        })
    }
}

/// Parses one value and returns its end; the caller parses the rest.
#[inline]
fn read<'a, T: Deserialize<'a>>(text: &'a str) -> serde_json::Result<(T, usize)> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = T::deserialize(&mut json)?;
    // Only the iterator over the rest exposes the position; the iterator is not run.
    Ok((value, json.into_iter::<de::IgnoredAny>().byte_offset()))
}

fn fill<T: DeserializeOwned + 'static>(
    slot: &mut Slot<'_, '_>,
    text: &str,
) -> serde_json::Result<usize> {
    let (value, end) = read::<T>(text)?;
    slot.set(value);
    Ok(end)
}

fn missing<T: DeserializeOwned + 'static>(slot: &mut Slot<'_, '_>) -> bool {
    match T::deserialize(MissingDeserializer) {
        Ok(value) => {
            slot.set(value);
            true
        }
        Err(MissingValueError) => false,
    }
}

fn new_storage<T: Any + Send>() -> Box<dyn Any + Send> {
    Box::new(None::<T>)
}

fn exchange<T: Any>(kept: &mut (dyn Any + Send), slot: &mut Slot<'_, '_>) {
    if let Slot::Value(slot) = slot
        && let Some(slot) = slot.downcast_mut::<Option<T>>()
        && let Some(kept) = kept.downcast_mut::<Option<T>>()
    {
        std::mem::swap(kept, slot);
    }
}

fn exchange_text(kept: &mut (dyn Any + Send), slot: &mut Slot<'_, '_>) {
    if let Slot::Text(slot) = slot
        && let Some(kept) = kept.downcast_mut::<Option<Cow<'static, str>>>()
    {
        let text = slot.take().map(|text| Cow::Owned(text.into_owned()));
        **slot = std::mem::replace(kept, text);
    }
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn fill_text<'a>(slot: &mut Slot<'_, 'a>, text: &'a str) -> serde_json::Result<usize> {
    let (BorrowedStr(value), end) = read::<BorrowedStr<'a>>(text)?;
    slot.set_text(value);
    Ok(end)
}

fn fill_optional_text<'a>(slot: &mut Slot<'_, 'a>, text: &'a str) -> serde_json::Result<usize> {
    let (value, end) = read::<Option<BorrowedStr<'a>>>(text)?;
    if let Some(BorrowedStr(value)) = value {
        slot.set_text(value);
    }
    Ok(end)
}

/// A string that is borrowed if possible, unlike serde's own `Cow`.
struct BorrowedStr<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for BorrowedStr<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BorrowedStrVisitor;
        impl<'de> Visitor<'de> for BorrowedStrVisitor {
            type Value = BorrowedStr<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(BorrowedStr(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(BorrowedStr(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(BorrowedStrVisitor)
    }
}

/// The deserializer of a missing value: only an `Option`, under any name or in any wrapper, can be deserialised from
/// it.
struct MissingDeserializer;

/// A required value is missing.
#[derive(Debug, thiserror::Error)]
#[error("a value is missing")]
struct MissingValueError;

impl de::Error for MissingValueError {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl<'de> Deserializer<'de> for MissingDeserializer {
    type Error = MissingValueError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, MissingValueError> {
        Err(MissingValueError)
    }

    fn deserialize_option<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, MissingValueError> {
        visitor.visit_none()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, MissingValueError> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
