//! The one list of the kinds of document files. Media types, fuzz targets, the mutants of the tests
//! and the table in REFERENCE.md follow from it.

/// A kind of file that has a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// Portable Document Format (ISO 32000).
    Pdf,
    /// A text of Word (ECMA-376).
    Docx,
    /// Slides of PowerPoint (ECMA-376).
    Pptx,
    /// A workbook of Excel (ECMA-376).
    Xlsx,
    /// A workbook of Excel whose parts are records (MS-XLSB).
    Xlsb,
    /// A workbook of Excel before 2007.
    Xls,
    /// A text in OpenDocument format (ISO 26300).
    Odt,
    /// Slides in OpenDocument format.
    Odp,
    /// A spreadsheet in OpenDocument format.
    Ods,
    /// Rich Text Format.
    Rtf,
    /// A book (EPUB).
    Epub,
    /// A Jupyter notebook.
    Ipynb,
    /// A mail (RFC 5322), or a mailbox (RFC 4155).
    Eml,
    /// A mail of Outlook.
    Msg,
    /// A text of Word before 2007.
    Doc,
    /// Slides of PowerPoint before 2007.
    Ppt,
    /// A zip file of other files, of which the names are listed.
    Zip,
}

impl FileKind {
    /// All kinds, in the order of the list in REFERENCE.md.
    pub const ALL: [Self; 17] = [
        Self::Pdf,
        Self::Docx,
        Self::Pptx,
        Self::Xlsx,
        Self::Xlsb,
        Self::Xls,
        Self::Odt,
        Self::Odp,
        Self::Ods,
        Self::Rtf,
        Self::Epub,
        Self::Ipynb,
        Self::Eml,
        Self::Msg,
        Self::Doc,
        Self::Ppt,
        Self::Zip,
    ];

    /// The kinds that only installed programs read.
    pub const LEGACY_OFFICE: [Self; 2] = [Self::Doc, Self::Ppt];

    /// Name and media types.
    fn row(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Pdf => ("pdf", &["application/pdf", "application/x-pdf"]),
            Self::Docx => (
                "docx",
                &["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
            ),
            Self::Pptx => (
                "pptx",
                &["application/vnd.openxmlformats-officedocument.presentationml.presentation"],
            ),
            Self::Xlsx => (
                "xlsx",
                &["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
            ),
            Self::Xlsb => (
                "xlsb",
                &["application/vnd.ms-excel.sheet.binary.macroenabled.12"],
            ),
            Self::Odt => ("odt", &["application/vnd.oasis.opendocument.text"]),
            Self::Odp => ("odp", &["application/vnd.oasis.opendocument.presentation"]),
            Self::Ods => ("ods", &["application/vnd.oasis.opendocument.spreadsheet"]),
            Self::Rtf => ("rtf", &["application/rtf", "text/rtf"]),
            Self::Epub => ("epub", &["application/epub+zip"]),
            Self::Eml => (
                "eml",
                &["message/rfc822", "message/global", "application/mbox"],
            ),
            Self::Msg => ("msg", &["application/vnd.ms-outlook"]),
            Self::Doc => ("doc", &["application/msword"]),
            Self::Ppt => ("ppt", &["application/vnd.ms-powerpoint"]),
            Self::Xls => ("xls", &["application/vnd.ms-excel"]),
            Self::Zip => (
                "zip",
                &[
                    "application/zip",
                    "application/x-zip-compressed",
                    "application/java-archive",
                ],
            ),
            Self::Ipynb => ("ipynb", &["application/x-ipynb+json"]),
        }
    }

    /// Name in answers, which is also the extension of such files: `pdf`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Name in sentences: `PDF`.
    #[must_use]
    pub fn label(self) -> String {
        self.name().to_ascii_uppercase()
    }

    /// Media types that servers send for it, in lower case.
    #[must_use]
    pub fn media_types(self) -> &'static [&'static str] {
        self.row().1
    }
}
