//! Lays the components of a graph side by side: each is turned so that it lies flat,
//! scaled so that a node takes up about as much room in each of them, and put as near
//! to the ground, then to the left, as a skyline of those before it lets it.

use crate::layout::plane::{Point, corners, extent};

/// Room for a node of a component, in units of the room for one without edges.
const ROOM: f64 = 2.0;
/// Free space between components, in the distances of nodes without edges.
const GAP: f64 = 2.0;
/// Widths of the whole that are tried.
const WIDTHS: usize = 12;

/// Moves the components to their places, and adds the nodes without edges after
/// them, in rows behind all: at greater y, which is below on a screen.
pub(crate) fn pack(components: &mut Vec<Vec<Point>>, alone: usize, nodes: usize) {
    let longest = (ROOM * nodes as f64).sqrt();
    for places in components.iter_mut() {
        lay_flat(places);
        scale(places, longest);
    }
    let boxes: Vec<Point> = components
        .iter()
        .map(|places| extent(places).map(|side| side + GAP))
        .collect();
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&a, &b| boxes[b][1].total_cmp(&boxes[a][1]).then(a.cmp(&b)));
    let widest = boxes.iter().map(|sides| sides[0]).fold(1.0, f64::max);
    let area: f64 = boxes.iter().map(|sides| sides[0] * sides[1]).sum();
    let square = (area + alone as f64).sqrt().max(widest);
    let mut best: Option<(f64, Point, Vec<Point>)> = None;
    for number in 0..WIDTHS {
        let width = square * (1.0 + number as f64 / WIDTHS as f64);
        let (height, corners) = skyline(&boxes, &order, width);
        let side = width.max(height + rows(alone, width));
        if best.as_ref().is_none_or(|best| side < best.0) {
            best = Some((side, [width, height], corners));
        }
    }
    let Some((_, [width, ground], to)) = best else {
        return;
    };
    for (places, to) in components.iter_mut().zip(to) {
        let (low, _) = corners(places);
        for place in places {
            *place = [place[0] - low[0] + to[0], place[1] - low[1] + to[1]];
        }
    }
    let columns = (width.floor() as usize).max(1);
    let block = (0..alone).map(|number| {
        let (row, column) = (number / columns, number % columns);
        [column as f64, ground + row as f64]
    });
    components.push(block.collect());
}

/// The height of the block of nodes without edges, in rows of this width.
fn rows(alone: usize, width: f64) -> f64 {
    if alone == 0 {
        return 0.0;
    }
    alone.div_ceil((width.floor() as usize).max(1)) as f64
}

/// Turns places so that they spread most along x.
fn lay_flat(places: &mut [Point]) {
    let count = places.len() as f64;
    let mean = places.iter().fold([0.0; 2], |sum, place| {
        [sum[0] + place[0] / count, sum[1] + place[1] / count]
    });
    let [mut across, mut both, mut up] = [0.0; 3];
    for place in places.iter_mut() {
        *place = [place[0] - mean[0], place[1] - mean[1]];
        across += place[0] * place[0];
        both += place[0] * place[1];
        up += place[1] * place[1];
    }
    // The axis of the greater eigenvalue of [[across, both], [both, up]].
    let half = (across - up) / 2.0;
    let root = (half * half + both * both).sqrt();
    let axis = if half >= 0.0 {
        [half + root, both]
    } else {
        [both, root - half]
    };
    let length = (axis[0] * axis[0] + axis[1] * axis[1]).sqrt();
    if length > 0.0 {
        let [cosine, sine] = axis.map(|value| value / length);
        for place in places {
            let [x, y] = *place;
            *place = [cosine * x + sine * y, cosine * y - sine * x];
        }
    }
}

/// Scales places so that their box, with half a unit around it, has the room their
/// number needs, and is no longer than this.
fn scale(places: &mut [Point], longest: f64) {
    let [width, height] = extent(places);
    let room = ROOM * places.len() as f64;
    // (scale * width + 1) * (scale * height + 1) = room
    let (square, linear, rest) = (width * height, width + height, room - 1.0);
    let root = (linear * linear + 4.0 * square * rest).sqrt();
    if linear > 0.0 {
        let scale = 2.0 * rest / (linear + root);
        let scale = scale.min(longest / width.max(height));
        for place in places {
            *place = place.map(|value| value * scale);
        }
    }
}

/// A stretch of the skyline: from here to the next it is this high.
#[derive(Clone, Copy)]
struct Stretch {
    from: f64,
    height: f64,
}

/// Puts boxes, in this order, where they come to lie lowest, then leftmost. The
/// height of the whole, and each box's lower left corner.
fn skyline(boxes: &[Point], order: &[usize], width: f64) -> (f64, Vec<Point>) {
    let mut line = vec![Stretch {
        from: 0.0,
        height: 0.0,
    }];
    let mut corners = vec![[0.0; 2]; boxes.len()];
    let mut top: f64 = 0.0;
    for &number in order {
        let [wide, high] = boxes[number];
        let mut best: Option<(f64, usize)> = None;
        for (first, stretch) in line.iter().enumerate() {
            let end = stretch.from + wide;
            if end > width && first > 0 {
                break;
            }
            let under = line[first..].iter().take_while(|next| next.from < end);
            let ground = under.map(|next| next.height).fold(0.0, f64::max);
            if best.is_none_or(|best| ground < best.0) {
                best = Some((ground, first));
            }
        }
        let (ground, first) = best.unwrap_or((0.0, 0));
        let from = line[first].from;
        corners[number] = [from, ground];
        top = top.max(ground + high);
        let end = from + wide;
        let covered = line[first..].iter().take_while(|next| next.from < end);
        let covered = first..first + covered.count();
        let after = line[covered.end - 1].height;
        let mut put = vec![Stretch {
            from,
            height: ground + high,
        }];
        let next = line.get(covered.end).map_or(width, |next| next.from);
        if end < next {
            put.push(Stretch {
                from: end,
                height: after,
            });
        }
        line.splice(covered, put);
    }
    (top, corners)
}
