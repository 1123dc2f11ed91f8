//! The one list of the kinds of document files. Media types, fuzz targets, the mutants of the tests
//! and the table in REFERENCE.md follow from it.

/// Defines the kinds, each with its name and its media types, in the order of the table in
/// REFERENCE.md.
macro_rules! file_kinds {
    ($($(#[$doc:meta])+ $kind:ident = $name:literal, [$($media_type:literal),+];)+) => {
        /// A kind of file that has a conversion.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FileKind {
            $($(#[$doc])+ $kind,)+
        }

        impl FileKind {
            /// All kinds, in the order of the table in REFERENCE.md.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$kind),+];

            /// Name and media types.
            fn row(self) -> (&'static str, &'static [&'static str]) {
                match self {
                    $(Self::$kind => ($name, &[$($media_type),+]),)+
                }
            }
        }
    };
}

file_kinds! {
    /// Portable Document Format (ISO 32000).
    Pdf = "pdf", ["application/pdf", "application/x-pdf"];
    /// A text of Word (ECMA-376).
    Docx = "docx", ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"];
    /// Slides of PowerPoint (ECMA-376).
    Pptx = "pptx", ["application/vnd.openxmlformats-officedocument.presentationml.presentation"];
    /// A workbook of Excel (ECMA-376).
    Xlsx = "xlsx", ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"];
    /// A workbook of Excel whose parts are records (MS-XLSB).
    Xlsb = "xlsb", ["application/vnd.ms-excel.sheet.binary.macroenabled.12"];
    /// A workbook of Excel before 2007.
    Xls = "xls", ["application/vnd.ms-excel"];
    /// A text in OpenDocument format (ISO 26300).
    Odt = "odt", ["application/vnd.oasis.opendocument.text"];
    /// Slides in OpenDocument format.
    Odp = "odp", ["application/vnd.oasis.opendocument.presentation"];
    /// A spreadsheet in OpenDocument format.
    Ods = "ods", ["application/vnd.oasis.opendocument.spreadsheet"];
    /// Rich Text Format.
    Rtf = "rtf", ["application/rtf", "text/rtf"];
    /// A book (EPUB).
    Epub = "epub", ["application/epub+zip"];
    /// A Jupyter notebook.
    Ipynb = "ipynb", ["application/x-ipynb+json"];
    /// A mail (RFC 5322), or a mailbox (RFC 4155).
    Eml = "eml", ["message/rfc822", "message/global", "application/mbox"];
    /// A mail of Outlook.
    Msg = "msg", ["application/vnd.ms-outlook"];
    /// A text of Word before 2007.
    Doc = "doc", ["application/msword"];
    /// Slides of PowerPoint before 2007.
    Ppt = "ppt", ["application/vnd.ms-powerpoint"];
    /// A zip file of other files, of which the names are listed.
    Zip = "zip", ["application/zip", "application/x-zip-compressed", "application/java-archive"];
}

impl FileKind {
    /// The kinds that only installed programs read.
    pub const LEGACY_OFFICE: [Self; 2] = [Self::Doc, Self::Ppt];

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
