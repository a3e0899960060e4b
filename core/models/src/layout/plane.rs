//! Places on a plane, and what all parts of a layout ask of them.

/// A place on the plane: x, y.
pub(crate) type Point = [f64; 2];

/// Neighbours and weights of each node, by ascending neighbour.
pub(crate) type Graph = Vec<Vec<(usize, f64)>>;

/// Width and height of what the places cover.
pub(crate) fn extent(places: &[Point]) -> Point {
    let (low, high) = corners(places);
    [high[0] - low[0], high[1] - low[1]]
}

/// The least and the greatest coordinates; of no places, zeros.
pub(crate) fn corners(places: &[Point]) -> (Point, Point) {
    let Some(&first) = places.first() else {
        return ([0.0; 2], [0.0; 2]);
    };
    places.iter().fold((first, first), |(low, high), place| {
        (
            [low[0].min(place[0]), low[1].min(place[1])],
            [high[0].max(place[0]), high[1].max(place[1])],
        )
    })
}

/// Scales and shifts places into the unit box.
pub(crate) fn fit(places: &mut [Point]) {
    let (low, high) = corners(places);
    let side = (high[0] - low[0]).max(high[1] - low[1]);
    let scale = if side > 0.0 { 1.0 / side } else { 0.0 };
    for place in places {
        for axis in 0..2 {
            let middle = f64::midpoint(low[axis], high[axis]);
            place[axis] = (0.5 + (place[axis] - middle) * scale).clamp(0.0, 1.0);
        }
    }
}
