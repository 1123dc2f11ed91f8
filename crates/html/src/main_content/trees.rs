//! The model: the sum of the leaves of regression trees gives the probability that a block is
//! content.
//!
//! Trained on the development pages of WCXB (Murrough-Foley/web-content-extraction-benchmark,
//! CC-BY-4.0) by the scripts of `benches/main_content`; `model.bin` is written by `train.py` there.

use std::sync::LazyLock;

use super::features::FEATURE_COUNT;

/// The model, little-endian: number of trees (2 bytes), number of features (2 bytes); for each
/// feature the number of limits (1 byte) and the limits, rising (f32); for each tree the number of
/// leaves (1 byte), its forks (feature, limit among the feature's, left, right: 1 byte each) and
/// its leaves (i16, in 4096ths). A left or right of 0 and more is a fork, -1 the first leaf, -2 the
/// second.
const MODEL: &[u8] = include_bytes!("model.bin");

/// Stored value of a leaf of 1.
const LEAF_UNIT: f64 = 4096.0;

struct TreeFork {
    feature: u8,
    left: i8,
    right: i8,
    limit: f32,
}

struct RegressionTree {
    forks: Vec<TreeFork>,
    leaves: Vec<i16>,
}

pub(super) struct TreeEnsemble {
    trees: Vec<RegressionTree>,
}

pub(super) static TREES: LazyLock<TreeEnsemble> =
    LazyLock::new(|| TreeEnsemble::read(MODEL).unwrap_or(TreeEnsemble { trees: Vec::new() }));

/// Takes the next bytes of a model.
fn next<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, unread) = bytes.split_first_chunk()?;
    *bytes = unread;
    Some(*first)
}

impl TreeEnsemble {
    /// Reads a model; `None` if it is malformed or uses other features.
    fn read(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let count = u16::from_le_bytes(next(bytes)?);
        if usize::from(u16::from_le_bytes(next(bytes)?)) != FEATURE_COUNT {
            return None;
        }
        let mut limits: Vec<Vec<f32>> = Vec::with_capacity(FEATURE_COUNT);
        for _ in 0..FEATURE_COUNT {
            let [many] = next(bytes)?;
            let limit = |_| next(bytes).map(f32::from_le_bytes);
            limits.push((0..many).map(limit).collect::<Option<_>>()?);
        }
        let mut trees = Vec::with_capacity(count.into());
        for _ in 0..count {
            let [leaves] = next(bytes)?;
            let mut forks = Vec::with_capacity(leaves.into());
            for _ in 1..leaves {
                let [feature, limit, left, right] = next(bytes)?;
                forks.push(TreeFork {
                    feature,
                    left: left.cast_signed(),
                    right: right.cast_signed(),
                    limit: *limits.get(usize::from(feature))?.get(usize::from(limit))?,
                });
            }
            let leaf = |_| next(bytes).map(i16::from_le_bytes);
            trees.push(RegressionTree {
                forks,
                leaves: (0..leaves).map(leaf).collect::<Option<_>>()?,
            });
        }
        bytes.is_empty().then_some(Self { trees })
    }

    /// Returns the probability that the block with these features is content.
    pub(super) fn chance(&self, row: &[f32]) -> f64 {
        let sum: i32 = self
            .trees
            .iter()
            .map(|tree| i32::from(tree.value(row)))
            .sum();
        1.0 / (1.0 + (-f64::from(sum) / LEAF_UNIT).exp())
    }
}

impl RegressionTree {
    fn value(&self, row: &[f32]) -> i16 {
        let mut index = if self.forks.is_empty() { -1_i8 } else { 0 };
        while let Some(fork) = usize::try_from(index)
            .ok()
            .and_then(|index| self.forks.get(index))
        {
            let value = row.get(usize::from(fork.feature)).copied();
            index = if value.unwrap_or_default() <= fork.limit {
                fork.left
            } else {
                fork.right
            };
        }
        let leaf = self.leaves.get(usize::from((!index).unsigned_abs()));
        leaf.copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_read_to_its_last_byte() {
        assert!(TreeEnsemble::read(MODEL).is_some_and(|model| !model.trees.is_empty()));
    }

    #[test]
    fn no_model_that_is_cut_off_is_read() {
        let near_the_end = MODEL.len() - 100..MODEL.len();
        for length in (0..MODEL.len()).step_by(11).chain(near_the_end) {
            assert!(TreeEnsemble::read(&MODEL[..length]).is_none(), "{length}");
        }
    }
}
