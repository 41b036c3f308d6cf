//! A resolver that answers as it is told, each time with the next answer.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, ready};
use helve_runtime::network::Resolve;

/// What names lead to: the answers in their order, the last one again and again. Every question is counted.
#[derive(Debug, Default)]
pub(crate) struct Names {
    answers: Mutex<HashMap<String, Vec<Vec<IpAddr>>>>,
    asked: Mutex<Vec<String>>,
    own: Vec<IpAddr>,
}

impl Names {
    pub(crate) fn new(names: &[(&str, &[&str])]) -> Arc<Self> {
        Self::changing(
            names
                .iter()
                .map(|(name, addresses)| (*name, vec![*addresses])),
        )
    }

    /// Names whose answers change from one question to the next.
    pub(crate) fn changing<'a>(
        names: impl IntoIterator<Item = (&'a str, Vec<&'a [&'a str]>)>,
    ) -> Arc<Self> {
        let parse = |addresses: &[&str]| addresses.iter().map(|a| a.parse().unwrap()).collect();
        let answers = names.into_iter().map(|(name, answers)| {
            let answers = answers.into_iter().map(parse).collect();
            (name.to_owned(), answers)
        });
        Arc::new(Self {
            answers: Mutex::new(answers.collect()),
            ..Self::default()
        })
    }

    pub(crate) fn owning(own: &[&str], names: &[(&str, &[&str])]) -> Self {
        let mut all = Arc::into_inner(Self::new(names)).unwrap();
        all.own = own.iter().map(|address| address.parse().unwrap()).collect();
        all
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(name.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer = match answers.get_mut(name) {
            None => Err(io::Error::other("no such name")),
            Some(answers) if answers.len() > 1 => Ok(answers.remove(0)),
            Some(answers) => Ok(answers[0].clone()),
        };
        Box::pin(ready(answer))
    }

    fn is_own(&self, address: IpAddr) -> bool {
        self.own.contains(&address)
    }
}
