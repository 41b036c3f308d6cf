//! Tools that index the documents below the roots, and search them by words and by meaning.

mod document_file;
mod index_folder;
mod indexing;
mod meaning;
mod passages;
mod place;
mod search_documents;
#[cfg(test)]
mod tests;

pub use self::index_folder::index_folder;
pub use self::search_documents::search_documents;
