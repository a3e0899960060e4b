//! L-BFGS: minimises a smooth function of many variables from its value and
//! gradient (Nocedal and Wright 2006, algorithms 7.4, 7.5, 3.5 and 3.6).
//!
//! Steps meet the strong Wolfe conditions. Bounds on the variables and
//! L1 penalties are not here.

/// Pairs of steps and changes of the gradient that are remembered.
const MEMORY: usize = 6;
/// Wolfe conditions: sufficient decrease and curvature.
const DECREASE: f64 = 1e-4;
const CURVATURE: f64 = 0.9;
/// Looks at the function along one direction, at most.
const MOST_LOOKS: usize = 20;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// Iterations, at most.
    pub iterations: usize,
    /// Norm of the gradient, as a share of the norm of the variables (or of 1),
    /// at which the minimum counts as found.
    pub gradient: f64,
    /// The value has come to rest when this share of it, or less, was gained in
    /// the last ten iterations; 0 never stops for this.
    pub gain: f64,
}

impl Default for Stopping {
    fn default() -> Self {
        Self {
            iterations: 100,
            gradient: 1e-5,
            gain: 1e-5,
        }
    }
}

/// How far the search has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iteration {
    /// From 1.
    pub number: usize,
    /// The value reached.
    pub value: f64,
    /// Euclidean norm of the gradient there.
    pub gradient_norm: f64,
}

/// Why the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The gradient is as good as zero.
    Minimum,
    /// The value changes no more.
    Converged,
    /// All iterations are done.
    Iterations,
    /// No step along the direction made it better.
    NoStep,
}

struct Point {
    at: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// `1 / (step . change)`.
    rho: f64,
}

/// Minimises from `start`. `function` writes the gradient, which is as long as
/// the variables, and returns the value. `on_iteration` hears of every
/// iteration.
pub fn minimise(
    start: Vec<f64>,
    stopping: Stopping,
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
    mut on_iteration: impl FnMut(Iteration),
) -> (Vec<f64>, Ended) {
    let mut here = Point {
        value: 0.0,
        gradient: vec![0.0; start.len()],
        at: start,
    };
    here.value = function(&here.at, &mut here.gradient);
    let mut pairs: Vec<Pair> = Vec::new();
    let mut values = vec![here.value];
    for number in 1..=stopping.iterations {
        if is_minimum(&here, stopping) {
            return (here.at, Ended::Minimum);
        }
        let direction = direction(&here.gradient, &pairs);
        let first = if pairs.is_empty() {
            1.0 / norm(&here.gradient)
        } else {
            1.0
        };
        let Some(next) = line_search(&here, &direction, first, &mut function) else {
            if pairs.is_empty() {
                return (here.at, Ended::NoStep);
            }
            // What is remembered misleads: once more straight downhill.
            pairs.clear();
            continue;
        };
        remember(&mut pairs, &here, &next);
        here = next;
        on_iteration(Iteration {
            number,
            value: here.value,
            gradient_norm: norm(&here.gradient),
        });
        values.push(here.value);
        let before = values.len().checked_sub(11).map(|place| values[place]);
        let is_at_rest = |before: f64| {
            stopping.gain > 0.0 && (before - here.value) <= stopping.gain * here.value.abs()
        };
        if before.is_some_and(is_at_rest) {
            return (here.at, Ended::Converged);
        }
    }
    let ended = if is_minimum(&here, stopping) {
        Ended::Minimum
    } else {
        Ended::Iterations
    };
    (here.at, ended)
}

fn is_minimum(here: &Point, stopping: Stopping) -> bool {
    norm(&here.gradient) <= stopping.gradient * norm(&here.at).max(1.0)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// `a += factor * b`.
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}

fn remember(pairs: &mut Vec<Pair>, here: &Point, next: &Point) {
    let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
    let step: Vec<f64> = minus(&next.at, &here.at);
    let change: Vec<f64> = minus(&next.gradient, &here.gradient);
    let curvature = dot(&step, &change);
    if curvature > 1e-12 * dot(&change, &change) {
        if pairs.len() == MEMORY {
            pairs.remove(0);
        }
        pairs.push(Pair {
            step,
            change,
            rho: 1.0 / curvature,
        });
    }
}

/// Algorithm 7.4: minus the gradient, times the inverse Hessian as the pairs
/// tell it.
fn direction(gradient: &[f64], pairs: &[Pair]) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let share = pair.rho * dot(&pair.step, &direction);
        add(&mut direction, -share, &pair.change);
        shares.push(share);
    }
    if let Some(newest) = pairs.last() {
        let scale = 1.0 / (newest.rho * dot(&newest.change, &newest.change));
        for value in &mut direction {
            *value *= scale;
        }
    }
    for (pair, share) in pairs.iter().zip(shares.into_iter().rev()) {
        let back = pair.rho * dot(&pair.change, &direction);
        add(&mut direction, share - back, &pair.step);
    }
    direction
}

/// A point on the line: how far, the value there and its slope.
#[derive(Clone, Copy)]
struct Look {
    far: f64,
    value: f64,
    slope: f64,
}

/// Algorithms 3.5 and 3.6: a step that meets the strong Wolfe conditions, or
/// the best one seen if it makes the value smaller at all.
fn line_search(
    here: &Point,
    direction: &[f64],
    first: f64,
    function: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Option<Point> {
    let start = Look {
        far: 0.0,
        value: here.value,
        slope: dot(&here.gradient, direction),
    };
    if start.slope >= 0.0 {
        return None;
    }
    let mut best: Option<Point> = None;
    let mut look = |far: f64| -> (Look, bool) {
        let mut at = here.at.clone();
        add(&mut at, far, direction);
        let mut gradient = vec![0.0; at.len()];
        let value = function(&at, &mut gradient);
        let slope = dot(&gradient, direction);
        let is_better = best.as_ref().is_none_or(|best| value < best.value);
        let decreases = value <= start.value + DECREASE * far * start.slope;
        if value.is_finite() && decreases && is_better {
            best = Some(Point {
                at,
                value,
                gradient,
            });
        }
        let flat = slope.abs() <= -CURVATURE * start.slope;
        (Look { far, value, slope }, decreases && flat)
    };
    let (mut last, mut far) = (start, first);
    // Ends of an interval that holds a good step; the first is the lower one.
    let mut interval: Option<(Look, Look)> = None;
    for _ in 0..MOST_LOOKS {
        if let Some((low, high)) = interval {
            far = between(low, high);
        }
        let (now, is_good) = look(far);
        if is_good {
            break;
        }
        let too_high = now.value.is_nan()
            || now.value > start.value + DECREASE * far * start.slope
            || now.value >= interval.map_or(last, |ends| ends.0).value && last.far > 0.0
            || interval.is_some_and(|ends| now.value >= ends.0.value);
        interval = match interval {
            None if too_high => Some((last, now)),
            None if now.slope >= 0.0 => Some((now, last)),
            None => {
                last = now;
                far *= 2.0;
                continue;
            }
            Some((low, _)) if too_high => Some((low, now)),
            Some((low, high)) if now.slope * (high.far - low.far) >= 0.0 => Some((now, low)),
            Some((_, high)) => Some((now, high)),
        };
        if let Some((low, high)) = interval
            && (high.far - low.far).abs() < 1e-12 * first
        {
            break;
        }
    }
    best
}

/// The minimum of the cubic through two points with their slopes, kept away
/// from the ends; the middle where there is none.
fn between(a: Look, b: Look) -> f64 {
    let middle = f64::midpoint(a.far, b.far);
    let d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.far - b.far);
    let square = d1 * d1 - a.slope * b.slope;
    let d2 = square.sqrt() * (b.far - a.far).signum();
    let far = b.far - (b.far - a.far) * (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2);
    let margin = 0.1 * (b.far - a.far).abs();
    let (low, high) = (a.far.min(b.far) + margin, a.far.max(b.far) - margin);
    if far.is_finite() && far >= low && far <= high {
        far
    } else {
        middle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact() -> Stopping {
        Stopping {
            iterations: 2_000,
            gradient: 1e-9,
            gain: 0.0,
        }
    }

    /// Minimises and says how far the end is from where it should be.
    fn miss(start: &[f64], end: &[f64], function: impl FnMut(&[f64], &mut [f64]) -> f64) -> f64 {
        let mut values = Vec::new();
        let on_iteration = |iteration: Iteration| values.push(iteration.value);
        let (found, ended) = minimise(start.to_vec(), exact(), function, on_iteration);
        assert!(
            values.windows(2).all(|pair| pair[1] <= pair[0]),
            "{values:?}"
        );
        assert_eq!(ended, Ended::Minimum);
        let apart: Vec<f64> = found.iter().zip(end).map(|(a, b)| a - b).collect();
        norm(&apart)
    }

    fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut value = 0.0;
        for i in 0..x.len() - 1 {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            value += a * a + 100.0 * b * b;
            gradient[i] += -2.0 * a - 400.0 * x[i] * b;
            gradient[i + 1] += 200.0 * b;
        }
        value
    }

    #[test]
    fn it_finds_the_minima_of_standard_functions() {
        for length in [2, 10, 100] {
            let start: Vec<f64> = (0..length)
                .map(|i| if i % 2 == 0 { -1.2 } else { 1.0 })
                .collect();
            // From this start the long valley of 4 or more variables has a second
            // minimum near -1; a start beside the first is in its basin.
            let start = if length == 2 {
                start
            } else {
                vec![0.5; length]
            };
            assert!(
                miss(&start, &vec![1.0; length], rosenbrock) < 1e-6,
                "{length}"
            );
        }
        // Powell's singular function: the Hessian is singular at the minimum.
        let powell = |x: &[f64], g: &mut [f64]| {
            let terms = [
                x[0] + 10.0 * x[1],
                x[2] - x[3],
                x[1] - 2.0 * x[2],
                x[0] - x[3],
            ];
            let [a, b, c, d] = terms;
            g[0] = 2.0 * a + 40.0 * d.powi(3);
            g[1] = 20.0 * a + 4.0 * c.powi(3);
            g[2] = 10.0 * b - 8.0 * c.powi(3);
            g[3] = -10.0 * b - 40.0 * d.powi(3);
            a * a + 5.0 * b * b + c.powi(4) + 10.0 * d.powi(4)
        };
        assert!(miss(&[3.0, -1.0, 0.0, 1.0], &[0.0; 4], powell) < 1e-2);
        // Beale's function.
        let beale = |x: &[f64], g: &mut [f64]| {
            g.fill(0.0);
            let mut value = 0.0;
            for (power, constant) in [(1, 1.5), (2, 2.25), (3, 2.625)] {
                let b = x[1].powi(power);
                let term = constant - x[0] + x[0] * b;
                value += term * term;
                g[0] += 2.0 * term * (b - 1.0);
                g[1] += 2.0 * term * x[0] * f64::from(power) * x[1].powi(power - 1);
            }
            value
        };
        assert!(miss(&[1.0, 1.0], &[3.0, 0.5], beale) < 1e-6);
        // A quadratic, stretched by a thousand.
        let scales: Vec<f64> = (0..50).map(|i| 1.0 + 20.0 * f64::from(i)).collect();
        let stretched = |x: &[f64], g: &mut [f64]| {
            let mut value = 0.0;
            for ((x, g), scale) in x.iter().zip(g.iter_mut()).zip(&scales) {
                value += 0.5 * scale * (x - 2.0) * (x - 2.0);
                *g = scale * (x - 2.0);
            }
            value
        };
        assert!(miss(&[-5.0; 50], &[2.0; 50], stretched) < 1e-6);
    }

    #[test]
    fn it_stops_when_it_is_told_to() {
        let two = Stopping {
            iterations: 2,
            ..exact()
        };
        let (_, ended) = minimise(vec![-1.2, 1.0], two, rosenbrock, |_| {});
        assert_eq!(ended, Ended::Iterations);
        let (at, ended) = minimise(vec![1.0, 1.0], exact(), rosenbrock, |_| {});
        assert_eq!((at, ended), (vec![1.0, 1.0], Ended::Minimum));
        // A function that lies about its slope has no step.
        let lies = |x: &[f64], g: &mut [f64]| {
            g[0] = 1.0;
            -x[0]
        };
        assert_eq!(minimise(vec![0.0], exact(), lies, |_| {}).1, Ended::NoStep);
    }
}
