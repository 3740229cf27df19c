//! Places in a layer whose activations can be observed.

use candle_core::Tensor;

use crate::weights::Matrix;

/// A place in the model. Heads lie side by side in a row: channel `c` of head `h` is column `h * head_dim + c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Site {
    /// Residual stream before the first layer.
    Embed,
    /// Normed input of attention.
    AttnNorm,
    /// Queries after RoPE.
    Q,
    /// Keys after RoPE.
    K,
    /// Values.
    V,
    /// Weighted values, input of the o projection.
    Attn,
    /// Residual stream after attention is added.
    AttnResidual,
    /// Normed input of the feed-forward part.
    FfnNorm,
    /// Gate projection before the activation.
    Gate,
    /// Up projection.
    Up,
    /// Activated gate times up, input of the down projection.
    Gated,
    /// Residual stream after the feed-forward part is added.
    FfnResidual,
    /// Normed input of the head; reported with the number of layers as its layer.
    FinalNorm,
}

/// Called with each site, its layer, and a row of activations per token.
pub type Observer<'a> = dyn FnMut(Site, usize, &Matrix) + 'a;

/// Passes activations on, and copies nothing where nobody looks.
pub(super) struct Watch<'a, 'b> {
    pub(super) observer: Option<&'a mut Observer<'b>>,
}

impl Watch<'_, '_> {
    /// `activations` has two dimensions, tokens by channels.
    pub(super) fn see(&mut self, site: Site, layer: usize, activations: &Tensor) -> candle_core::Result<()> {
        if let Some(observer) = &mut self.observer {
            observer(site, layer, &matrix(activations)?);
        }
        Ok(())
    }

    /// `heads` has three dimensions, heads by tokens by channels.
    pub(super) fn see_heads(&mut self, site: Site, layer: usize, heads: &Tensor) -> candle_core::Result<()> {
        if self.observer.is_some() {
            self.see(site, layer, &heads.transpose(0, 1)?.flatten_from(1)?)?;
        }
        Ok(())
    }
}

/// Copies a two-dimensional tensor out.
pub(super) fn matrix(tensor: &Tensor) -> candle_core::Result<Matrix> {
    let (rows, columns) = tensor.dims2()?;
    Ok(Matrix { rows, columns, data: tensor.flatten_all()?.to_vec1()? })
}
