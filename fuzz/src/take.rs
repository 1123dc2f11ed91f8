//! An input cut into numbers and texts. It gives zeros where it is used up.

/// What is left of an input.
pub struct Take<'a>(pub &'a [u8]);

impl<'a> Take<'a> {
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// As many bytes as the next one or two say, `most` at most.
    pub fn bytes(&mut self, most: usize) -> &'a [u8] {
        let mut length = usize::from(self.byte());
        if length >= 0xf0 {
            length = (length - 0xf0) << 8 | usize::from(self.byte());
        }
        let length = length.min(most).min(self.0.len());
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}
