//! The forward pass of BERT (Devlin et al. 2019) without dropout, down to the mean of the last
//! layer's tokens (Reimers and Gurevych 2019). One text at a time, so nothing is padded and
//! nothing masked.

use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::{
    Embedding, LayerNorm, Linear, Module, VarBuilder, embedding, layer_norm, linear, ops,
};

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

/// Kinds of token: a first and a second sentence, of which only the first is used.
const KINDS: usize = 2;
const EPSILON: f64 = 1e-12;

pub(crate) struct Encoder {
    shape: Shape,
    pieces: Embedding,
    positions: Embedding,
    kinds: Embedding,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: LayerNorm,
    widen: Linear,
    narrow: Linear,
    norm: LayerNorm,
}

impl Encoder {
    /// From the bytes of a file of `safetensors`.
    pub(crate) fn read(weights: Vec<u8>, shape: Shape) -> Result<Self> {
        let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
        let inner = weights.pp("embeddings");
        let hidden = shape.hidden;
        let layers = weights.pp("encoder.layer");
        let layers = (0..shape.layers).map(|number| Layer::read(&layers.pp(number), shape));
        Ok(Self {
            shape,
            pieces: embedding(shape.pieces, hidden, inner.pp("word_embeddings"))?,
            positions: embedding(shape.positions, hidden, inner.pp("position_embeddings"))?,
            kinds: embedding(KINDS, hidden, inner.pp("token_type_embeddings"))?,
            norm: layer_norm(hidden, EPSILON, inner.pp("LayerNorm"))?,
            layers: layers.collect::<Result<_>>()?,
        })
    }

    /// A vector of length 1 for a text of tokens, as many as [`Shape::positions`] at most.
    pub(crate) fn encode(&self, tokens: &[u32]) -> Result<Vec<f32>> {
        let device = &Device::Cpu;
        let places = Tensor::arange(0, tokens.len() as u32, device)?;
        let tokens = Tensor::new(tokens, device)?;
        let first_kind = self.kinds.forward(&tokens.zeros_like()?)?;
        let placed = (self.pieces.forward(&tokens)? + self.positions.forward(&places)?)?;
        let mut states = self.norm.forward(&(placed + first_kind)?)?;
        for layer in &self.layers {
            states = layer.forward(&states, self.shape.heads)?;
        }
        let mean = states.mean(0)?;
        let length = mean.sqr()?.sum_all()?.sqrt()?;
        mean.broadcast_div(&length)?.to_vec1()
    }
}

impl Layer {
    fn read(weights: &VarBuilder<'_>, shape: Shape) -> Result<Self> {
        let Shape {
            hidden, between, ..
        } = shape;
        let square = |name: &str| linear(hidden, hidden, weights.pp(name));
        let norm = |name: &str| layer_norm(hidden, EPSILON, weights.pp(name));
        Ok(Self {
            query: square("attention.self.query")?,
            key: square("attention.self.key")?,
            value: square("attention.self.value")?,
            attended: square("attention.output.dense")?,
            attended_norm: norm("attention.output.LayerNorm")?,
            widen: linear(hidden, between, weights.pp("intermediate.dense"))?,
            narrow: linear(between, hidden, weights.pp("output.dense"))?,
            norm: norm("output.LayerNorm")?,
        })
    }

    /// tokens x hidden, from as many.
    fn forward(&self, states: &Tensor, heads: usize) -> Result<Tensor> {
        let (tokens, hidden) = states.dims2()?;
        let by_head = |linear: &Linear| {
            let split = linear.forward(states)?;
            let split = split.reshape((tokens, heads, hidden / heads))?;
            split.transpose(0, 1)?.contiguous()
        };
        let (query, key, value) = (
            by_head(&self.query)?,
            by_head(&self.key)?,
            by_head(&self.value)?,
        );
        let scale = ((hidden / heads) as f64).sqrt();
        let scores = (query.matmul(&key.t()?)? / scale)?;
        let attended = ops::softmax(&scores, D::Minus1)?.matmul(&value)?;
        let attended = attended.transpose(0, 1)?.reshape((tokens, hidden))?;
        let attended = (self.attended.forward(&attended)? + states)?;
        let attended = self.attended_norm.forward(&attended)?;
        let wide = self.widen.forward(&attended)?.gelu_erf()?;
        self.norm
            .forward(&(self.narrow.forward(&wide)? + attended)?)
    }
}

#[cfg(test)]
mod tests;
