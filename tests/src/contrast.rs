//! How well colours stand out from each other.

/// Contrast of two colours, as WCAG 2.2 defines it.
pub fn contrast(one: &[f64], other: &[f64]) -> f64 {
    let bright = |colour: &[f64]| -> f64 {
        let linear = |part: f64| {
            let part = part / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2])
    };
    let (one, other) = (bright(one), bright(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}
