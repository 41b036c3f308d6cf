//! Host state: values that an app passes to its tools by reference, looked up by type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::support::lock::Mutex;

/// A map from types to shared values, including `dyn Trait`.
///
/// ```
/// # extern crate helve_core as helve;
/// use std::sync::Arc;
/// use helve::State;
///
/// trait Clock: Send + Sync {
///     fn hour(&self) -> u8;
/// }
/// struct Noon;
/// impl Clock for Noon {
///     fn hour(&self) -> u8 {
///         12
///     }
/// }
///
/// let mut state = State::new();
/// state.insert(42_u32);
/// state.insert_arc::<dyn Clock>(Arc::new(Noon));
/// assert_eq!(state.get::<u32>().unwrap(), Some(&42));
/// assert_eq!(state.get::<dyn Clock>().unwrap().map(Clock::hour), Some(12));
/// assert_eq!(state.get::<String>().unwrap(), None);
/// ```
#[derive(Default)]
pub struct State {
    entries: HashMap<TypeId, StateEntry, foldhash::fast::FixedState>,
    tool_state: Mutex<Vec<ToolStateEntry>>,
}

/// A value that tools store under a type.
type ToolStateEntry = (TypeId, Arc<dyn Any + Send + Sync>);

struct StateEntry {
    type_name: &'static str,
    value: LazyValue,
    initializer: Mutex<Option<Initializer>>,
}

/// An `Arc<T>`, or the error of its initialiser.
type StateValue = Result<Box<dyn Any + Send + Sync>, Arc<str>>;

type LazyValue = OnceLock<StateValue>;

type Initializer = Box<dyn FnOnce() -> StateValue + Send>;

/// The error of creating lazy state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the state `{type_name}` could not be made: {message}")]
pub struct StateError {
    /// The type that was requested.
    pub type_name: &'static str,
    /// The error of the initialiser.
    pub message: Arc<str>,
}

impl State {
    /// Creates an empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value; a second value of the same type replaces the first.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.insert_arc(Arc::new(value));
    }

    /// Adds a shared value, which may be of an unsized type.
    pub fn insert_arc<T: ?Sized + Any + Send + Sync>(&mut self, value: Arc<T>) {
        let value: Box<dyn Any + Send + Sync> = Box::new(value);
        self.put::<T>(OnceLock::from(Ok(value)), None);
    }

    /// Adds a value that is created when the first call needs it, so that `--help` opens no database.
    pub fn insert_with<T, E>(&mut self, make: impl FnOnce() -> Result<T, E> + Send + 'static)
    where
        T: Any + Send + Sync,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let make: Initializer = Box::new(move || match make() {
            Ok(value) => Ok(Box::new(Arc::new(value))),
            Err(error) => Err(error.into().to_string().into()),
        });
        self.put::<T>(OnceLock::new(), Some(make));
    }

    fn put<T: ?Sized + Any>(&mut self, value: LazyValue, initializer: Option<Initializer>) {
        let entry = StateEntry {
            type_name: std::any::type_name::<T>(),
            value,
            initializer: Mutex::new(initializer),
        };
        self.entries.insert(TypeId::of::<T>(), entry);
    }

    /// Returns the value of a type; `None` if there is none.
    ///
    /// Lazy state that was not [prepared](Self::prepare) is created here, on this thread.
    ///
    /// # Errors
    ///
    /// If lazy state could not be created; the error is the same each time.
    pub fn get<T: ?Sized + Any + Send + Sync>(&self) -> Result<Option<&T>, StateError> {
        let Some(entry) = self.entries.get(&TypeId::of::<T>()) else {
            return Ok(None);
        };
        let value = entry.value()?;
        Ok(value.downcast_ref::<Arc<T>>().map(|value| &**value))
    }

    /// Returns a value that tools themselves store under a type. The value is created at its first use: the host need
    /// not insert it. Use a type of your own, with a lock for what changes.
    ///
    /// In [`session_state`](crate::ToolContext::session_state) the value lives as long as the session. If several
    /// callers request it at the same time, each may create a value, and the first one is used by all.
    ///
    /// ```
    /// # extern crate helve_core as helve;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use helve::ToolContext;
    ///
    /// #[derive(Default)]
    /// struct Calls(AtomicU32);
    ///
    /// let cx = ToolContext::new();
    /// for _ in 0..2 {
    ///     cx.session_state().get_or_default::<Calls>().0.fetch_add(1, Ordering::Relaxed);
    /// }
    /// assert_eq!(cx.session_state().get_or_default::<Calls>().0.load(Ordering::Relaxed), 2);
    /// ```
    pub fn get_or_default<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        if let Some(found) = find_kept(&self.tool_state.lock()) {
            return found;
        }
        // Created without the lock: the initialiser may itself use this method, or take a long time.
        let made = Arc::new(T::default());
        let mut kept = self.tool_state.lock();
        if let Some(earlier) = find_kept(&kept) {
            return earlier;
        }
        kept.push((TypeId::of::<T>(), Arc::<T>::clone(&made)));
        made
    }

    /// Reports whether there is a value of a type, created or not.
    #[must_use]
    pub fn contains(&self, type_id: TypeId) -> bool {
        self.entries.contains_key(&type_id)
    }

    /// Creates the lazy state of these types. This may block, so call it where blocking is allowed.
    ///
    /// # Errors
    ///
    /// At the first value that could not be created.
    pub fn prepare(&self, types: impl IntoIterator<Item = TypeId>) -> Result<(), StateError> {
        let mut entries = types.into_iter().filter_map(|id| self.entries.get(&id));
        entries.try_for_each(|entry| entry.value().map(|_| ()))
    }

    /// Reports whether the value of any of these types has not been created yet.
    pub(crate) fn is_unprepared(&self, types: impl IntoIterator<Item = TypeId>) -> bool {
        let mut entries = types.into_iter().filter_map(|id| self.entries.get(&id));
        entries.any(|entry| entry.value.get().is_none())
    }

    /// Returns the name of a type that both maps contain.
    #[doc(hidden)]
    pub fn overlap(&self, other: &Self) -> Option<&'static str> {
        let mut entries = self.entries.iter();
        let shared = entries.find(|(id, _)| other.entries.contains_key(id));
        shared.map(|(_, entry)| entry.type_name)
    }
}

fn find_kept<T: Any + Send + Sync>(kept: &[ToolStateEntry]) -> Option<Arc<T>> {
    let (_, value) = kept.iter().find(|(id, _)| *id == TypeId::of::<T>())?;
    Arc::clone(value).downcast().ok()
}

impl StateEntry {
    fn value(&self) -> Result<&(dyn Any + Send + Sync), StateError> {
        let value = self.value.get_or_init(|| {
            let make = self.initializer.lock().take();
            match make {
                Some(make) => make(),
                None => Err("its initialiser panicked".into()),
            }
        });
        match value {
            Ok(value) => Ok(&**value),
            Err(message) => Err(StateError {
                type_name: self.type_name,
                message: message.clone(),
            }),
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<_> = self.entries.values().map(|entry| entry.type_name).collect();
        names.sort_unstable();
        f.debug_set().entries(names).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier, LazyLock};
    use std::thread;

    use super::State;

    static STATE: LazyLock<State> = LazyLock::new(State::new);
    static MAKING: Barrier = Barrier::new(2);

    #[derive(Default)]
    struct Inner(u8);

    /// Stores a value while it is created, and is created twice at the same time.
    struct Outer(Arc<Inner>);

    impl Default for Outer {
        fn default() -> Self {
            MAKING.wait();
            Self(STATE.get_or_default())
        }
    }

    #[test]
    fn what_is_kept_is_made_without_the_lock_and_kept_once() {
        let asking = || STATE.get_or_default::<Outer>();
        let (first, second) = thread::scope(|scope| {
            let other = scope.spawn(asking);
            (asking(), other.join().expect("no panic"))
        });
        assert!(Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&first, &STATE.get_or_default()));
        assert!(Arc::ptr_eq(&first.0, &STATE.get_or_default()));
        assert_eq!(first.0.0, 0);
    }
}
