//! Reads the control words of an RTF file.

use super::super::comments::comment_of;
use super::super::docx::field::{hyperlink_target, symbol_of};
use super::super::docx::styles::RunProperties;
use super::super::limits::MAX_NOTES;
use super::tables::{encoding_of_charset, encoding_of_code_page};
use super::token::RtfTokens;
use super::{GroupState, RtfAside, RtfDestination, RtfNote, RtfReader};

/// Limit of a file's links.
const MAX_LINKS: usize = 100_000;

impl RtfReader<'_> {
    pub(super) fn read_symbol(&mut self, symbol: u8) {
        let text = match symbol {
            b'~' => "\u{a0}",
            b'_' => "\u{2011}",
            b'{' => "{",
            b'}' => "}",
            b'\\' => "\\",
            b'\r' | b'\n' => return self.read_layout("par"),
            b'\t' => "\t",
            _ => return,
        };
        if self.to_skip > 0 {
            self.to_skip -= 1;
        } else {
            self.add_text(text);
        }
    }

    pub(super) fn read_word(
        &mut self,
        word: &str,
        number: Option<i32>,
        tokens: &mut RtfTokens<'_>,
    ) {
        let is_optional = std::mem::take(&mut self.optional);
        if self.to_skip > 0 && word != "u" {
            self.to_skip -= 1;
            return;
        }
        if self.read_destination(word, is_optional, tokens) {
            return;
        }
        let number_or_one = number.unwrap_or(1);
        match self.state.destination {
            RtfDestination::Skipped => return,
            RtfDestination::Colours => {
                let part = ["red", "green", "blue"]
                    .iter()
                    .position(|name| *name == word);
                if let Some(part) = part {
                    self.tables.add_colour_part(part, number_or_one);
                }
                return;
            }
            RtfDestination::Fonts => match word {
                "f" => self.tables.number = number.unwrap_or(0),
                "fcharset" => self.tables.encoding = encoding_of_charset(number.unwrap_or(0)),
                "cpg" => self.tables.encoding = encoding_of_code_page(number.unwrap_or(0)),
                _ => {}
            },
            RtfDestination::Styles => match word {
                "s" => self.tables.number = number.unwrap_or(0),
                // Styles of runs have numbers of their own.
                "cs" | "ts" | "ds" => self.tables.number = -1 - number.unwrap_or(0).max(0),
                "outlinelevel" => self.tables.outline = number.and_then(|n| n.try_into().ok()),
                _ => {}
            },
            RtfDestination::Info => {
                let date = &mut self.blocks.about.date;
                match word {
                    "creatim" => date.clear(),
                    "yr" if date.is_empty() => *date = format!("{:04}", number.unwrap_or(0)),
                    "mo" | "dy" if (4..9).contains(&date.len()) => {
                        *date = format!("{date}-{:02}", number.unwrap_or(0));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        match word {
            "u" => self.add_unicode(number.unwrap_or(0)),
            "uc" => self.state.replaced = number.unwrap_or(1).clamp(0, 20).try_into().unwrap_or(1),
            "ansicpg" => self.page = encoding_of_code_page(number_or_one).or(self.page),
            "pc" => self.page = encoding_of_code_page(437),
            "pca" => self.page = encoding_of_code_page(850),
            "mac" => self.page = encoding_of_code_page(10_000),
            _ => {
                if let Some(text) = text_of_control_word(word) {
                    self.add_text(text);
                } else if self.state.destination == RtfDestination::Body {
                    self.read_format(word, number);
                    self.read_layout(word);
                }
            }
        }
    }

    /// Begins a destination; returns true if `word` is one.
    fn read_destination(&mut self, word: &str, optional: bool, tokens: &mut RtfTokens<'_>) -> bool {
        use RtfDestination::{Aside, Body, Colours, Fonts, Info, Skipped, Styles};
        let current = self.state.destination;
        let destination = match word {
            "sn" => Aside(RtfAside::PropertyName),
            "sv" => Aside(RtfAside::PropertyValue),
            "shptxt" => {
                let start = tokens.offset;
                let state = GroupState {
                    destination: Body,
                    ..self.state
                };
                let source = start..tokens.skip_group();
                if self.boxes.len() < MAX_NOTES {
                    self.boxes.push((source, state));
                }
                return true;
            }
            _ if current == Skipped => return false,
            "fonttbl" => Fonts,
            "colortbl" => Colours,
            "stylesheet" => Styles,
            "info" => Info,
            "title" if current == Info => Aside(RtfAside::Title),
            "author" if current == Info => Aside(RtfAside::Author),
            "subject" | "keywords" | "operator" | "doccomm" | "company" | "manager"
            | "category" | "revtim" | "printim" | "buptim" | "hlinkbase" | "comment"
                if current == Info =>
            {
                Skipped
            }
            "fldinst" => Aside(RtfAside::FieldCode),
            "fldrslt" => {
                if let Some(symbol) = symbol_of(&self.asides[RtfAside::FieldCode as usize]) {
                    self.add_text(symbol.encode_utf8(&mut [0; 4]));
                    self.state.destination = Skipped;
                    return true;
                }
                let link = hyperlink_target(&self.asides[RtfAside::FieldCode as usize]);
                if let Some(link) = link.filter(|_| self.links.len() < MAX_LINKS) {
                    self.state.link = Some(self.links.len());
                    self.links.push(link);
                }
                return true;
            }
            "listtext" | "pntext" => Aside(RtfAside::Label),
            "atnauthor" => Aside(RtfAside::CommentAuthor),
            "footnote" | "annotation" if current == Body => {
                let start = tokens.offset;
                let source = start..tokens.skip_group();
                if self.in_note || self.notes.len() >= MAX_NOTES {
                    return true;
                }
                let text = if word == "annotation" {
                    let author = &mut self.asides[RtfAside::CommentAuthor as usize];
                    comment_of(&std::mem::take(author), "")
                } else {
                    String::new()
                };
                self.notes.push(RtfNote {
                    source,
                    state: GroupState {
                        replaced: self.state.replaced,
                        encoding: self.state.encoding,
                        ..GroupState::default()
                    },
                    text,
                });
                let number = u32::try_from(self.notes.len()).unwrap_or(u32::MAX);
                self.inlines.add_note_mark(number);
                return true;
            }
            "ud" => Body,
            "header" | "headerl" | "headerr" | "headerf" | "footer" | "footerl" | "footerr"
            | "footerf" => {
                if self.shows_headers {
                    Body
                } else {
                    Skipped
                }
            }
            "pict" | "ftnsep" | "ftnsepc" | "ftncn" | "aftnsep" | "aftnsepc" | "aftncn"
            | "nonshppict" | "nonesttables" | "objdata" | "tc" | "tcl" | "xe" | "rxe" | "txe"
            | "pntxta" | "pntxtb" | "filetbl" | "upr" | "private" | "template" | "atnid"
            | "atndate" | "atnref" | "shprslt" => Skipped,
            // Pictures within have descriptions, shapes have texts.
            _ if optional && word != "shppict" && word != "nesttableprops" => Skipped,
            _ => return optional,
        };
        if let Aside(aside) = destination
            && let Some(last) = self.asides.get_mut(aside as usize)
        {
            last.clear();
        }
        self.state.destination = destination;
        true
    }

    fn add_unicode(&mut self, code: i32) {
        let code = u32::try_from(if code < 0 { code + 0x1_0000 } else { code }).unwrap_or(0);
        let high = std::mem::take(&mut self.high);
        self.to_skip = self.state.replaced;
        let code_point = match code {
            0xd800..=0xdbff => {
                self.high = code;
                return;
            }
            0xdc00..=0xdfff if high != 0 => 0x1_0000 + ((high - 0xd800) << 10) + (code - 0xdc00),
            code => code,
        };
        // Signs of symbol fonts whose characters are not known.
        let is_known = self.state.run.symbols.flatten().is_some();
        let code_point = if (0xf020..0xf100).contains(&code_point) && !is_known {
            code_point - 0xf000
        } else {
            code_point
        };
        if let Some(c) = char::from_u32(code_point).filter(|c| !c.is_control()) {
            self.add_text(c.encode_utf8(&mut [0; 4]));
        }
    }

    /// Reads the formatting of a run or a paragraph.
    fn read_format(&mut self, word: &str, number: Option<i32>) {
        let on = Some(number != Some(0));
        let state = &mut self.state;
        match word {
            "b" => state.run.bold = on,
            "i" => state.run.italic = on,
            "strike" | "striked" => state.run.deleted = on,
            "v" | "deleted" => state.run.hidden = on,
            "super" | "up" => state.run.raised = on,
            "sub" | "nosupersub" | "dn" => state.run.raised = Some(false),
            "fs" => state.run.size = number.and_then(|size| size.try_into().ok()),
            "cf" => state.run.white = number.map(|index| self.tables.white.contains(&index)),
            "highlight" | "cb" | "chcbpat" | "cbpat" | "clcbpat" => {
                let is_white = |index| index == 0 || self.tables.white.contains(&index);
                state.run.shaded = Some(!is_white(number.unwrap_or(0)));
            }
            "f" => {
                let font = self.tables.fonts.get(&number.unwrap_or(0));
                state.encoding = font.and_then(|font| font.encoding);
                state.run.mono = font.map(|font| font.mono);
                state.run.symbols = font.map(|font| font.symbols);
            }
            "plain" => {
                state.run = RunProperties::default();
                state.encoding = None;
            }
            "pard" => {
                (state.style, state.outline, state.in_table) = (0, None, false);
                (state.list, state.level) = (0, 0);
            }
            "s" => state.style = number.unwrap_or(0),
            "outlinelevel" => state.outline = number.and_then(|level| level.try_into().ok()),
            "intbl" => state.in_table = true,
            "ls" => state.list = number.and_then(|list| list.try_into().ok()).unwrap_or(0),
            "ilvl" => state.level = number.and_then(|level| level.try_into().ok()).unwrap_or(0),
            "clmrg" => self.table.shape.joined = true,
            "clvmrg" => self.table.shape.below = true,
            "cellx" => self.table.end_shape(number.unwrap_or(0)),
            _ => {}
        }
    }

    fn read_layout(&mut self, word: &str) {
        match word {
            "par" | "sect" => self.end_paragraph(),
            "line" | "softline" | "lbr" => self.inlines.add_line_break(),
            "page" | "column" | "nestcell" => self.inlines.add_plain(" "),
            "nestrow" => self.inlines.begin_line(),
            "trowd" => self.table.begin_row(),
            "cell" => {
                self.state.in_table = true;
                self.end_paragraph();
                self.table.end_cell();
            }
            "row" => self.table.end_row(),
            _ => {}
        }
    }
}

/// The text that a control word means.
fn text_of_control_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "tab" => "\t",
        "emdash" => "\u{2014}",
        "endash" => "\u{2013}",
        "lquote" => "\u{2018}",
        "rquote" => "\u{2019}",
        "ldblquote" => "\u{201c}",
        "rdblquote" => "\u{201d}",
        "bullet" => "\u{2022}",
        "emspace" => "\u{2003}",
        "enspace" | "qmspace" => "\u{2002}",
        "zwnj" => "\u{200c}",
        "zwj" => "\u{200d}",
        _ => return None,
    })
}
