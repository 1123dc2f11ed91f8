//! Scanned pages, as they are given to an OCR program, which this module does not know.

/// Maximum number of pages of a document that are read.
pub const MAX_SCANS: usize = 20;

/// The image of a page, as a file.
pub struct ScanImage {
    /// A JPEG, JPEG 2000 or TIFF file.
    pub bytes: Vec<u8>,
    /// Pixels of an inch of the page, if that is likely.
    pub dpi: Option<u32>,
    /// True if the page shows it turned, and the file is as it was.
    pub is_turned: bool,
}

/// The reason why a page's image cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanFault {
    /// The data cannot be decoded.
    #[error("damaged")]
    Damaged,
    /// JBIG2, or a rare format.
    #[error("in a format that is not read, such as JBIG2")]
    Format,
    /// A page in several images.
    #[error("in several images")]
    Pieces,
    /// More pixels than are read.
    #[error("too large")]
    TooLarge,
}
