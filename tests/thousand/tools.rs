//! A thousand tools: twenty-five signatures, forty names each.
//!
//! Each answers with its own arguments, so that a caller can see whether they arrived.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU16;

use helve::prelude::*;
use serde_json::{Value, json};

use crate::data::*;

/// How many tools there are.
pub(crate) const COUNT: usize = 1_000;

/// Returns what is there as an object, and leaves out what is absent.
fn echo<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let present = entries.into_iter().filter(|(_, value)| !value.is_null());
    present
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Makes one tool of each name, all of one signature.
macro_rules! tools {
    (#$keys:tt async fn $parameters:tt $body:tt $($name:ident)+) => {
        $(
            /// Answers with its arguments.
            #$keys
            async fn $name $parameters -> Value $body
        )+
    };
    (#$keys:tt fn $parameters:tt $body:tt $($name:ident)+) => {
        $(
            /// Answers with its arguments.
            #$keys
            fn $name $parameters -> Value $body
        )+
    };
}

/// Makes one method of each name.
macro_rules! methods {
    ($type:ident $parameters:tt $body:tt $($name:ident)+) => {
        #[tools]
        impl $type {
            $(
                /// Answers with its arguments.
                #[tool(read_only)]
                async fn $name $parameters -> Value $body
            )+
        }
    };
}

// Below the macros, which reach only what follows them.
mod nested;

tools! {
    #[tool(read_only)]
    async fn (
        /// Eight bits.
        a: u8,
        /// Sixteen bits.
        b: u16,
        /// Thirty-two bits.
        c: u32,
        /// Sixty-four bits.
        d: u64,
        /// As wide as an address.
        e: usize,
    ) {
        json!({ "a": a, "b": b, "c": c, "d": d, "e": e })
    }
        unsigned_00 unsigned_01 unsigned_02 unsigned_03 unsigned_04 unsigned_05 unsigned_06 unsigned_07
        unsigned_08 unsigned_09 unsigned_10 unsigned_11 unsigned_12 unsigned_13 unsigned_14 unsigned_15
        unsigned_16 unsigned_17 unsigned_18 unsigned_19 unsigned_20 unsigned_21 unsigned_22 unsigned_23
        unsigned_24 unsigned_25 unsigned_26 unsigned_27 unsigned_28 unsigned_29 unsigned_30 unsigned_31
        unsigned_32 unsigned_33 unsigned_34 unsigned_35 unsigned_36 unsigned_37 unsigned_38 unsigned_39
}

tools! {
    #[tool(read_only)]
    fn (
        /// Eight bits.
        a: i8,
        /// Sixteen bits.
        b: i16,
        /// Thirty-two bits.
        c: i32,
        /// Sixty-four bits.
        d: i64,
        /// As wide as an address.
        e: isize,
    ) {
        json!({ "a": a, "b": b, "c": c, "d": d, "e": e })
    }
        signed_00 signed_01 signed_02 signed_03 signed_04 signed_05 signed_06 signed_07 signed_08 signed_09
        signed_10 signed_11 signed_12 signed_13 signed_14 signed_15 signed_16 signed_17 signed_18 signed_19
        signed_20 signed_21 signed_22 signed_23 signed_24 signed_25 signed_26 signed_27 signed_28 signed_29
        signed_30 signed_31 signed_32 signed_33 signed_34 signed_35 signed_36 signed_37 signed_38 signed_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// A yes or no.
        yes: bool,
        /// One character.
        letter: char,
        /// A short number.
        short: f32,
        /// A long number.
        long: f64,
        /// Never zero.
        positive: NonZeroU16,
    ) {
        json!({ "yes": yes, "letter": letter, "short": short, "long": long, "positive": positive })
    }
        scalars_00 scalars_01 scalars_02 scalars_03 scalars_04 scalars_05 scalars_06 scalars_07 scalars_08
        scalars_09 scalars_10 scalars_11 scalars_12 scalars_13 scalars_14 scalars_15 scalars_16 scalars_17
        scalars_18 scalars_19 scalars_20 scalars_21 scalars_22 scalars_23 scalars_24 scalars_25 scalars_26
        scalars_27 scalars_28 scalars_29 scalars_30 scalars_31 scalars_32 scalars_33 scalars_34 scalars_35
        scalars_36 scalars_37 scalars_38 scalars_39
}

tools! {
    #[tool(read_only)]
    fn (
        /// Borrowed.
        borrowed: &str,
        /// Owned.
        owned: String,
        /// Borrowed, or absent.
        maybe: Option<&str>,
    ) {
        echo([("borrowed", json!(borrowed)), ("owned", json!(owned)), ("maybe", json!(maybe))])
    }
        text_00 text_01 text_02 text_03 text_04 text_05 text_06 text_07 text_08 text_09 text_10 text_11
        text_12 text_13 text_14 text_15 text_16 text_17 text_18 text_19 text_20 text_21 text_22 text_23
        text_24 text_25 text_26 text_27 text_28 text_29 text_30 text_31 text_32 text_33 text_34 text_35
        text_36 text_37 text_38 text_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// A number, or nothing.
        number: Option<u32>,
        /// A flag, or nothing.
        flag: Option<bool>,
        /// Some words, or nothing.
        words: Option<Vec<String>>,
        /// A place, or nothing.
        place: Option<Place>,
    ) {
        echo([("number", json!(number)), ("flag", json!(flag)), ("words", json!(words)), ("place", json!(place))])
    }
        optional_00 optional_01 optional_02 optional_03 optional_04 optional_05 optional_06 optional_07
        optional_08 optional_09 optional_10 optional_11 optional_12 optional_13 optional_14 optional_15
        optional_16 optional_17 optional_18 optional_19 optional_20 optional_21 optional_22 optional_23
        optional_24 optional_25 optional_26 optional_27 optional_28 optional_29 optional_30 optional_31
        optional_32 optional_33 optional_34 optional_35 optional_36 optional_37 optional_38 optional_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// Some words.
        words: Vec<String>,
        /// Some rows of numbers.
        rows: Vec<Vec<i32>>,
        /// Exactly three numbers.
        three: [u8; 3],
        /// Each number once.
        set: BTreeSet<u16>,
    ) {
        json!({ "words": words, "rows": rows, "three": three, "set": set })
    }
        lists_00 lists_01 lists_02 lists_03 lists_04 lists_05 lists_06 lists_07 lists_08 lists_09 lists_10
        lists_11 lists_12 lists_13 lists_14 lists_15 lists_16 lists_17 lists_18 lists_19 lists_20 lists_21
        lists_22 lists_23 lists_24 lists_25 lists_26 lists_27 lists_28 lists_29 lists_30 lists_31 lists_32
        lists_33 lists_34 lists_35 lists_36 lists_37 lists_38 lists_39
}

tools! {
    #[tool(read_only)]
    fn (
        /// Some numbers.
        numbers: &[i64],
        /// Some words.
        words: &[String],
        /// Some places.
        places: &[Place],
    ) {
        json!({ "numbers": numbers, "words": words, "places": places })
    }
        slices_00 slices_01 slices_02 slices_03 slices_04 slices_05 slices_06 slices_07 slices_08 slices_09
        slices_10 slices_11 slices_12 slices_13 slices_14 slices_15 slices_16 slices_17 slices_18 slices_19
        slices_20 slices_21 slices_22 slices_23 slices_24 slices_25 slices_26 slices_27 slices_28 slices_29
        slices_30 slices_31 slices_32 slices_33 slices_34 slices_35 slices_36 slices_37 slices_38 slices_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// A number for each name.
        counts: BTreeMap<String, u32>,
        /// Some names for each number.
        names: BTreeMap<u16, Vec<String>>,
        /// Places by their name, or nothing.
        places: Option<HashMap<String, Place>>,
    ) {
        echo([("counts", json!(counts)), ("names", json!(names)), ("places", json!(places))])
    }
        maps_00 maps_01 maps_02 maps_03 maps_04 maps_05 maps_06 maps_07 maps_08 maps_09 maps_10 maps_11
        maps_12 maps_13 maps_14 maps_15 maps_16 maps_17 maps_18 maps_19 maps_20 maps_21 maps_22 maps_23
        maps_24 maps_25 maps_26 maps_27 maps_28 maps_29 maps_30 maps_31 maps_32 maps_33 maps_34 maps_35
        maps_36 maps_37 maps_38 maps_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// The journey.
        journey: Journey,
        /// Where it starts.
        start: Place,
    ) {
        json!({ "journey": journey, "start": start })
    }
        nested_00 nested_01 nested_02 nested_03 nested_04 nested_05 nested_06 nested_07 nested_08 nested_09
        nested_10 nested_11 nested_12 nested_13 nested_14 nested_15 nested_16 nested_17 nested_18 nested_19
        nested_20 nested_21 nested_22 nested_23 nested_24 nested_25 nested_26 nested_27 nested_28 nested_29
        nested_30 nested_31 nested_32 nested_33 nested_34 nested_35 nested_36 nested_37 nested_38 nested_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// What to draw.
        shape: Shape,
        /// What else to draw.
        others: Vec<Shape>,
    ) {
        json!({ "shape": shape, "others": others })
    }
        tagged_00 tagged_01 tagged_02 tagged_03 tagged_04 tagged_05 tagged_06 tagged_07 tagged_08 tagged_09
        tagged_10 tagged_11 tagged_12 tagged_13 tagged_14 tagged_15 tagged_16 tagged_17 tagged_18 tagged_19
        tagged_20 tagged_21 tagged_22 tagged_23 tagged_24 tagged_25 tagged_26 tagged_27 tagged_28 tagged_29
        tagged_30 tagged_31 tagged_32 tagged_33 tagged_34 tagged_35 tagged_36 tagged_37 tagged_38 tagged_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// What to do.
        command: Command,
        /// What to do then.
        then: Option<Command>,
    ) {
        echo([("command", json!(command)), ("then", json!(then))])
    }
        keyed_00 keyed_01 keyed_02 keyed_03 keyed_04 keyed_05 keyed_06 keyed_07 keyed_08 keyed_09 keyed_10
        keyed_11 keyed_12 keyed_13 keyed_14 keyed_15 keyed_16 keyed_17 keyed_18 keyed_19 keyed_20 keyed_21
        keyed_22 keyed_23 keyed_24 keyed_25 keyed_26 keyed_27 keyed_28 keyed_29 keyed_30 keyed_31 keyed_32
        keyed_33 keyed_34 keyed_35 keyed_36 keyed_37 keyed_38 keyed_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// What happened.
        event: Event,
        /// A name or a number.
        key: Key,
    ) {
        json!({ "event": event, "key": key })
    }
        adjacent_00 adjacent_01 adjacent_02 adjacent_03 adjacent_04 adjacent_05 adjacent_06 adjacent_07
        adjacent_08 adjacent_09 adjacent_10 adjacent_11 adjacent_12 adjacent_13 adjacent_14 adjacent_15
        adjacent_16 adjacent_17 adjacent_18 adjacent_19 adjacent_20 adjacent_21 adjacent_22 adjacent_23
        adjacent_24 adjacent_25 adjacent_26 adjacent_27 adjacent_28 adjacent_29 adjacent_30 adjacent_31
        adjacent_32 adjacent_33 adjacent_34 adjacent_35 adjacent_36 adjacent_37 adjacent_38 adjacent_39
}
