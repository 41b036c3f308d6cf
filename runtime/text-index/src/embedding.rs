//! Vectors of texts, and the models that make them.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// The error of an embedding model.
pub type EmbedError = Box<dyn Error + Send + Sync>;

/// The future of the vectors of texts.
pub type EmbedFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, EmbedError>> + Send + 'a>>;

/// An embedding model, which turns texts into vectors: texts of one meaning have similar ones.
///
/// With one, a search finds texts that share no word with the question, too. The texts and the questions are sent to it.
pub trait TextEmbedder: Send + Sync + fmt::Debug {
    /// Returns the name of the model. Vectors of other models are not compared with its own.
    fn name(&self) -> &str;

    /// Returns the vector of each text, all of one length. There are at most 64 texts of at most 2,000 characters.
    ///
    /// # Errors
    /// When the model cannot be reached or fails. The search then goes by words alone.
    fn embed<'a>(&'a self, texts: &'a [String]) -> EmbedFuture<'a>;
}

/// A vector of the length 1, with a byte for each number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Embedding(Box<[i8]>);

impl Embedding {
    /// Scales a vector to the length 1, and its numbers to a byte each.
    pub(crate) fn new(vector: &[f32]) -> Self {
        let squares = vector.iter().map(|number| number * number);
        let length = squares.sum::<f32>().sqrt();
        let scale = if length > 0.0 { 127.0 / length } else { 0.0 };
        let numbers = vector.iter().map(|number| (number * scale).round() as i8);
        Self(numbers.collect())
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.iter().map(|byte| byte.cast_signed()).collect())
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().map(|number| number.cast_unsigned()).collect()
    }

    /// Returns the cosine of the angle to a stored vector; 0 if their lengths differ.
    pub(crate) fn similarity(&self, bytes: &[u8]) -> f32 {
        if self.0.len() != bytes.len() {
            return 0.0;
        }
        let products = self.0.iter().zip(bytes);
        let products =
            products.map(|(one, other)| i32::from(*one) * i32::from(other.cast_signed()));
        products.sum::<i32>() as f32 / (127.0 * 127.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(one: &[f32], other: &[f32]) -> f32 {
        Embedding::new(one).similarity(&Embedding::new(other).to_bytes())
    }

    #[test]
    fn vectors_are_compared_by_their_direction() {
        assert!(similarity(&[3.0, 4.0, 0.0], &[6.0, 8.0, 0.0]) > 0.99);
        assert!(similarity(&[3.0, 4.0, 0.0], &[-4.0, 3.0, 0.0]).abs() < 0.02);
        assert!(similarity(&[3.0, -4.0], &[-3.0, 4.0]) < -0.99);
        assert_eq!(similarity(&[3.0, 4.0, 0.0], &[1.0]), 0.0);
        assert_eq!(similarity(&[3.0, 4.0, 0.0], &[0.0, 0.0, 0.0]), 0.0);
        assert_eq!(similarity(&[f32::NAN, 1.0], &[1.0, 1.0]), 0.0);
        let vector = Embedding::new(&[-1.0, 0.5]);
        assert_eq!(Embedding::from_bytes(&vector.to_bytes()), vector);
    }
}
