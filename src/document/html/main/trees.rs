//! The model: regression trees whose leaves are added up to how likely a block is content.
//!
//! Trained on the development pages of WCXB (Murrough-Foley/web-content-extraction-benchmark,
//! CC-BY-4.0) by the scripts of `benches/main_content`; `model.bin` is written by `pack.py` there.

use std::sync::LazyLock;

use super::features::COUNT;

/// The model, little-endian: how many trees (2 bytes), how many features (2 bytes), then of each
/// tree how many leaves (1 byte), its forks (feature, left, right: 1 byte each; the limit, an f32)
/// and its leaves (f32). A left or right of 0 and more is a fork, -1 the first leaf, -2 the second.
const MODEL: &[u8] = include_bytes!("model.bin");

struct Fork {
    feature: u8,
    left: i8,
    right: i8,
    limit: f32,
}

struct Tree {
    forks: Vec<Fork>,
    leaves: Vec<f32>,
}

/// A model.
pub(super) struct Model {
    trees: Vec<Tree>,
}

pub(super) static TREES: LazyLock<Model> =
    LazyLock::new(|| Model::read(MODEL).unwrap_or(Model { trees: Vec::new() }));

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn number(bytes: &mut &[u8]) -> Option<usize> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u16::from_le_bytes(*first).into())
}

fn float(bytes: &mut &[u8]) -> Option<f32> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(f32::from_le_bytes(*first))
}

impl Model {
    /// Reads a model; `None` if it is none, or one that asks for other features.
    fn read(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let count = number(bytes)?;
        if number(bytes)? != COUNT {
            return None;
        }
        let mut trees = Vec::with_capacity(count);
        for _ in 0..count {
            let leaves = usize::from(byte(bytes)?);
            let fork = |bytes: &mut &[u8]| {
                Some(Fork {
                    feature: byte(bytes)?,
                    left: byte(bytes)?.cast_signed(),
                    right: byte(bytes)?.cast_signed(),
                    limit: float(bytes)?,
                })
            };
            trees.push(Tree {
                forks: (1..leaves).map(|_| fork(bytes)).collect::<Option<_>>()?,
                leaves: (0..leaves).map(|_| float(bytes)).collect::<Option<_>>()?,
            });
        }
        bytes.is_empty().then_some(Self { trees })
    }

    /// How likely the block with these features is content.
    pub(super) fn chance(&self, row: &[f32]) -> f64 {
        let sum: f64 = self.trees.iter().map(|tree| tree.value(row)).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

impl Tree {
    fn value(&self, row: &[f32]) -> f64 {
        let mut at = if self.forks.is_empty() { -1_i8 } else { 0 };
        while let Some(fork) = usize::try_from(at).ok().and_then(|at| self.forks.get(at)) {
            let value = row.get(usize::from(fork.feature)).copied().unwrap_or(0.0);
            at = if value <= fork.limit {
                fork.left
            } else {
                fork.right
            };
        }
        let leaf = self.leaves.get(usize::from((!at).unsigned_abs()));
        leaf.copied().unwrap_or_default().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_read_to_its_last_byte() {
        assert!(Model::read(MODEL).is_some_and(|model| !model.trees.is_empty()));
        assert_eq!(super::super::features::names().len(), COUNT);
    }

    #[test]
    fn no_model_that_is_cut_off_is_read() {
        for length in 0..MODEL.len() {
            assert!(Model::read(&MODEL[..length]).is_none(), "{length}");
        }
    }
}
