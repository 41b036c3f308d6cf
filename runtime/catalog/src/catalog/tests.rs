use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::Location;

#[derive(Debug, Clone, PartialEq)]
struct Recipe {
    name: &'static str,
    layer: Layer,
    version: u8,
    is_broken: bool,
}

impl Definition for Recipe {
    type Digest = u8;

    fn name(&self) -> &str {
        self.name
    }

    fn layer(&self) -> Layer {
        self.layer
    }

    fn digest(&self) -> u8 {
        self.version
    }

    fn location(&self) -> Option<Location> {
        (self.layer == Layer::Project).then(|| Location {
            file: "recipes.md".into(),
            line: usize::from(self.version),
        })
    }
}

struct Kitchen {
    may_shadow_embedded: bool,
    excluded: &'static str,
}

impl Rules<Recipe> for Kitchen {
    type Rejection = &'static str;

    fn includes(&self, name: &str) -> bool {
        name != self.excluded
    }

    fn reject(&self, recipe: &Recipe) -> Option<&'static str> {
        recipe.is_broken.then_some("broken")
    }

    fn allows_shadowing_embedded(&self) -> bool {
        self.may_shadow_embedded
    }
}

const LAYERS: [Layer; 6] = [
    Layer::Server,
    Layer::Host,
    Layer::Embedded,
    Layer::Configured,
    Layer::User,
    Layer::Project,
];

fn recipes() -> impl Strategy<Value = Vec<Recipe>> {
    let recipe = (
        0..4_usize,
        0..LAYERS.len(),
        0..3_u8,
        proptest::bool::weighted(0.2),
    )
        .prop_map(|(name, layer, version, is_broken)| Recipe {
            name: ["bread", "pie", "soup", "tea"][name],
            layer: LAYERS[layer],
            version,
            is_broken,
        });
    proptest::collection::vec(recipe, 0..12)
}

/// Computes which recipe with a name is used, according to the documentation of [`Catalog::resolve`].
fn expected<'r>(recipes: &'r [Recipe], name: &str, rules: &Kitchen) -> Option<&'r Recipe> {
    let usable = || {
        recipes
            .iter()
            .filter(|one| one.name == name && !one.is_broken)
    };
    if name == rules.excluded {
        return None;
    }
    let embedded = usable().find(|one| one.layer == Layer::Embedded);
    if let Some(embedded) = embedded.filter(|_| !rules.may_shadow_embedded) {
        return Some(embedded);
    }
    let highest = usable().map(|one| one.layer).max()?;
    usable().find(|one| one.layer == highest)
}

proptest! {
    #[test]
    fn each_definition_is_used_or_has_a_reason(
        recipes in recipes(),
        may_shadow_embedded in any::<bool>(),
    ) {
        let rules = Kitchen { may_shadow_embedded, excluded: "tea" };
        let catalog = Catalog::resolve(recipes.clone(), &rules);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for recipe in catalog.used() {
            *counts.entry(recipe.name).or_default() += 1;
        }
        prop_assert!(counts.values().all(|count| *count == 1));
        prop_assert_eq!(catalog.used().len() + catalog.unused().len(), recipes.len());
        for name in ["bread", "pie", "soup", "tea"] {
            prop_assert_eq!(catalog.get(name), expected(&recipes, name, &rules));
        }
    }
}

fn recipe(layer: Layer, version: u8) -> Recipe {
    Recipe {
        name: "soup",
        layer,
        version,
        is_broken: false,
    }
}

#[test]
fn a_copy_of_the_same_version_hides_nothing() {
    let rules = Kitchen {
        may_shadow_embedded: false,
        excluded: "",
    };
    let hidden = |recipes: &[Recipe]| {
        let catalog = Catalog::resolve(recipes.to_vec(), &rules);
        let unused = catalog.unused().iter();
        unused
            .filter_map(Unused::hidden_by)
            .cloned()
            .collect::<Vec<_>>()
    };
    let (project, user) = (recipe(Layer::Project, 1), recipe(Layer::User, 1));
    assert_eq!(hidden(&[user, project.clone()]), []);
    let other = [recipe(Layer::User, 2), project.clone()];
    assert_eq!(hidden(&other), std::slice::from_ref(&project));
    // The embedded definition is preferred even if a folder contains the same version.
    let embedded = recipe(Layer::Embedded, 1);
    assert_eq!(hidden(&[embedded.clone(), project]), [embedded]);
}

#[test]
fn a_location_is_written_as_compilers_write_it() {
    let location = recipe(Layer::Project, 7).location();
    assert_eq!(location.unwrap().to_string(), "recipes.md:7");
    assert_eq!(recipe(Layer::User, 7).location(), None);
}
