//! The encoder against one written down number by number, without a library.

use std::collections::HashMap;

use safetensors::tensor::TensorView;

use super::*;

const SHAPE: Shape = Shape {
    pieces: 7,
    positions: 6,
    hidden: 8,
    heads: 2,
    layers: 2,
    between: 12,
};

type Row = Vec<f64>;

/// Weights by their names, drawn by a congruential generator.
#[derive(Default)]
struct Drawn {
    rows: HashMap<String, (Vec<usize>, Vec<f32>)>,
    state: u64,
}

impl Drawn {
    /// A matrix is of whole numbers, each row with a scale, as they are packed.
    fn draw_packed(&mut self, name: &str, rows: usize, width: usize) {
        self.draw(name, &[rows, width]);
        self.draw(&format!("{name}.scale"), &[rows]);
        if let Some((_, numbers)) = self.rows.get_mut(name) {
            for number in numbers {
                *number = (*number * 254.0).round();
            }
        }
        if let Some((_, scales)) = self.rows.get_mut(&format!("{name}.scale")) {
            for scale in scales {
                *scale = (*scale + 1.0) / 254.0;
            }
        }
    }

    fn draw(&mut self, name: &str, shape: &[usize]) {
        let numbers = (0..shape.iter().product()).map(|_| {
            let step = self.state.wrapping_mul(6_364_136_223_846_793_005);
            self.state = step.wrapping_add(1_442_695_040_888_963_407);
            (self.state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        });
        let numbers = numbers.collect();
        self.rows.insert(name.to_owned(), (shape.to_vec(), numbers));
    }

    fn linear(&mut self, name: &str, from: usize, to: usize) {
        self.draw_packed(&format!("{name}.weight"), to, from);
        self.draw(&format!("{name}.bias"), &[to]);
    }

    fn norm(&mut self, name: &str) {
        for part in ["weight", "bias"] {
            self.draw(&format!("{name}.{part}"), &[SHAPE.hidden]);
        }
    }

    fn new() -> Self {
        let mut weights = Self::default();
        let hidden = SHAPE.hidden;
        for (name, rows) in [
            ("word", SHAPE.pieces),
            ("position", SHAPE.positions),
            ("token_type", KINDS),
        ] {
            let name = format!("embeddings.{name}_embeddings.weight");
            weights.draw_packed(&name, rows, hidden);
        }
        weights.norm("embeddings.LayerNorm");
        for layer in 0..SHAPE.layers {
            let layer = format!("encoder.layer.{layer}");
            for part in ["self.query", "self.key", "self.value", "output.dense"] {
                weights.linear(&format!("{layer}.attention.{part}"), hidden, hidden);
            }
            weights.norm(&format!("{layer}.attention.output.LayerNorm"));
            let between = SHAPE.between;
            weights.linear(&format!("{layer}.intermediate.dense"), hidden, between);
            weights.linear(&format!("{layer}.output.dense"), between, hidden);
            weights.norm(&format!("{layer}.output.LayerNorm"));
        }
        weights
    }

    fn file(&self) -> Vec<u8> {
        let rows = self.rows.iter().map(|(name, (shape, numbers))| {
            let bytes: Vec<u8> = match shape.len() {
                1 => numbers
                    .iter()
                    .flat_map(|number| number.to_le_bytes())
                    .collect(),
                _ => numbers
                    .iter()
                    .map(|number| (*number as i8).cast_unsigned())
                    .collect(),
            };
            (name, shape, bytes)
        });
        let rows: Vec<(&String, &Vec<usize>, Vec<u8>)> = rows.collect();
        let tensors = rows.iter().map(|(name, shape, bytes)| {
            let kind = if shape.len() == 1 {
                Dtype::F32
            } else {
                Dtype::I8
            };
            let tensor = TensorView::new(kind, (*shape).clone(), bytes);
            (name, tensor.unwrap())
        });
        safetensors::serialize(tensors, None).unwrap()
    }

    fn of(&self, name: &str, row: usize, width: usize) -> Row {
        let numbers = &self.rows[name].1[row * width..(row + 1) * width];
        let scale = self.rows.get(&format!("{name}.scale"));
        let scale = scale.map_or(1.0, |(_, scales)| f64::from(scales[row]));
        numbers
            .iter()
            .map(|&number| f64::from(number) * scale)
            .collect()
    }

    fn apply(&self, name: &str, to: usize, input: &[f64]) -> Row {
        let bias = self.of(&format!("{name}.bias"), 0, to);
        let output = bias.iter().enumerate().map(|(number, bias)| {
            let weights = self.of(&format!("{name}.weight"), number, input.len());
            bias + weights.iter().zip(input).map(|(a, b)| a * b).sum::<f64>()
        });
        output.collect()
    }

    fn normed(&self, name: &str, input: &[f64]) -> Row {
        let count = input.len() as f64;
        let mean = input.iter().sum::<f64>() / count;
        let squares = input.iter().map(|number| (number - mean).powi(2));
        let deviation = (squares.sum::<f64>() / count + f64::from(EPSILON)).sqrt();
        let weight = self.of(&format!("{name}.weight"), 0, input.len());
        let bias = self.of(&format!("{name}.bias"), 0, input.len());
        let numbers = input.iter().zip(&weight).zip(&bias);
        let normed =
            numbers.map(|((number, weight), bias)| weight * (number - mean) / deviation + bias);
        normed.collect()
    }

    fn encode(&self, tokens: &[u32]) -> Row {
        let hidden = SHAPE.hidden;
        let read = |name: &str, row| self.of(&format!("embeddings.{name}.weight"), row, hidden);
        let states = tokens.iter().enumerate().map(|(place, &token)| {
            let piece = read("word_embeddings", token as usize);
            let place = read("position_embeddings", place);
            let sum = plus(&plus(&piece, &place), &read("token_type_embeddings", 0));
            self.normed("embeddings.LayerNorm", &sum)
        });
        let mut states: Vec<Row> = states.collect();
        for layer in 0..SHAPE.layers {
            states = self.layer(&format!("encoder.layer.{layer}"), &states);
        }
        let mut mean = vec![0.0; hidden];
        for state in &states {
            mean = plus(&mean, state);
        }
        let length = mean
            .iter()
            .map(|number| number * number)
            .sum::<f64>()
            .sqrt();
        mean.iter().map(|number| number / length).collect()
    }

    fn layer(&self, name: &str, states: &[Row]) -> Vec<Row> {
        let hidden = SHAPE.hidden;
        let width = hidden / SHAPE.heads;
        let of = |part: &str| -> Vec<Row> {
            let name = format!("{name}.attention.self.{part}");
            states
                .iter()
                .map(|state| self.apply(&name, hidden, state))
                .collect()
        };
        let (query, key, value) = (of("query"), of("key"), of("value"));
        let attended = |token: usize| -> Row {
            let mut attended = vec![0.0; hidden];
            for head in 0..SHAPE.heads {
                let part = head * width..(head + 1) * width;
                let score = |key: &Row| -> f64 {
                    let products = query[token][part.clone()].iter().zip(&key[part.clone()]);
                    products.map(|(a, b)| a * b).sum::<f64>() / (width as f64).sqrt()
                };
                let shares: Row = key.iter().map(|key| score(key).exp()).collect();
                let all: f64 = shares.iter().sum();
                for (share, value) in shares.iter().zip(&value) {
                    for place in part.clone() {
                        attended[place] += share / all * value[place];
                    }
                }
            }
            attended
        };
        let through = |(token, state): (usize, &Row)| -> Row {
            let dense = format!("{name}.attention.output.dense");
            let sum = plus(&self.apply(&dense, hidden, &attended(token)), state);
            let middle = self.normed(&format!("{name}.attention.output.LayerNorm"), &sum);
            let wide = self.apply(
                &format!("{name}.intermediate.dense"),
                SHAPE.between,
                &middle,
            );
            let wide: Row = wide.into_iter().map(gelu).collect();
            let narrow = self.apply(&format!("{name}.output.dense"), hidden, &wide);
            self.normed(&format!("{name}.output.LayerNorm"), &plus(&narrow, &middle))
        };
        states.iter().enumerate().map(through).collect()
    }
}

fn plus(a: &[f64], b: &[f64]) -> Row {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// `x` times the share of a normal distribution below it, by Simpson's rule.
fn gelu(x: f64) -> f64 {
    let density = |at: f64| (-at * at / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let steps = 200;
    let step = x / f64::from(steps);
    let inner = (1..steps).map(|number| {
        let weight = if number % 2 == 1 { 4.0 } else { 2.0 };
        weight * density(f64::from(number) * step)
    });
    let below = 0.5 + step / 3.0 * (density(0.0) + density(x) + inner.sum::<f64>());
    x * below
}

#[test]
fn it_computes_what_the_formulas_say() {
    let weights = Drawn::new();
    let encoder = Encoder::read(&weights.file(), SHAPE).unwrap();
    let texts = [&[1, 5, 2, 6, 0][..], &[3], &[4, 4, 4, 4, 4, 4]];
    let together = encoder.encode(&texts).unwrap();
    assert_eq!(together.len(), texts.len());
    for (tokens, own) in texts.iter().zip(together) {
        let expected = weights.encode(tokens);
        for (own, expected) in own.iter().zip(&expected) {
            assert!(
                (f64::from(*own) - expected).abs() < 1e-5,
                "{own} {expected}"
            );
        }
        assert_eq!(own.len(), SHAPE.hidden);
    }
}

#[test]
fn weights_of_another_shape_are_refused() {
    let mut weights = Drawn::new();
    weights.draw_packed("encoder.layer.1.output.dense.weight", 3, 3);
    assert!(Encoder::read(&weights.file(), SHAPE).is_err());
    assert!(Encoder::read(b"no weights", SHAPE).is_err());
}

#[test]
fn too_long_a_text_is_an_error_and_no_panic() {
    let encoder = Encoder::read(&Drawn::new().file(), SHAPE).unwrap();
    for text in [&[1; 7][..], &[99], &[]] {
        assert!(encoder.encode(&[&[1], text]).is_err());
    }
    assert!(encoder.encode(&[]).unwrap().is_empty());
}
