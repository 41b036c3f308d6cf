//! Parts of images in calls.

use helve::image::Region;

/// A part of an image, in pixels from its top left corner.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageRegion {
    /// The first column.
    pub x: u32,
    /// The first row.
    pub y: u32,
    /// The number of columns.
    #[schemars(range(min = 1))]
    pub w: u32,
    /// The number of rows.
    #[schemars(range(min = 1))]
    pub h: u32,
}

impl From<ImageRegion> for Region {
    fn from(ImageRegion { x, y, w, h }: ImageRegion) -> Self {
        Self {
            x,
            y,
            width: w,
            height: h,
        }
    }
}
