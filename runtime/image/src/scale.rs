//! Makes images smaller: each pixel is the mean of the area that it covers.

use image::{DynamicImage, GenericImageView as _, Rgba, RgbaImage};

use crate::region::Region;

/// Returns the size of an image whose longer edge has at most the given length.
pub(crate) fn fit((width, height): (u32, u32), max_edge: u32) -> (u32, u32) {
    let longer = width.max(height);
    if longer <= max_edge {
        return (width, height);
    }
    let scaled = |edge: u32| {
        let rounded =
            (u64::from(edge) * u64::from(max_edge) + u64::from(longer) / 2) / u64::from(longer);
        u32::try_from(rounded)
            .unwrap_or(max_edge)
            .clamp(1, max_edge)
    };
    (scaled(width), scaled(height))
}

/// Scales a part of an image down to a size, which is at most its own. Needs the memory of the result and one row.
pub(crate) fn shrink(image: &DynamicImage, part: Region, (width, height): (u32, u32)) -> RgbaImage {
    let columns = spans(part.width, width);
    let rows = spans(part.height, height);
    let mut scaled = RgbaImage::new(width, height);
    let mut sums = vec![[0.0_f32; 4]; width as usize];
    let (mut row, mut covered) = (0, rows.iter().enumerate().peekable());
    while row < height {
        sums.fill([0.0; 4]);
        // A stored row belongs to one row of the result, or to two that follow each other.
        while let Some((at, span)) = covered.peek().copied() {
            let weight = span.weight_of(row);
            if weight > 0.0 {
                let y = part.y + u32::try_from(at).unwrap_or_default();
                add_row(image, (part.x, y), &columns, weight, &mut sums);
            }
            if span.last() > row {
                break;
            }
            covered.next();
        }
        for (sum, pixel) in sums
            .iter()
            .zip(scaled.rows_mut().nth(row as usize).into_iter().flatten())
        {
            *pixel = mean(*sum);
        }
        row += 1;
    }
    scaled
}

/// Adds the pixels of a row to the sums of the columns, with colors weighted by their opacity.
fn add_row(
    image: &DynamicImage,
    (left, y): (u32, u32),
    columns: &[Span],
    weight: f32,
    sums: &mut [[f32; 4]],
) {
    for (x, span) in (left..).zip(columns) {
        let Rgba([red, green, blue, alpha]) = image.get_pixel(x, y);
        let alpha = f32::from(alpha) / 255.0;
        let values = [red, green, blue].map(|value| f32::from(value) * alpha);
        for (column, part) in [
            (span.first, span.weights[0]),
            (span.first + 1, span.weights[1]),
        ] {
            let Some(sum) = sums.get_mut(column as usize).filter(|_| part > 0.0) else {
                continue;
            };
            let part = part * weight;
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += value * part;
            }
            sum[3] += alpha * part;
        }
    }
}

fn mean([red, green, blue, alpha]: [f32; 4]) -> Rgba<u8> {
    if alpha <= 0.0 {
        return Rgba([0; 4]);
    }
    // A conversion from a float saturates.
    let color = |sum: f32| (sum / alpha).round() as u8;
    Rgba([
        color(red),
        color(green),
        color(blue),
        (alpha * 255.0).round() as u8,
    ])
}

/// The places of the result that a stored column or row is part of, with its share of each.
#[derive(Debug, Clone, Copy)]
struct Span {
    first: u32,
    weights: [f32; 2],
}

impl Span {
    fn last(&self) -> u32 {
        self.first + u32::from(self.weights[1] > 0.0)
    }

    fn weight_of(&self, place: u32) -> f32 {
        match place.checked_sub(self.first) {
            Some(0) => self.weights[0],
            Some(1) => self.weights[1],
            _ => 0.0,
        }
    }
}

/// Returns the span of each of `stored` columns or rows in a result of `scaled` ones, which are at most as many.
fn spans(stored: u32, scaled: u32) -> Vec<Span> {
    let (stored, scaled) = (u64::from(stored), u64::from(scaled));
    let share = |length: u64| length as f32 / stored as f32;
    (0..stored)
        .map(|at| {
            // In units of a part of a stored place, of which a place of the result has `stored`.
            let (from, to) = (at * scaled, (at + 1) * scaled);
            let first = from / stored;
            let end = ((first + 1) * stored).min(to);
            Span {
                first: u32::try_from(first).unwrap_or(u32::MAX),
                weights: [share(end - from), share(to - end)],
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, Rgba, RgbaImage};
    use proptest::prelude::*;

    use super::{fit, shrink, spans};
    use crate::region::Region;

    #[test]
    fn sizes_keep_their_form() {
        assert_eq!(fit((3_000, 1_500), 1_000), (1_000, 500));
        assert_eq!(fit((16_384, 1), 100), (100, 1));
        assert_eq!(fit((10, 20), 100), (10, 20));
    }

    #[test]
    fn a_pixel_is_the_mean_of_its_area() {
        let image = RgbaImage::from_fn(4, 1, |x, _| match x {
            0 => Rgba([0, 0, 0, 255]),
            1 => Rgba([100, 200, 50, 255]),
            // The color of what is not seen is not mixed in.
            2 => Rgba([255, 0, 0, 0]),
            _ => Rgba([0, 80, 0, 255]),
        });
        let image = DynamicImage::from(image);
        let scaled = shrink(&image, Region::whole((4, 1)), (2, 1));
        assert_eq!(scaled.get_pixel(0, 0), &Rgba([50, 100, 25, 255]));
        assert_eq!(scaled.get_pixel(1, 0), &Rgba([0, 80, 0, 128]));
        let same = shrink(&image, Region::whole((4, 1)), (4, 1));
        assert_eq!(same.get_pixel(1, 0), &Rgba([100, 200, 50, 255]));
    }

    proptest! {
        #[test]
        fn every_place_is_covered_once(stored in 1_u32..400, share in 0.0..1.0) {
            let scaled = ((f64::from(stored) * share) as u32).max(1);
            let mut sums = vec![0.0_f32; scaled as usize + 1];
            for span in spans(stored, scaled) {
                sums[span.first as usize] += span.weights[0];
                sums[span.first as usize + 1] += span.weights[1];
            }
            prop_assert!(sums[..scaled as usize].iter().all(|sum| (sum - 1.0).abs() < 1e-3));
            prop_assert!(sums[scaled as usize].abs() < 1e-6);
        }

        #[test]
        fn one_color_stays(width in 1_u32..40, height in 1_u32..40, edge in 1_u32..40, color: [u8; 3]) {
            let [red, green, blue] = color;
            let color = Rgba([red, green, blue, 255]);
            let image = DynamicImage::from(RgbaImage::from_pixel(width, height, color));
            let scaled = shrink(&image, Region::whole((width, height)), fit((width, height), edge));
            prop_assert!(scaled.pixels().all(|pixel| *pixel == color));
        }
    }
}
