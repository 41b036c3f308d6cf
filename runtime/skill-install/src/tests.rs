//! Installations from end to end, with the answers of servers in memory.

mod bundles;
mod hosts;
mod life;
mod repositories;
mod tools;

use std::collections::BTreeMap;
use std::path::Path;

use futures_util::future::BoxFuture;
use helve_core::capability::{HttpRequest, HttpResponse};
use helve_core::support::lock::Mutex;
use helve_permission::acceptances::Acceptances;
use tempfile::TempDir;

use crate::archive::tests::gzip;
use crate::{FetchContext, HttpClient, InstallOptions, SkillInstaller};

/// A server: the answers by their addresses, and the requests.
#[derive(Debug, Default)]
pub(crate) struct Server {
    answers: BTreeMap<String, HttpResponse>,
    pub(crate) requests: Mutex<Vec<HttpRequest>>,
}

impl Server {
    pub(crate) fn answer(&mut self, url: &str, body: impl Into<Vec<u8>>) {
        self.answers
            .insert(url.to_owned(), HttpResponse::new(200, body));
    }

    pub(crate) fn fail(&mut self, url: &str, status: u16) {
        self.answers
            .insert(url.to_owned(), HttpResponse::new(status, ""));
    }

    pub(crate) fn redirect(&mut self, url: &str, to: &str) {
        let mut response = HttpResponse::new(302, "");
        response
            .headers
            .push(("Location".to_owned(), to.to_owned()));
        self.answers.insert(url.to_owned(), response);
    }
}

impl HttpClient for Server {
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        _: &'a [String],
    ) -> BoxFuture<'a, Result<HttpResponse, String>> {
        assert!(!request.follow_redirects);
        let answer = self.answers.get(&request.url).cloned();
        self.requests.lock().push(request);
        Box::pin(async move { Ok(answer.unwrap_or_else(|| HttpResponse::new(404, ""))) })
    }
}

/// A project with an installer, whose data is beside it.
pub(crate) struct Project {
    pub(crate) folder: TempDir,
    pub(crate) installer: SkillInstaller,
    pub(crate) acceptances: Acceptances,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        let acceptances = Acceptances::in_memory();
        let data = folder.path().join("data");
        Self {
            installer: SkillInstaller::new(&root, data, acceptances.clone()),
            folder,
            acceptances,
        }
    }

    /// Fetches a source and installs its skills, as a user who accepts everything does.
    pub(crate) async fn add(&self, server: &Server, source: &str) -> Result<Vec<String>, String> {
        self.add_with(server, source, &InstallOptions::default())
            .await
    }

    pub(crate) async fn add_with(
        &self,
        server: &Server,
        source: &str,
        options: &InstallOptions,
    ) -> Result<Vec<String>, String> {
        let source = source.parse().map_err(|error| format!("{error}"))?;
        let fetched = FetchContext::new(Some(server)).fetch(&source, &[]).await;
        let fetched = fetched.map_err(|error| error.to_string())?;
        if let Some(problem) = fetched.problems.first() {
            return Err(problem.to_string());
        }
        let plans = self
            .installer
            .plan(&fetched, options)
            .map_err(|error| error.to_string())?;
        let installed = plans.iter().map(|plan| {
            let installed = self
                .installer
                .install(plan)
                .map_err(|error| error.to_string())?;
            Ok(installed.name)
        });
        installed.collect()
    }

    /// Lists every path below the project and the data, without those of folders that a lock creates.
    pub(crate) fn everything(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.folder.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).unwrap().flatten() {
                let path = entry.path();
                let shown = path
                    .strip_prefix(self.folder.path())
                    .unwrap()
                    .display()
                    .to_string();
                if path.is_dir() && !path.is_symlink() {
                    open.push(path);
                } else {
                    found.push(shown);
                }
            }
        }
        found.sort();
        found
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.installer.root().join(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        Path::new(self.installer.root()).join(path).exists()
    }
}

/// A skill's manifest.
pub(crate) fn manifest(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\nlicense: MIT\n---\n\n{body}\n")
}

/// A tar file in gzip of files with their modes.
pub(crate) fn archive(files: &[(&str, u32, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, mode, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(*mode);
        builder
            .append_data(&mut header, path, text.as_bytes())
            .unwrap();
    }
    gzip(&builder.into_inner().unwrap())
}
