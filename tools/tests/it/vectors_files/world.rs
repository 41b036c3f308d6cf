//! The folder of a recorded case, and calls in it as another system names them.

use serde_json::{Value, json};

use crate::vectors_files::support::{Tree, call};

/// A folder with the files of a case.
pub(crate) struct World {
    pub(crate) tree: Tree,
}

/// What a call answered.
pub(crate) struct Answer {
    pub(crate) worked: bool,
    pub(crate) text: String,
}

impl World {
    pub(crate) fn new(files: &Value) -> Self {
        let tree = Tree::new(&[]);
        for (path, text) in files.as_object().into_iter().flatten() {
            tree.write(path, text.as_str().expect("a text"));
        }
        Self { tree }
    }

    pub(crate) fn of_file(path: &str, text: &str) -> Self {
        Self::new(&json!({ path: text }))
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        let answer = call(tool, arguments, &self.tree.builder().build()).await;
        Answer {
            worked: answer.is_ok(),
            text: crate::vectors_files::support::whole(answer),
        }
    }

    /// Puts a patch between its marks and applies it.
    pub(crate) async fn patch(&self, sections: &str) -> Answer {
        let patch = format!("*** Begin Patch\n{sections}\n*** End Patch");
        self.call("apply_patch", json!({ "patch": patch })).await
    }

    /// The files that are there afterwards, as the case writes them.
    pub(crate) fn files(&self, expected: &Value) -> Value {
        let expected = expected.as_object().into_iter().flatten();
        let texts = expected.map(|(path, _)| (path.clone(), json!(self.tree.text(path))));
        Value::Object(texts.collect())
    }
}
