//! Parts of images, and their places before an image is turned upright.

use image::metadata::Orientation;
use serde::{Deserialize, Serialize};

/// A part of an image, in pixels of the upright image from its top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// The first column.
    pub x: u32,
    /// The first row.
    pub y: u32,
    /// The number of columns.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
}

impl Region {
    /// Creates the region of a whole image.
    pub(crate) fn whole((width, height): (u32, u32)) -> Self {
        Self {
            x: 0,
            y: 0,
            width,
            height,
        }
    }

    /// Returns the part of the region that is in an image; `None` where there is none.
    pub(crate) fn within(self, (width, height): (u32, u32)) -> Option<Self> {
        if self.x >= width || self.y >= height || self.width == 0 || self.height == 0 {
            return None;
        }
        Some(Self {
            width: self.width.min(width - self.x),
            height: self.height.min(height - self.y),
            ..self
        })
    }

    /// Returns the place of the region in the stored image, which the orientation turns into the upright one.
    ///
    /// The region has to be within the upright image, whose size is given.
    pub(crate) fn stored(self, orientation: Orientation, (width, height): (u32, u32)) -> Self {
        let Self {
            x,
            y,
            width: w,
            height: h,
        } = self;
        let (left, top) = (width - x - w, height - y - h);
        let (x, y) = match orientation {
            Orientation::NoTransforms => (x, y),
            Orientation::FlipHorizontal => (left, y),
            Orientation::FlipVertical => (x, top),
            Orientation::Rotate180 => (left, top),
            Orientation::Rotate90 => (y, left),
            Orientation::Rotate270 => (top, x),
            Orientation::Rotate90FlipH => (y, x),
            Orientation::Rotate270FlipH => (top, left),
        };
        let (width, height) = if is_turned(orientation) {
            (h, w)
        } else {
            (w, h)
        };
        Self {
            x,
            y,
            width,
            height,
        }
    }
}

/// Reports whether an orientation exchanges width and height.
pub(crate) fn is_turned(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

#[cfg(test)]
mod tests {
    use image::metadata::Orientation;
    use image::{DynamicImage, GenericImageView as _, Rgba, RgbaImage};

    use super::{Region, is_turned};

    #[test]
    fn a_region_is_the_same_before_and_after_the_image_is_turned() {
        let pixel =
            |x: u32, y: u32| Rgba([u8::try_from(x).unwrap(), u8::try_from(y).unwrap(), 0, 255]);
        let stored = DynamicImage::from(RgbaImage::from_fn(7, 5, pixel));
        for exif in 1..=8 {
            let orientation = Orientation::from_exif(exif).unwrap();
            let mut upright = stored.clone();
            upright.apply_orientation(orientation);
            let size = upright.dimensions();
            assert_eq!(
                size,
                if is_turned(orientation) {
                    (5, 7)
                } else {
                    (7, 5)
                }
            );
            let region = Region {
                x: 1,
                y: 2,
                width: 3,
                height: 2,
            };
            let place = region.stored(orientation, size);
            let mut cut = stored.crop_imm(place.x, place.y, place.width, place.height);
            cut.apply_orientation(orientation);
            assert_eq!(cut, upright.crop_imm(1, 2, 3, 2), "{orientation:?}");
        }
    }

    #[test]
    fn a_region_ends_with_the_image() {
        let region = |x, width| Region {
            x,
            y: 0,
            width,
            height: u32::MAX,
        };
        let cut = region(8, u32::MAX).within((10, 4)).unwrap();
        assert_eq!((cut.width, cut.height), (2, 4));
        assert_eq!(region(10, 1).within((10, 4)), None);
        assert_eq!(region(0, 0).within((10, 4)), None);
    }
}
