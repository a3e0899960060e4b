//! The icon in the sizes that browsers and stores ask for, from its one drawing.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use serde_json::{Map, Value, json};

/// Pixels wide and high.
pub const SIZES: [u32; 5] = [16, 32, 48, 96, 128];
/// The colour of the drawing's ground, and what stands there while nothing is read.
const GROUND: &str = "#0b5fa5";
const GROUND_OFF: &str = "#6b7280";

/// Draws all sizes into a folder: `on-16.png` and so on, and `off-16.png`.
pub(crate) fn draw(drawing: &Path, folder: &Path) -> Result<()> {
    let on = fs::read_to_string(drawing)?;
    let off = on.replace(GROUND, GROUND_OFF);
    fs::create_dir_all(folder)?;
    for (name, drawing) in [("on", on), ("off", off)] {
        let tree = Tree::from_str(&drawing, &Options::default()).context("the icon's drawing")?;
        for size in SIZES {
            let mut picture = Pixmap::new(size, size).context("an icon of no size")?;
            let scale = size as f32 / tree.size().width();
            let by = Transform::from_scale(scale, scale);
            resvg::render(&tree, by, &mut picture.as_mut());
            fs::write(folder.join(file(name, size)), picture.encode_png()?)?;
        }
    }
    Ok(())
}

fn file(name: &str, size: u32) -> String {
    format!("{name}-{size}.png")
}

/// What stands of them in a manifest.
pub(crate) fn named() -> Value {
    let sizes = SIZES.iter();
    let rows = sizes.map(|&size| {
        (
            size.to_string(),
            json!(format!("icons/{}", file("on", size))),
        )
    });
    Value::Object(rows.collect::<Map<String, Value>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_drawn_on_and_off() {
        let folder = tempfile::tempdir().unwrap();
        let drawing = crate::root().join("web-ext-manifest/icon.svg");
        draw(&drawing, folder.path()).unwrap();
        for size in SIZES {
            let [on, off] = ["on", "off"].map(|name| {
                let file = fs::read(folder.path().join(file(name, size))).unwrap();
                Pixmap::decode_png(&file).unwrap()
            });
            assert_eq!((on.width(), on.height()), (size, size));
            assert_ne!(on.data(), off.data());
            let middle = on.pixel(size / 2, size / 10).unwrap();
            assert_eq!((middle.red(), middle.green(), middle.blue()), (11, 95, 165));
            assert_eq!(on.pixel(0, 0).unwrap().alpha(), 0, "round corners");
        }
    }
}
