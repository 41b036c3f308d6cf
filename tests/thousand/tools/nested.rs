//! The other signatures: enums, tuples, defaults, constraints, recursion, methods.

use super::*;

tools! {
    #[tool(read_only)]
    fn (
        /// Which direction.
        direction: Direction,
        /// Which colours.
        colours: Vec<Colour>,
        /// Which level, or nothing.
        level: Option<Colour>,
    ) {
        echo([("direction", json!(direction)), ("colours", json!(colours)), ("level", json!(level))])
    }
        words_00 words_01 words_02 words_03 words_04 words_05 words_06 words_07 words_08 words_09 words_10
        words_11 words_12 words_13 words_14 words_15 words_16 words_17 words_18 words_19 words_20 words_21
        words_22 words_23 words_24 words_25 words_26 words_27 words_28 words_29 words_30 words_31 words_32
        words_33 words_34 words_35 words_36 words_37 words_38 words_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// A name and its number.
        pair: (String, u8),
        /// Three coordinates.
        point: (f64, f64, f64),
        /// Some spans.
        spans: Vec<(u16, u16)>,
    ) {
        json!({ "pair": pair, "point": point, "spans": spans })
    }
        tuples_00 tuples_01 tuples_02 tuples_03 tuples_04 tuples_05 tuples_06 tuples_07 tuples_08 tuples_09
        tuples_10 tuples_11 tuples_12 tuples_13 tuples_14 tuples_15 tuples_16 tuples_17 tuples_18 tuples_19
        tuples_20 tuples_21 tuples_22 tuples_23 tuples_24 tuples_25 tuples_26 tuples_27 tuples_28 tuples_29
        tuples_30 tuples_31 tuples_32 tuples_33 tuples_34 tuples_35 tuples_36 tuples_37 tuples_38 tuples_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// How often.
        #[arg(default = 3)]
        times: u32,
        /// Which colour.
        #[arg(default)]
        colour: Colour,
        /// Which name.
        #[arg(default = "nobody")]
        name: &str,
        /// Some names.
        #[arg(default = vec!["one".to_owned()])]
        names: Vec<String>,
        /// How much.
        #[arg(default = -0.5)]
        much: f64,
    ) {
        json!({ "times": times, "colour": colour, "name": name, "names": names, "much": much })
    }
        defaults_00 defaults_01 defaults_02 defaults_03 defaults_04 defaults_05 defaults_06 defaults_07
        defaults_08 defaults_09 defaults_10 defaults_11 defaults_12 defaults_13 defaults_14 defaults_15
        defaults_16 defaults_17 defaults_18 defaults_19 defaults_20 defaults_21 defaults_22 defaults_23
        defaults_24 defaults_25 defaults_26 defaults_27 defaults_28 defaults_29 defaults_30 defaults_31
        defaults_32 defaults_33 defaults_34 defaults_35 defaults_36 defaults_37 defaults_38 defaults_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// A share.
        #[arg(min = 0, max = 1)]
        share: f64,
        /// A month.
        #[arg(min = 1, max = 12)]
        month: u8,
        /// A temperature.
        #[arg(min = -40, max = 60.5)]
        degrees: f32,
        /// A page, or nothing.
        #[arg(min = 1)]
        page: Option<i64>,
        /// Below zero.
        #[arg(max = -1)]
        debt: i32,
    ) {
        echo([("share", json!(share)), ("month", json!(month)), ("degrees", json!(degrees)), ("page", json!(page)), ("debt", json!(debt))])
    }
        ranges_00 ranges_01 ranges_02 ranges_03 ranges_04 ranges_05 ranges_06 ranges_07 ranges_08 ranges_09
        ranges_10 ranges_11 ranges_12 ranges_13 ranges_14 ranges_15 ranges_16 ranges_17 ranges_18 ranges_19
        ranges_20 ranges_21 ranges_22 ranges_23 ranges_24 ranges_25 ranges_26 ranges_27 ranges_28 ranges_29
        ranges_30 ranges_31 ranges_32 ranges_33 ranges_34 ranges_35 ranges_36 ranges_37 ranges_38 ranges_39
}

tools! {
    #[tool(read_only)]
    fn (
        /// A short name.
        #[arg(min_len = 2, max_len = 5)]
        name: &str,
        /// A few numbers.
        #[arg(min_len = 1, max_len = 3)]
        numbers: Vec<i16>,
        /// At most two entries.
        #[arg(max_len = 2)]
        entries: BTreeMap<String, bool>,
        /// At least one character, or nothing.
        #[arg(min_len = 1)]
        note: Option<String>,
    ) {
        echo([("name", json!(name)), ("numbers", json!(numbers)), ("entries", json!(entries)), ("note", json!(note))])
    }
        lengths_00 lengths_01 lengths_02 lengths_03 lengths_04 lengths_05 lengths_06 lengths_07 lengths_08
        lengths_09 lengths_10 lengths_11 lengths_12 lengths_13 lengths_14 lengths_15 lengths_16 lengths_17
        lengths_18 lengths_19 lengths_20 lengths_21 lengths_22 lengths_23 lengths_24 lengths_25 lengths_26
        lengths_27 lengths_28 lengths_29 lengths_30 lengths_31 lengths_32 lengths_33 lengths_34 lengths_35
        lengths_36 lengths_37 lengths_38 lengths_39
}

tools! {
    #[tool(read_only)]
    fn (
        /// A day.
        #[arg(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
        day: &str,
        /// A word in lower case.
        #[arg(pattern = "^[a-z]{1,8}$", max_len = 8)]
        word: String,
        /// A number of a part, or nothing.
        #[arg(pattern = "^[A-Z]-[0-9]+$")]
        part: Option<String>,
    ) {
        echo([("day", json!(day)), ("word", json!(word)), ("part", json!(part))])
    }
        patterns_00 patterns_01 patterns_02 patterns_03 patterns_04 patterns_05 patterns_06 patterns_07
        patterns_08 patterns_09 patterns_10 patterns_11 patterns_12 patterns_13 patterns_14 patterns_15
        patterns_16 patterns_17 patterns_18 patterns_19 patterns_20 patterns_21 patterns_22 patterns_23
        patterns_24 patterns_25 patterns_26 patterns_27 patterns_28 patterns_29 patterns_30 patterns_31
        patterns_32 patterns_33 patterns_34 patterns_35 patterns_36 patterns_37 patterns_38 patterns_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// How far.
        distance: Metres,
        /// Who.
        user: UserId,
        /// Who else.
        others: Vec<UserId>,
        /// A label, or nothing.
        label: Label,
    ) {
        echo([("distance", json!(distance)), ("user", json!(user)), ("others", json!(others)), ("label", json!(label))])
    }
        newtypes_00 newtypes_01 newtypes_02 newtypes_03 newtypes_04 newtypes_05 newtypes_06 newtypes_07
        newtypes_08 newtypes_09 newtypes_10 newtypes_11 newtypes_12 newtypes_13 newtypes_14 newtypes_15
        newtypes_16 newtypes_17 newtypes_18 newtypes_19 newtypes_20 newtypes_21 newtypes_22 newtypes_23
        newtypes_24 newtypes_25 newtypes_26 newtypes_27 newtypes_28 newtypes_29 newtypes_30 newtypes_31
        newtypes_32 newtypes_33 newtypes_34 newtypes_35 newtypes_36 newtypes_37 newtypes_38 newtypes_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// The root.
        tree: Tree,
        /// What to compute, or nothing.
        sum: Option<Sum>,
    ) {
        echo([("tree", json!(tree)), ("sum", json!(sum))])
    }
        recursive_00 recursive_01 recursive_02 recursive_03 recursive_04 recursive_05 recursive_06
        recursive_07 recursive_08 recursive_09 recursive_10 recursive_11 recursive_12 recursive_13
        recursive_14 recursive_15 recursive_16 recursive_17 recursive_18 recursive_19 recursive_20
        recursive_21 recursive_22 recursive_23 recursive_24 recursive_25 recursive_26 recursive_27
        recursive_28 recursive_29 recursive_30 recursive_31 recursive_32 recursive_33 recursive_34
        recursive_35 recursive_36 recursive_37 recursive_38 recursive_39
}

tools! {
    #[tool(blocking, read_only)]
    fn (
        /// A text.
        text: &str,
        /// Some places.
        places: &[Place],
        /// A colour, or nothing.
        colour: Option<Colour>,
    ) {
        echo([("text", json!(text)), ("places", json!(places)), ("colour", json!(colour))])
    }
        blocking_00 blocking_01 blocking_02 blocking_03 blocking_04 blocking_05 blocking_06 blocking_07
        blocking_08 blocking_09 blocking_10 blocking_11 blocking_12 blocking_13 blocking_14 blocking_15
        blocking_16 blocking_17 blocking_18 blocking_19 blocking_20 blocking_21 blocking_22 blocking_23
        blocking_24 blocking_25 blocking_26 blocking_27 blocking_28 blocking_29 blocking_30 blocking_31
        blocking_32 blocking_33 blocking_34 blocking_35 blocking_36 blocking_37 blocking_38 blocking_39
}

tools! {
    #[tool(read_only)]
    async fn () {
        json!({})
    }
        nothing_00 nothing_01 nothing_02 nothing_03 nothing_04 nothing_05 nothing_06 nothing_07 nothing_08
        nothing_09 nothing_10 nothing_11 nothing_12 nothing_13 nothing_14 nothing_15 nothing_16 nothing_17
        nothing_18 nothing_19 nothing_20 nothing_21 nothing_22 nothing_23 nothing_24 nothing_25 nothing_26
        nothing_27 nothing_28 nothing_29 nothing_30 nothing_31 nothing_32 nothing_33 nothing_34 nothing_35
        nothing_36 nothing_37 nothing_38 nothing_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// Renamed, flattened, closed, with defaults of serde's.
        settings: Settings,
        /// Called otherwise by the model.
        #[arg(name = "dry-run")]
        dry: Option<bool>,
    ) {
        echo([("settings", json!(settings)), ("dry-run", json!(dry))])
    }
        attributes_00 attributes_01 attributes_02 attributes_03 attributes_04 attributes_05 attributes_06
        attributes_07 attributes_08 attributes_09 attributes_10 attributes_11 attributes_12 attributes_13
        attributes_14 attributes_15 attributes_16 attributes_17 attributes_18 attributes_19 attributes_20
        attributes_21 attributes_22 attributes_23 attributes_24 attributes_25 attributes_26 attributes_27
        attributes_28 attributes_29 attributes_30 attributes_31 attributes_32 attributes_33 attributes_34
        attributes_35 attributes_36 attributes_37 attributes_38 attributes_39
}

tools! {
    #[tool(read_only)]
    async fn (
        /// How many.
        count: u32,
        scale: &Scale,
        missing: Option<&Absent>,
        cx: &ToolContext,
    ) {
        { assert!(missing.is_none() && cx.deadline().is_none()); json!({ "count": count, "scaled": u64::from(count) * scale.factor }) }
    }
        hosted_00 hosted_01 hosted_02 hosted_03 hosted_04 hosted_05 hosted_06 hosted_07 hosted_08 hosted_09
        hosted_10 hosted_11 hosted_12 hosted_13 hosted_14 hosted_15 hosted_16 hosted_17 hosted_18 hosted_19
        hosted_20 hosted_21 hosted_22 hosted_23 hosted_24 hosted_25 hosted_26 hosted_27 hosted_28 hosted_29
        hosted_30 hosted_31 hosted_32 hosted_33 hosted_34 hosted_35 hosted_36 hosted_37 hosted_38 hosted_39
}

methods! {
    Scale (
        &self,
        /// How many.
        count: u32,
        /// A colour.
        #[arg(default)]
        colour: Colour,
    ) {
        json!({ "count": count, "colour": colour, "scaled": u64::from(count) * self.factor })
    }
        methods_00 methods_01 methods_02 methods_03 methods_04 methods_05 methods_06 methods_07 methods_08
        methods_09 methods_10 methods_11 methods_12 methods_13 methods_14 methods_15 methods_16 methods_17
        methods_18 methods_19 methods_20 methods_21 methods_22 methods_23 methods_24 methods_25 methods_26
        methods_27 methods_28 methods_29 methods_30 methods_31 methods_32 methods_33 methods_34 methods_35
        methods_36 methods_37 methods_38 methods_39
}
