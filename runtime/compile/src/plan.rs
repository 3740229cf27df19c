//! Where values lie on the chip: scratchpad words, code words, scale entries.
//!
//! First every value gets a place of its own, so that no reuse makes a descriptor wait; if that does not fit, values
//! share places wherever their live ranges allow it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::{GROUP, LANES, Rows, SCALES, WORD_BYTES};

use super::{CompileError, gains};
use crate::graph::{Buffer, Codes, Graph, live_ranges};
use sagen_checkpoint::model::ModelConfig;

/// Blocks of logits that leave the chip at a time.
pub(crate) const LOGIT_BLOCKS: usize = 128;

/// Places of all values of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    scratch: BTreeMap<Buffer, Rows>,
    codes: BTreeMap<Codes, Rows>,
    scales: BTreeMap<Codes, Rows>,
}

impl Plan {
    pub(crate) fn new(
        config: &ModelConfig,
        graph: &Graph,
        ffn_tile: usize,
        overlay: &StreamedConfig,
        rows: usize,
    ) -> Result<Self, CompileError> {
        let live = live_ranges(graph);
        let buffers = live.buffers.into_iter().map(|(buffer, live)| {
            let (rows, stride) = buffer_shape(buffer, config, ffn_tile, rows);
            Need { key: buffer, rows, stride, live }
        });
        let need = |stride: fn(&ModelConfig, Codes) -> usize| {
            let need = move |(codes, live): (&Codes, &RangeInclusive<usize>)| {
                let rows = if *codes == Codes::Head { 1 } else { rows };
                Need { key: *codes, rows, stride: stride(config, *codes), live: live.clone() }
            };
            live.codes.iter().map(need).collect::<Vec<_>>()
        };
        let what = if rows == 1 { "decode".to_owned() } else { format!("prefill of {rows} rows") };
        let fit = |field, found| Memory { field, found, model: describe(config), what: what.clone() };
        Ok(Self {
            scratch: fit("scratchpad.vector_words", overlay.scratch_words()).fit(buffers.collect())?,
            codes: fit("scratchpad.code_words", overlay.code_words()).fit(need(code_words))?,
            scales: fit("entries of the scale file", SCALES).fit(need(scale_entries))?,
        })
    }

    pub(crate) fn scratch(&self, buffer: Buffer) -> Rows {
        self.scratch[&buffer]
    }
    pub(crate) fn codes(&self, codes: Codes) -> Rows {
        self.codes[&codes]
    }
    pub(crate) fn scales(&self, codes: Codes) -> Rows {
        self.scales[&codes]
    }
}

/// The model as messages call it.
fn describe(config: &ModelConfig) -> String {
    let ModelConfig { layers, hidden, ffn, .. } = config;
    format!("the model ({layers} layers, hidden {hidden}, ffn {ffn})")
}

/// Rows and words of a row.
fn buffer_shape(buffer: Buffer, config: &ModelConfig, ffn_tile: usize, rows: usize) -> (usize, usize) {
    let channels = match buffer {
        Buffer::Embedding => return (rows, config.hidden / (2 * LANES)),
        Buffer::RopeTable => return (rows, config.head_dim / (2 * LANES)),
        Buffer::GainsEven | Buffer::GainsOdd => return (1, gains::layer_bytes(config, 0) / WORD_BYTES),
        Buffer::KeyCodes | Buffer::ValueCodes => return (rows, config.kv_width() / GROUP),
        Buffer::Logits | Buffer::LogitsOdd => return (1, LOGIT_BLOCKS),
        Buffer::Residual | Buffer::Product | Buffer::Projected => config.hidden,
        Buffer::Key | Buffer::Value => config.kv_width(),
        Buffer::Query | Buffer::Attended => config.q_width(),
        Buffer::GateUp | Buffer::GateUpOdd => 2 * ffn_tile,
        Buffer::Hidden => config.ffn,
    };
    (rows, channels / LANES)
}

fn code_words(config: &ModelConfig, codes: Codes) -> usize {
    let channels = match codes {
        Codes::Attention | Codes::FeedForward | Codes::Head => config.hidden,
        Codes::Query | Codes::Attended => config.q_width(),
        Codes::Hidden => config.ffn,
    };
    channels / GROUP
}

fn scale_entries(config: &ModelConfig, codes: Codes) -> usize {
    match codes {
        Codes::Query => config.heads,
        Codes::Attention | Codes::Attended | Codes::FeedForward | Codes::Hidden | Codes::Head => 1,
    }
}

/// A value to be placed.
struct Need<K> {
    key: K,
    rows: usize,
    stride: usize,
    live: RangeInclusive<usize>,
}

impl<K> Need<K> {
    fn words(&self) -> usize {
        self.rows * self.stride
    }
}

/// A memory to place values in.
struct Memory {
    field: &'static str,
    found: usize,
    model: String,
    what: String,
}

impl Memory {
    fn fit<K: Ord + Copy>(self, mut needs: Vec<Need<K>>) -> Result<BTreeMap<K, Rows>, CompileError> {
        // Long-lived values first, then large ones: what is left between them is then of use.
        needs.sort_by_key(|n| std::cmp::Reverse((n.live.end() - n.live.start(), n.words())));
        let (apart, total) = place(&needs, |_, _| true);
        if total <= self.found {
            return Ok(apart);
        }
        let meet = |a: &Need<K>, b: &Need<K>| a.live.start() <= b.live.end() && b.live.start() <= a.live.end();
        let (shared, needed) = place(&needs, meet);
        if needed <= self.found {
            return Ok(shared);
        }
        let Self { field, found, model, what } = self;
        Err(CompileError::Memory { field, found, model, what, needed })
    }
}

/// First fit, where two values that `meet` may not overlap. Returns the places and the words used.
fn place<K: Ord + Copy>(needs: &[Need<K>], meet: impl Fn(&Need<K>, &Need<K>) -> bool) -> (BTreeMap<K, Rows>, usize) {
    let mut placed: Vec<(usize, &Need<K>)> = Vec::new();
    for need in needs {
        let mut others: Vec<(usize, usize)> = placed
            .iter()
            .filter(|(_, other)| meet(need, other))
            .map(|(base, other)| (*base, base + other.words()))
            .collect();
        others.sort_unstable();
        let base = others.iter().fold(
            0,
            |base, (first, end)| {
                if base + need.words() <= *first { base } else { base.max(*end) }
            },
        );
        placed.push((base, need));
    }
    let used = placed.iter().map(|(base, need)| base + need.words()).max().unwrap_or(0);
    let slot = |(base, need): &(usize, &Need<K>)| (need.key, Rows { base: *base as u64, stride: need.stride as u64 });
    (placed.iter().map(slot).collect(), used)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(key: u32, words: usize, live: RangeInclusive<usize>) -> Need<u32> {
        Need { key, rows: 1, stride: words, live }
    }

    fn fit(found: usize) -> Result<BTreeMap<u32, u64>, String> {
        let memory = Memory { field: "scratchpad.vector_words", found, model: "m".into(), what: "decode".into() };
        let needs = vec![need(0, 10, 0..=9), need(1, 20, 1..=2), need(2, 20, 3..=4), need(3, 5, 2..=3)];
        let placed = memory.fit(needs).map_err(|e| e.to_string())?;
        Ok(placed.into_iter().map(|(key, slot)| (key, slot.base)).collect())
    }

    #[test]
    fn values_share_places_only_when_they_must() {
        let apart = fit(55).unwrap();
        let distinct: std::collections::BTreeSet<_> = apart.values().collect();
        assert_eq!(distinct.len(), 4);
        let shared = fit(35).unwrap();
        assert_eq!(shared[&1], shared[&2]);
        assert_ne!(shared[&1], shared[&3]);
    }

    #[test]
    fn a_memory_that_is_too_small_is_named_with_what_is_needed() {
        let expected = "scratchpad.vector_words = 34 is too small: m decode needs 35";
        assert_eq!(fit(34).unwrap_err(), expected);
    }
}
