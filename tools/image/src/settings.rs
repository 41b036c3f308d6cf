//! The settings of `view_image`.

/// The settings of `view_image`.
#[helve::data]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[serde(default)]
pub struct ViewImageSettings {
    /// Who reads images: auto, main (the main model) or vision (the model of `models.vision`) [default: auto]
    pub reader: ImageReaderSetting,
}

/// Who reads images.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ImageReaderSetting {
    /// The main model, unless it is known that it reads no images, or that is not known and there is a vision model.
    #[default]
    Auto,
    /// The main model.
    Main,
    /// The vision model, which describes images for the main model.
    Vision,
}
