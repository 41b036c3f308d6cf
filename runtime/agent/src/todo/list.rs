//! The list of tasks, and its changes.

use serde_json::{Map, Value};

use super::{
    MAX_DESCRIPTION_CHARS, MAX_METADATA_BYTES, MAX_OWNER_CHARS, MAX_SUBJECT_CHARS, MAX_TODOS, Todo,
    TodoError, TodoState, TodoUpdate,
};

/// The tasks of a session, in the order of their ids.
///
/// No two tasks wait for each other, neither directly nor through others. A change is made as a whole or not at all.
///
/// ```
/// use helve::agent::todo::{TodoError, TodoList, TodoUpdate};
///
/// let mut list = TodoList::new();
/// let tests = list.create("Write the tests", "", None)?;
/// let release = list.create("Release", "", None)?;
/// list.update(tests, TodoUpdate { add_blocks: vec![release], ..TodoUpdate::default() })?;
/// assert_eq!(list.open_blockers(release), [tests]);
///
/// let refused = list.update(release, TodoUpdate { add_blocks: vec![tests], ..TodoUpdate::default() });
/// assert_eq!(refused, Err(TodoError::Cycle { path: vec![2, 1, 2] }));
/// # Ok::<(), TodoError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TodoList {
    pub(super) tasks: Vec<Todo>,
    /// The highest id that a task ever had.
    pub(super) last: u32,
}

impl TodoList {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the tasks.
    #[must_use]
    pub fn tasks(&self) -> &[Todo] {
        &self.tasks
    }

    /// Returns the task with an id.
    #[must_use]
    pub fn get(&self, id: u32) -> Option<&Todo> {
        self.tasks.iter().find(|task| task.id == id)
    }

    /// Returns the tasks that wait for a task.
    #[must_use]
    pub fn blocks(&self, id: u32) -> Vec<u32> {
        let waiting = self
            .tasks
            .iter()
            .filter(|task| task.blocked_by.contains(&id));
        waiting.map(|task| task.id).collect()
    }

    /// Returns the tasks that a task waits for and that are not completed.
    #[must_use]
    pub fn open_blockers(&self, id: u32) -> Vec<u32> {
        let blockers = self.get(id).map_or(&[][..], |task| &task.blocked_by);
        let is_open = |id: &&u32| {
            self.get(**id)
                .is_some_and(|task| task.state != TodoState::Completed)
        };
        blockers.iter().filter(is_open).copied().collect()
    }

    /// Returns the tasks that are not completed.
    pub fn open(&self) -> impl Iterator<Item = &Todo> {
        self.tasks
            .iter()
            .filter(|task| task.state != TodoState::Completed)
    }

    /// Adds a task; returns its id, which is one more than the highest that a task ever had.
    ///
    /// # Errors
    /// The list is full, or a text is too long.
    pub fn create(
        &mut self,
        subject: &str,
        description: &str,
        metadata: Option<Map<String, Value>>,
    ) -> Result<u32, TodoError> {
        if self.tasks.len() >= MAX_TODOS {
            return Err(TodoError::TooMany);
        }
        let id = self.last.checked_add(1).ok_or(TodoError::TooMany)?;
        let task = Todo {
            id,
            subject: check_subject(subject)?,
            description: check_length(description, MAX_DESCRIPTION_CHARS, TodoError::Description)?,
            metadata: check_metadata(metadata.unwrap_or_default())?,
            state: TodoState::Pending,
            owner: None,
            blocked_by: Vec::new(),
        };
        self.tasks.push(task);
        self.last = id;
        Ok(id)
    }

    /// Changes a task; returns the names of the changed fields.
    ///
    /// # Errors
    /// A task does not exist, tasks would wait for each other, or a text is too long.
    pub fn update(&mut self, id: u32, update: TodoUpdate) -> Result<Vec<&'static str>, TodoError> {
        let mut changed = self.clone();
        let fields = changed.apply(id, update)?;
        *self = changed;
        Ok(fields)
    }

    /// Removes a task; the tasks that waited for it no longer do.
    ///
    /// # Errors
    /// The task does not exist.
    pub fn remove(&mut self, id: u32) -> Result<Todo, TodoError> {
        let mut places = self.tasks.iter();
        let place = places.position(|task| task.id == id);
        let removed = self.tasks.remove(place.ok_or(TodoError::NotFound(id))?);
        for task in &mut self.tasks {
            task.blocked_by.retain(|blocker| *blocker != id);
        }
        Ok(removed)
    }

    fn apply(&mut self, id: u32, update: TodoUpdate) -> Result<Vec<&'static str>, TodoError> {
        let mut fields = Vec::new();
        let task = self.get_mut(id)?;
        if let Some(subject) = update.subject {
            task.subject = check_subject(&subject)?;
            fields.push("subject");
        }
        if let Some(text) = update.description {
            task.description = check_length(&text, MAX_DESCRIPTION_CHARS, TodoError::Description)?;
            fields.push("description");
        }
        if let Some(owner) = update.owner {
            let owner = check_length(&one_line(&owner), MAX_OWNER_CHARS, TodoError::Owner)?;
            task.owner = (!owner.is_empty()).then_some(owner);
            fields.push("owner");
        }
        if let Some(values) = update.metadata {
            let mut metadata = std::mem::take(&mut task.metadata);
            for (key, value) in values {
                match value {
                    Value::Null => drop(metadata.shift_remove(&key)),
                    value => drop(metadata.insert(key, value)),
                }
            }
            task.metadata = check_metadata(metadata)?;
            fields.push("metadata");
        }
        if let Some(state) = update.state {
            task.state = state;
            fields.push("status");
        }
        if !update.remove_blocked_by.is_empty() {
            let removed = &update.remove_blocked_by;
            task.blocked_by.retain(|blocker| !removed.contains(blocker));
            fields.push("remove_blocked_by");
        }
        for blocked in &update.add_blocks {
            self.link(id, *blocked)?;
        }
        for blocker in &update.add_blocked_by {
            self.link(*blocker, id)?;
        }
        let links = [
            (!update.add_blocks.is_empty(), "add_blocks"),
            (!update.add_blocked_by.is_empty(), "add_blocked_by"),
        ];
        fields.extend(links.iter().filter(|(any, _)| *any).map(|(_, name)| name));
        Ok(fields)
    }

    fn get_mut(&mut self, id: u32) -> Result<&mut Todo, TodoError> {
        let mut tasks = self.tasks.iter_mut();
        tasks
            .find(|task| task.id == id)
            .ok_or(TodoError::NotFound(id))
    }

    /// Makes a task wait for another one.
    fn link(&mut self, blocker: u32, blocked: u32) -> Result<(), TodoError> {
        if self.get(blocker).is_none() {
            return Err(TodoError::NotFound(blocker));
        }
        if self.get(blocked).is_none() {
            return Err(TodoError::NotFound(blocked));
        }
        if let Some(mut path) = self.path(blocked, blocker) {
            path.insert(0, blocker);
            return Err(TodoError::Cycle { path });
        }
        let task = self.get_mut(blocked)?;
        if !task.blocked_by.contains(&blocker) {
            task.blocked_by.push(blocker);
        }
        Ok(())
    }

    /// Returns tasks from one to another, each of which blocks the next; `None` if the first does not block the last.
    fn path(&self, from: u32, to: u32) -> Option<Vec<u32>> {
        // Searched backwards, since each task knows what it waits for.
        let mut seen = vec![to];
        let mut paths = vec![vec![to]];
        while let Some(path) = paths.pop() {
            let first = *path.last()?;
            if first == from {
                return Some(path.into_iter().rev().collect());
            }
            for blocker in self.get(first).iter().flat_map(|task| &task.blocked_by) {
                if !seen.contains(blocker) {
                    seen.push(*blocker);
                    paths.push([&path[..], &[*blocker]].concat());
                }
            }
        }
        None
    }
}

/// Replaces control characters, so that the text is one line.
fn one_line(text: &str) -> String {
    text.trim().replace(|c: char| c.is_control(), " ")
}

fn check_subject(subject: &str) -> Result<String, TodoError> {
    let subject = one_line(subject);
    if subject.is_empty() {
        return Err(TodoError::Subject);
    }
    check_length(&subject, MAX_SUBJECT_CHARS, TodoError::Subject)
}

fn check_length(text: &str, limit: usize, error: TodoError) -> Result<String, TodoError> {
    match text.chars().nth(limit) {
        Some(_) => Err(error),
        None => Ok(text.to_owned()),
    }
}

fn check_metadata(metadata: Map<String, Value>) -> Result<Map<String, Value>, TodoError> {
    let metadata = Value::Object(metadata);
    match metadata {
        metadata if metadata.to_string().len() > MAX_METADATA_BYTES => Err(TodoError::Metadata),
        Value::Object(metadata) => Ok(metadata),
        _ => Ok(Map::new()),
    }
}
