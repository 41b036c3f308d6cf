//! A queue that two owners use through two connections, against a model of it in memory.

use std::collections::BTreeMap;
use std::time::Duration;

use helve::state::{Claim, ClaimedWork, Put, WorkEntry, WorkQueue};
use proptest::prelude::*;
use proptest::sample::Index;

use super::{at, new_work};

const KINDS: [&str; 2] = ["job", "mail"];
const OWNERS: [&str; 2] = ["first", "second"];

#[derive(Debug, Clone)]
enum Operation {
    Put {
        kind: usize,
        key: u8,
        due: u64,
    },
    Claim {
        owner: usize,
        kinds: Vec<usize>,
        lease: u64,
        most: usize,
    },
    Renew {
        owner: usize,
        claimed: Index,
        lease: u64,
    },
    Finish {
        owner: usize,
        claimed: Index,
    },
    Release {
        owner: usize,
        claimed: Index,
        due: u64,
    },
    Remove {
        kind: usize,
        key: u8,
    },
    Wait {
        seconds: u64,
    },
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    use Operation::*;

    let owner = 0..2_usize;
    let claimed = any::<Index>;
    let operation = prop_oneof![
        4 => (0..2_usize, 0..6_u8, 0..60_u64).prop_map(|(kind, key, due)| Put { kind, key, due }),
        4 => (owner.clone(), prop::collection::vec(0..2_usize, 0..3), 1..30_u64, 0..4_usize)
            .prop_map(|(owner, kinds, lease, most)| Claim { owner, kinds, lease, most }),
        2 => (owner.clone(), claimed(), 1..30_u64)
            .prop_map(|(owner, claimed, lease)| Renew { owner, claimed, lease }),
        2 => (owner.clone(), claimed()).prop_map(|(owner, claimed)| Finish { owner, claimed }),
        2 => (owner, claimed(), 0..60_u64)
            .prop_map(|(owner, claimed, due)| Release { owner, claimed, due }),
        1 => (0..2_usize, 0..6_u8).prop_map(|(kind, key)| Remove { kind, key }),
        3 => (1..20_u64).prop_map(|seconds| Wait { seconds }),
    ];
    prop::collection::vec(operation, 1..60)
}

#[derive(Debug, Clone)]
struct Row {
    id: i64,
    due: u64,
    holder: Option<(usize, u64)>,
    epoch: u64,
}

impl Row {
    fn ready(&self) -> u64 {
        self.holder.map_or(self.due, |(_, lease_end)| lease_end)
    }
}

#[derive(Debug, Default)]
struct Model {
    rows: BTreeMap<(usize, u8), Row>,
    last_id: i64,
    now: u64,
    /// Each claim that was ever made: the number, the epoch.
    claims: Vec<(i64, u64)>,
}

impl Model {
    fn put(&mut self, kind: usize, key: u8, due: u64) -> Put {
        // A number is used up by work that is refused, too.
        self.last_id += 1;
        if self.rows.contains_key(&(kind, key)) {
            return Put::Present;
        }
        let (id, holder, epoch) = (self.last_id, None, 0);
        self.rows.insert(
            (kind, key),
            Row {
                id,
                due,
                holder,
                epoch,
            },
        );
        Put::Added
    }

    fn claim(&mut self, owner: usize, kinds: &[usize], lease: u64, most: usize) -> Vec<(i64, u64)> {
        let now = self.now;
        let mut ready: Vec<&mut Row> = self
            .rows
            .iter_mut()
            .filter(|((kind, _), row)| kinds.contains(kind) && row.ready() <= now)
            .map(|(_, row)| row)
            .collect();
        ready.sort_by_key(|row| (row.ready(), row.id));
        let claimed: Vec<_> = ready
            .into_iter()
            .take(most)
            .map(|row| {
                row.epoch += 1;
                row.holder = Some((owner, now + lease));
                (row.id, row.epoch)
            })
            .collect();
        self.claims.extend(&claimed);
        claimed
    }

    /// Returns the key and the row of a claim that holds.
    fn held(&mut self, claim: usize) -> Option<((usize, u8), &mut Row)> {
        let (id, epoch) = self.claims[claim];
        let mut rows = self.rows.iter_mut();
        rows.find(|(_, row)| row.id == id && row.epoch == epoch && row.holder.is_some())
            .map(|(key, row)| (*key, row))
    }

    fn list(&self) -> Vec<WorkEntry> {
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(_, row)| row.id);
        let entries = rows.into_iter().map(|((kind, key), row)| {
            let work = new_work(KINDS[*kind], &key.to_string(), at(row.due));
            WorkEntry {
                id: row.id,
                kind: work.kind,
                key: work.key,
                payload: work.payload,
                due: at(row.due),
                holder: row.holder.map(|(owner, _)| OWNERS[owner].to_owned()),
                lease_end: row.holder.map(|(_, end)| at(end)),
                epoch: row.epoch,
            }
        });
        entries.collect()
    }
}

/// The queue, with the claims that were made from it.
struct Queues {
    queues: [WorkQueue; 2],
    claims: Vec<ClaimedWork>,
}

fn apply(model: &mut Model, real: &mut Queues, operation: &Operation) {
    let now = at(model.now);
    let queues = &real.queues;
    // What an owner says of a claim of the other one counts as well: the epoch decides, not the name.
    let position = |claimed: &Index| {
        let count = real.claims.len();
        (count > 0).then(|| claimed.index(count))
    };
    match operation {
        Operation::Put { kind, key, due } => {
            let work = new_work(KINDS[*kind], &key.to_string(), at(*due));
            assert_eq!(
                queues[*key as usize % 2].put(&work).unwrap(),
                model.put(*kind, *key, *due)
            );
        }
        Operation::Claim {
            owner,
            kinds,
            lease,
            most,
        } => {
            let claim = Claim {
                kinds: kinds.iter().map(|kind| KINDS[*kind].to_owned()).collect(),
                owner: OWNERS[*owner].to_owned(),
                lease: Duration::from_secs(*lease),
                now,
                most: *most,
            };
            let claimed = queues[*owner].claim(&claim).unwrap();
            let numbers: Vec<_> = claimed.iter().map(|work| (work.id, work.epoch)).collect();
            assert_eq!(numbers, model.claim(*owner, kinds, *lease, *most));
            real.claims.extend(claimed);
        }
        Operation::Renew {
            owner,
            claimed,
            lease,
        } => {
            let Some(claim) = position(claimed) else {
                return;
            };
            let renewed =
                queues[*owner].renew(&real.claims[claim], Duration::from_secs(*lease), now);
            let end = model.now + lease;
            let held = model.held(claim).map(|(_, row)| {
                row.holder = row.holder.map(|(owner, _)| (owner, end));
            });
            assert_eq!(renewed.unwrap(), held.is_some());
        }
        Operation::Finish { owner, claimed } => {
            let Some(claim) = position(claimed) else {
                return;
            };
            let held = model.held(claim).map(|(key, _)| key);
            let removed = held.and_then(|key| model.rows.remove(&key));
            let finished = queues[*owner].finish(&real.claims[claim]);
            assert_eq!(finished.unwrap(), removed.is_some());
        }
        Operation::Release {
            owner,
            claimed,
            due,
        } => {
            let Some(claim) = position(claimed) else {
                return;
            };
            let held = model
                .held(claim)
                .map(|(_, row)| (row.holder, row.due) = (None, *due));
            let released = queues[*owner].release(&real.claims[claim], at(*due));
            assert_eq!(released.unwrap(), held.is_some());
        }
        Operation::Remove { kind, key } => {
            let removed = queues[0].remove(KINDS[*kind], &key.to_string()).unwrap();
            assert_eq!(removed, model.rows.remove(&(*kind, *key)).is_some());
        }
        Operation::Wait { seconds } => model.now += seconds,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn two_owners_see_what_the_model_sees(operations in operations()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let queues = [WorkQueue::open(&path).unwrap(), WorkQueue::open(&path).unwrap()];
        let mut real = Queues { queues, claims: Vec::new() };
        let mut model = Model::default();
        for operation in &operations {
            apply(&mut model, &mut real, operation);
            prop_assert_eq!(real.queues[0].list(None).unwrap(), model.list());
        }
        drop(real);
        let queue = WorkQueue::open(&path).unwrap();
        prop_assert_eq!(queue.list(None).unwrap(), model.list());
    }
}

#[test]
fn a_late_holder_is_refused_and_the_next_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let queue = WorkQueue::open(&folder.path().join("state.db")).unwrap();
    queue.put(&new_work("job", "1", at(0))).unwrap();
    let claim = |owner, now| {
        queue
            .claim(&super::claim_of("job", owner, now, 10))
            .unwrap()
    };
    let late = claim("first", at(0)).remove(0);
    assert_eq!(claim("second", at(59)), []);
    let next = claim("second", at(60)).remove(0);
    assert_eq!((late.epoch, next.epoch), (1, 2));
    assert!(!queue.renew(&late, Duration::from_secs(60), at(61)).unwrap());
    assert!(!queue.release(&late, at(0)).unwrap());
    assert!(!queue.finish(&late).unwrap());
    assert!(queue.finish(&next).unwrap() && !queue.finish(&next).unwrap());
    // Work of the same key is other work.
    queue.put(&new_work("job", "1", at(0))).unwrap();
    let again = claim("second", at(70)).remove(0);
    assert!(again.id > next.id && again.epoch == 1);
    assert!(!queue.finish(&late).unwrap());
}
