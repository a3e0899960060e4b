//! The forward pass of BERT (Devlin et al. 2019) without dropout, down to the mean of the last
//! layer's tokens (Reimers and Gurevych 2019). The tokens of several texts go through a layer as rows
//! of one matrix; only attention looks at each text alone, so nothing is padded and nothing masked.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, Axis, Slice, Zip};
use safetensors::tensor::{Dtype, SafeTensors};
use thiserror::Error;

use crate::gelu::gelu;
use crate::softmax::softmax;

/// How large a model is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub pieces: usize,
    /// Longest text, in tokens.
    pub positions: usize,
    pub hidden: usize,
    pub heads: usize,
    pub layers: usize,
    /// Numbers between the two halves of a layer's feed-forward part.
    pub between: usize,
}

/// Why a file holds no weights of a model, or a text cannot be encoded.
#[derive(Debug, Error)]
pub(crate) enum EncoderError {
    /// It is no file of weights, or one of them is not there.
    #[error(transparent)]
    File(#[from] safetensors::SafeTensorError),
    /// One of them has another shape or other numbers.
    #[error("{0} is not {1:?} numbers of the kind that is expected")]
    Shape(String, Vec<usize>),
    /// A text has no tokens, too many, or one that the model does not know.
    #[error("no text of 1 to {0} known tokens")]
    Tokens(usize),
}

type Result<T> = std::result::Result<T, EncoderError>;

/// Kinds of token: a first and a second sentence, of which only the first is used.
const KINDS: usize = 2;
const EPSILON: f32 = 1e-12;

pub(crate) struct Encoder {
    shape: Shape,
    /// A row a piece, eight bits a number: few of them are asked for, so they stay packed.
    pieces: Packed,
    /// A row a place, with what the first kind of token adds.
    places: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// Rows of signed bytes, each with what it is to be multiplied by.
struct Packed {
    rows: Array2<i8>,
    scales: Array1<f32>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    widen: Linear,
    narrow: Linear,
    norm: Norm,
}

/// A row of weights for each number that comes out.
struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

/// Layer normalisation (Ba et al. 2016).
struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
}

impl Encoder {
    /// From the bytes of a file of `safetensors`.
    pub(crate) fn read(weights: &[u8], shape: Shape) -> Result<Self> {
        let file = &Weights(SafeTensors::deserialize(weights)?);
        let hidden = shape.hidden;
        let inner = |name: &str| format!("embeddings.{name}_embeddings.weight");
        let kinds = file.rows(&inner("token_type"), KINDS, hidden)?;
        let mut places = file.rows(&inner("position"), shape.positions, hidden)?;
        places += &kinds.row(0);
        let layers = (0..shape.layers).map(|number| Layer::read(file, number, shape));
        Ok(Self {
            shape,
            pieces: file.packed(&inner("word"), shape.pieces, hidden)?,
            places,
            norm: Norm::read(file, "embeddings.LayerNorm", hidden)?,
            layers: layers.collect::<Result<_>>()?,
        })
    }

    /// A vector of length 1 for each text of tokens, as many as [`Shape::positions`] at most.
    pub(crate) fn encode(&self, texts: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let Shape {
            pieces,
            positions,
            hidden,
            heads,
            ..
        } = self.shape;
        let is_taken = |text: &&[u32]| {
            let is_known = text.iter().all(|token| (*token as usize) < pieces);
            is_known && !text.is_empty() && text.len() <= positions
        };
        if !texts.iter().all(is_taken) {
            return Err(EncoderError::Tokens(positions));
        }
        let mut spans = Vec::with_capacity(texts.len());
        let mut count = 0;
        for text in texts {
            spans.push(count..count + text.len());
            count += text.len();
        }
        let mut states = Array2::zeros((count, hidden));
        let placed = texts.iter().flat_map(|text| text.iter().enumerate());
        for (mut state, (place, token)) in states.rows_mut().into_iter().zip(placed) {
            state.assign(&self.places.row(place));
            let (row, scale) = self.pieces.row(*token as usize);
            state.zip_mut_with(&row, |number, &byte| *number += f32::from(byte) * scale);
        }
        self.norm.apply(&mut states);
        for layer in &self.layers {
            states = layer.forward(&states, &spans, heads);
        }
        let means = spans.into_iter().map(|span| {
            let mean = states
                .slice_axis(Axis(0), Slice::from(span))
                .sum_axis(Axis(0));
            let length = mean.dot(&mean).sqrt();
            (mean / length).to_vec()
        });
        Ok(means.collect())
    }
}

impl Layer {
    fn read(file: &Weights<'_>, number: usize, shape: Shape) -> Result<Self> {
        let Shape {
            hidden, between, ..
        } = shape;
        let named = |name: &str| format!("encoder.layer.{number}.{name}");
        let square = |name: &str| Linear::read(file, &named(name), hidden, hidden);
        let norm = |name: &str| Norm::read(file, &named(name), hidden);
        Ok(Self {
            query: square("attention.self.query")?,
            key: square("attention.self.key")?,
            value: square("attention.self.value")?,
            attended: square("attention.output.dense")?,
            attended_norm: norm("attention.output.LayerNorm")?,
            widen: Linear::read(file, &named("intermediate.dense"), hidden, between)?,
            narrow: Linear::read(file, &named("output.dense"), between, hidden)?,
            norm: norm("output.LayerNorm")?,
        })
    }

    /// tokens x hidden, from as many, of texts that each have a span of the tokens.
    fn forward(&self, states: &Array2<f32>, spans: &[Range<usize>], heads: usize) -> Array2<f32> {
        let (tokens, hidden) = states.dim();
        let query = self.query.apply(states);
        let key = self.key.apply(states);
        let value = self.value.apply(states);
        let width = hidden / heads;
        let scale = 1.0 / (width as f32).sqrt();
        let mut attended = Array2::zeros((tokens, hidden));
        for span in spans {
            for head in 0..heads {
                let columns = Slice::from(head * width..(head + 1) * width);
                let part = |all: &Array2<f32>| {
                    let rows = all.slice_axis(Axis(0), Slice::from(span.clone()));
                    rows.slice_axis(Axis(1), columns).to_owned()
                };
                let mut shares = part(&query).dot(&part(&key).t());
                for row in shares.rows_mut() {
                    softmax(row.into_slice().unwrap_or_default(), scale);
                }
                let mut rows = attended.slice_axis_mut(Axis(0), Slice::from(span.clone()));
                let mut head = rows.slice_axis_mut(Axis(1), columns);
                head.assign(&shares.dot(&part(&value)));
            }
        }
        let mut middle = self.attended.apply(&attended);
        middle += states;
        self.attended_norm.apply(&mut middle);
        let mut wide = self.widen.apply(&middle);
        wide.mapv_inplace(gelu);
        let mut narrow = self.narrow.apply(&wide);
        narrow += &middle;
        self.norm.apply(&mut narrow);
        narrow
    }
}

impl Packed {
    /// A row, and what each of its numbers is to be multiplied by.
    fn row(&self, number: usize) -> (ArrayView1<'_, i8>, f32) {
        (self.rows.row(number), self.scales[number])
    }

    fn unpacked(&self) -> Array2<f32> {
        let mut rows = self.rows.mapv(f32::from);
        rows *= &self.scales.view().insert_axis(Axis(1));
        rows
    }
}

impl Linear {
    fn read(file: &Weights<'_>, name: &str, from: usize, to: usize) -> Result<Self> {
        Ok(Self {
            weight: file.rows(&format!("{name}.weight"), to, from)?,
            bias: file.row(&format!("{name}.bias"), to)?,
        })
    }

    fn apply(&self, states: &Array2<f32>) -> Array2<f32> {
        let mut applied = states.dot(&self.weight.t());
        applied += &self.bias;
        applied
    }
}

impl Norm {
    fn read(file: &Weights<'_>, name: &str, width: usize) -> Result<Self> {
        Ok(Self {
            weight: file.row(&format!("{name}.weight"), width)?,
            bias: file.row(&format!("{name}.bias"), width)?,
        })
    }

    fn apply(&self, states: &mut Array2<f32>) {
        for mut state in states.rows_mut() {
            let (mean, deviation) = spread(state.view());
            Zip::from(&mut state)
                .and(&self.weight)
                .and(&self.bias)
                .for_each(|number, weight, bias| {
                    *number = weight * (*number - mean) / deviation + bias;
                });
        }
    }
}

/// Mean and standard deviation.
fn spread(state: ArrayView1<'_, f32>) -> (f32, f32) {
    let count = state.len() as f32;
    let mean = state.sum() / count;
    let squares = state.fold(0.0, |sum, number| sum + (number - mean).powi(2));
    (mean, (squares / count + EPSILON).sqrt())
}

/// Weights by their names.
struct Weights<'a>(SafeTensors<'a>);

impl Weights<'_> {
    fn packed(&self, name: &str, rows: usize, width: usize) -> Result<Packed> {
        let bytes = self.bytes(name, Dtype::I8, &[rows, width])?;
        let bytes = bytes.iter().map(|byte| byte.cast_signed()).collect();
        let shaped = Array2::from_shape_vec((rows, width), bytes);
        Ok(Packed {
            rows: shaped.map_err(|_| EncoderError::Shape(name.to_owned(), vec![rows, width]))?,
            scales: self.row(&format!("{name}.scale"), rows)?,
        })
    }

    fn rows(&self, name: &str, rows: usize, width: usize) -> Result<Array2<f32>> {
        Ok(self.packed(name, rows, width)?.unpacked())
    }

    fn row(&self, name: &str, width: usize) -> Result<Array1<f32>> {
        let (numbers, _) = self.bytes(name, Dtype::F32, &[width])?.as_chunks();
        Ok(numbers.iter().copied().map(f32::from_le_bytes).collect())
    }

    fn bytes(&self, name: &str, kind: Dtype, shape: &[usize]) -> Result<&[u8]> {
        let tensor = self.0.tensor(name)?;
        if tensor.dtype() != kind || tensor.shape() != shape {
            return Err(EncoderError::Shape(name.to_owned(), shape.to_vec()));
        }
        Ok(tensor.data())
    }
}

#[cfg(test)]
mod tests;
