//! Random changes of the tasks: no circle ever, and the stored list is the list.

use helve::ToolContext;
use helve::agent::todo::{TodoList, TodoState, TodoUpdate};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Change {
    Create(String),
    Update(u32, Box<TodoUpdate>),
    Remove(u32),
}

fn id() -> impl Strategy<Value = u32> {
    1..10_u32
}

fn change() -> impl Strategy<Value = Change> {
    let ids = || proptest::collection::vec(id(), 0..3);
    let state = prop_oneof![
        Just(None),
        Just(Some(TodoState::InProgress)),
        Just(Some(TodoState::Completed)),
    ];
    let update = (id(), state, ids(), ids(), ids(), ".{0,8}").prop_map(
        |(id, state, add_blocks, add_blocked_by, remove_blocked_by, owner)| {
            let update = TodoUpdate {
                state,
                owner: Some(owner),
                add_blocks,
                add_blocked_by,
                remove_blocked_by,
                ..TodoUpdate::default()
            };
            Change::Update(id, Box::new(update))
        },
    );
    prop_oneof![
        2 => ".{0,12}".prop_map(Change::Create),
        6 => update,
        1 => id().prop_map(Change::Remove),
    ]
}

/// Takes away the tasks that wait for nothing that is left; what stays waits for itself.
fn has_circle(list: &TodoList) -> bool {
    let mut left: Vec<_> = list.tasks().iter().collect();
    loop {
        let before = left.len();
        let ids: Vec<u32> = left.iter().map(|task| task.id).collect();
        left.retain(|task| task.blocked_by.iter().any(|blocker| ids.contains(blocker)));
        if left.len() == before {
            return before > 0;
        }
    }
}

fn apply(list: &mut TodoList, change: Change) -> Result<(), helve::agent::todo::TodoError> {
    match change {
        Change::Create(subject) => list.create(&subject, "", None).map(drop),
        Change::Update(id, update) => list.update(id, *update).map(drop),
        Change::Remove(id) => list.remove(id).map(drop),
    }
}

proptest! {
    #[test]
    fn no_change_makes_a_circle_and_what_is_stored_is_the_list(
        changes in proptest::collection::vec(change(), 0..60)
    ) {
        let cx = ToolContext::new();
        let mut list = TodoList::new();
        let mut journal = std::collections::BTreeMap::new();
        for change in changes {
            let before = list.clone();
            let applied = apply(&mut list, change.clone());
            let stored = TodoList::change(&cx, |list| apply(list, change));
            prop_assert_eq!(&applied, &stored);
            if applied.is_err() {
                prop_assert_eq!(&list, &before);
            }
            prop_assert!(!has_circle(&list), "{:?}", list);
            let known = |id: &u32| list.get(*id).is_some();
            prop_assert!(list.tasks().iter().all(|task| task.blocked_by.iter().all(known)));
            prop_assert_eq!(&TodoList::load(&cx), &list);
            journal.extend(cx.take_unsaved_notes());
        }
        // Another process reads the journal.
        let later = ToolContext::new();
        let saved = journal.into_iter().filter(|(_, value)| !value.is_null());
        later.restore_notes(&saved.collect::<Vec<_>>());
        prop_assert_eq!(TodoList::load(&later), list);
    }
}
