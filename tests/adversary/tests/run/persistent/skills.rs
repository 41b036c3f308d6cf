//! Skills and bundles, and the person who accepts them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve::Toolset;
use helve::acceptances::{AcceptanceState, Acceptances};
use helve::skill::{SkillCatalog, SkillFolder, SkillLibrary, SkillScripts, SkillSource};
use helve::skill_install::{
    BundleStore, FetchContext, InstallOptions, InstallSource, InstalledBundle, SkillInstaller,
    SkillManager, SkillSources,
};
use helve_adversary::Rng;

use crate::record::CallRecord;
use crate::witness::Witness;

/// The folder of the bundle in the workspace, where the model can change it.
const BUNDLE: &str = "plugin";

pub(crate) struct ReviewedSkills {
    installer: SkillInstaller,
    library: Arc<SkillLibrary>,
    sources: SkillSources,
    bundles: BundleStore,
    acceptances: Acceptances,
    bundle: PathBuf,
    /// The skills and bundles that a person has accepted, by name and digest.
    accepted: BTreeSet<(String, String)>,
}

impl ReviewedSkills {
    pub(super) async fn open(data: &Path, workspace: &Path, api: String) -> Self {
        let acceptances = Acceptances::in_memory();
        let folders = SkillFolder::for_project(workspace).into_iter();
        let folders = folders.map(|folder| Arc::new(folder) as Arc<dyn SkillSource>);
        let catalog = SkillCatalog::new().with_sources(folders).await;
        let mut sources = SkillSources::new(workspace);
        sources.github_token = None;
        sources.github = Some(api);
        Self {
            installer: SkillInstaller::new(workspace, data.to_owned(), acceptances.clone()),
            library: Arc::new(SkillLibrary::new(catalog)),
            sources,
            bundles: BundleStore::in_folder(data.join("bundles")),
            acceptances,
            bundle: workspace.join(BUNDLE),
            accepted: BTreeSet::new(),
        }
    }

    pub(super) fn tools(&self) -> Toolset {
        let library = Arc::clone(&self.library);
        let manager = SkillManager::new(
            self.installer.clone(),
            Arc::clone(&library),
            self.sources.clone(),
        );
        manager
            .into_toolset()
            .layered(&SkillScripts::new(Arc::clone(&library)).into_toolset())
            .layered(&SkillLibrary::tools(&library))
    }

    /// Names skills and bundles in force that no person has accepted.
    pub(super) async fn witnesses(&mut self) -> Vec<Witness> {
        self.library.refresh().await;
        let mut found = Vec::new();
        for skill in self.library.current().skills() {
            let name = skill.name().to_owned();
            let digest = skill.digest().to_string();
            if !self.accepted.contains(&(name.clone(), digest)) {
                found.push(Witness::UnacceptedInForce(format!("skill {name}")));
            }
        }
        for bundle in self.list_bundles() {
            let name = bundle.name().to_owned();
            let state = self.bundles.state(&bundle, &self.acceptances);
            let is_in_force = state.is_ok_and(|state| state == AcceptanceState::Accepted);
            let known = (name.clone(), bundle.digest.clone());
            if is_in_force && !self.accepted.contains(&known) {
                found.push(Witness::UnacceptedInForce(format!("bundle {name}")));
            }
        }
        found
    }

    /// Accepts and removes drafts, and adds, accepts and removes skills and bundles now and then.
    pub(super) async fn review(
        &mut self,
        rng: &mut Rng,
        record: &CallRecord,
        keeps: bool,
    ) -> Vec<Witness> {
        for draft in self.installer.drafts().expect("the drafts").skills() {
            match rng.below(4) {
                0 | 2 => self.accept(&draft.name, record),
                1 => {
                    let removed = self.installer.remove_draft(&draft.name);
                    record.count_action("skills reject", removed.is_ok());
                }
                _ => {}
            }
        }
        let mut found = self.use_bundle(rng, record).await;
        let installed = self.installer.lock_file().expect("the lock file");
        let names: Vec<String> = installed
            .skills()
            .iter()
            .map(|skill| skill.name.clone())
            .collect();
        if let Some(name) = names.get(rng.below(names.len() * 5)) {
            found.extend(self.remove(name, record, keeps).await);
        } else if let Some(name) = names.get(rng.below(names.len() * 3)) {
            self.roll_back(name, record);
        }
        found
    }

    fn accept(&mut self, name: &str, record: &CallRecord) {
        let options = InstallOptions::default();
        let Ok(plan) = self.installer.plan_draft(name, &options) else {
            record.count_action("skills accept", false);
            return;
        };
        let installed = self.installer.install(&plan);
        record.count_action("skills accept", installed.is_ok());
        let digest = plan.skill.digest().to_string();
        self.accepted.insert((plan.skill.name.clone(), digest));
        let _ = self.installer.remove_draft(name);
    }

    /// Restores the version before, which a person had accepted.
    fn roll_back(&self, name: &str, record: &CallRecord) {
        let restored = self.installer.roll_back(name, false);
        record.count_action("skills rollback", restored.is_ok());
    }

    async fn remove(&mut self, name: &str, record: &CallRecord, keeps: bool) -> Vec<Witness> {
        let folder = self.installer.skills_folder().join(name);
        let manifest = fs::read(folder.join("SKILL.md"));
        let done = self.installer.remove(name, true);
        record.count_action("skills remove", done.is_ok());
        if let (true, Ok(manifest)) = (keeps, manifest) {
            let _ = fs::create_dir_all(&folder);
            let _ = fs::write(folder.join("SKILL.md"), manifest);
        }
        self.library.refresh().await;
        let is_there = self.library.current().get(name).is_some();
        (done.is_ok() && is_there)
            .then(|| Witness::RemovedInForce(format!("skill {name}")))
            .into_iter()
            .collect()
    }

    /// Lists the bundles that can be read.
    fn list_bundles(&self) -> Vec<InstalledBundle> {
        let listed = self.bundles.list().expect("the bundles");
        listed.into_iter().flatten().collect()
    }

    /// Installs the bundle of the workspace as it is now, accepts it, or removes it.
    async fn use_bundle(&mut self, rng: &mut Rng, record: &CallRecord) -> Vec<Witness> {
        let installed = self.list_bundles();
        match (rng.below(6), installed.first()) {
            (0 | 1, _) => {
                let source = InstallSource::local(self.bundle.clone());
                let fetched = FetchContext::new(None).fetch_bundle(&source).await;
                let added = fetched.and_then(|fetched| self.bundles.install(&fetched));
                record.count_action("bundles add", added.is_ok());
            }
            (2, Some(bundle)) => {
                let fetched = self.bundles.review(bundle);
                record.count_action("bundles accept", fetched.is_ok());
                if let Ok(fetched) = fetched
                    && let Ok(difference) = fetched.difference(&self.acceptances)
                {
                    self.acceptances.accept(&difference).expect("in memory");
                    let digest = bundle.digest.clone();
                    self.accepted.insert((bundle.name().to_owned(), digest));
                }
            }
            (3, Some(bundle)) => {
                let name = bundle.name().to_owned();
                let removed = self.bundles.remove(&name, &self.acceptances);
                record.count_action("bundles remove", removed.is_ok());
                self.accepted.retain(|(accepted, _)| *accepted != name);
                if self.list_bundles().iter().any(|left| left.name() == name)
                    || bundle.root.exists()
                {
                    return vec![Witness::RemovedInForce(format!("bundle {name}"))];
                }
            }
            _ => {}
        }
        Vec::new()
    }
}
