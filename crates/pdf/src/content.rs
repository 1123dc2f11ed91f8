//! Interprets content streams as far as they draw text.
//!
//! Rules: ISO 32000-2, 8.4 (graphics state), 8.5.4 (clipping), 8.10 (forms).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use lopdf::{Dictionary, Object, ObjectId, Stream};

use super::file::{PdfFile, as_dict};
use super::font::PdfFont;
use super::geometry::{Matrix, Rect};
use super::lexer::{PdfLexer, PdfOperand, PdfToken};
use super::marked_content::MarkedContent;
use super::paint::{PaintColour, PaintedAreas};
use super::rules::DrawnPath;
use super::runs::PageRuns;
use super::scanned_page::{PagePictures, ScannedPage};

/// Limit of an operator's operands.
const MAX_OPERANDS: usize = 64;

/// Limit of saved graphics states.
pub(super) const MAX_STATES: usize = 512;

/// Maximum nesting of forms.
const MAX_FORM_DEPTH: usize = 16;

/// Limit of the forms drawn in a document.
const MAX_FORMS: usize = 50_000;

/// Operators between two looks at the clock.
const OPERATORS_PER_CHECK: u32 = 4096;

#[derive(Clone)]
pub(super) struct GraphicsState {
    pub(super) ctm: Matrix,
    pub(super) clip: Rect,
    pub(super) font: Option<Rc<PdfFont>>,
    pub(super) size: f32,
    pub(super) char_space: f32,
    pub(super) word_space: f32,
    pub(super) scale: f32,
    pub(super) leading: f32,
    pub(super) rise: f32,
    pub(super) mode: i32,
    /// The colours of areas and of lines.
    pub(super) colours: [PaintColour; 2],
}

/// The text that is drawn, and what is kept from page to page.
#[derive(Default)]
pub(super) struct DrawnContent {
    pub(super) fonts: HashMap<usize, Rc<PdfFont>>,
    /// Number of entries of all cached fonts.
    pub(super) font_entries: usize,
    pub(super) off: HashSet<ObjectId>,
    forms: usize,
    /// Number of glyphs, and of those that no font identifies.
    pub(super) glyphs: usize,
    pub(super) unknown: usize,
    /// True if there was a picture.
    pub(super) has_images: bool,
    /// Number of letters of the page; more than any if it has unpainted text.
    pub(super) letters: u32,
    /// The pictures of the page, and the pages so far that are scans.
    pub(super) pictures: PagePictures,
    pub(super) scans: Vec<ScannedPage>,
    /// True if invisible text is kept; true if some was dropped.
    pub(super) keeps_unseen: bool,
    pub(super) has_dropped_unseen: bool,
    pub(super) runs: PageRuns,
}

impl DrawnContent {
    pub(super) fn new(file: &PdfFile) -> Self {
        let hidden = file.catalog().and_then(|catalog| {
            let optional = file.dict(catalog, b"OCProperties")?;
            file.array(file.dict(optional, b"D")?, b"OFF")
        });
        let hidden = hidden.unwrap_or_default().iter().take(10_000);
        Self {
            off: hidden
                .filter_map(|group| group.as_reference().ok())
                .collect(),
            ..Self::default()
        }
    }
}

/// Runs the operators of content streams.
pub(super) struct ContentInterpreter<'a> {
    pub(super) file: &'a PdfFile,
    pub(super) drawn: &'a mut DrawnContent,
    painted: &'a mut PaintedAreas,
    pub(super) state: GraphicsState,
    states: Vec<GraphicsState>,
    pub(super) text: Matrix,
    pub(super) line: Matrix,
    path: DrawnPath,
    clips: bool,
    pub(super) marks: Vec<MarkedContent>,
    /// Number of open marks beyond those that are kept.
    pub(super) more_marks: usize,
    depth: usize,
    active: Vec<usize>,
}

impl<'a> ContentInterpreter<'a> {
    /// Begins a page; text outside of `area` is invisible.
    pub(super) fn new(
        file: &'a PdfFile,
        drawn: &'a mut DrawnContent,
        painted: &'a mut PaintedAreas,
        ctm: Matrix,
        area: Rect,
    ) -> Self {
        Self {
            file,
            drawn,
            painted,
            state: GraphicsState {
                ctm,
                clip: area,
                font: None,
                size: 0.0,
                char_space: 0.0,
                word_space: 0.0,
                scale: 1.0,
                leading: 0.0,
                rise: 0.0,
                mode: 0,
                colours: [PaintColour::default(); 2],
            },
            states: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            path: DrawnPath::EMPTY,
            clips: false,
            marks: Vec::new(),
            more_marks: 0,
            depth: 0,
            active: Vec::new(),
        }
    }

    /// Runs a content stream.
    pub(super) fn run_stream(&mut self, content: &[u8], resources: Option<&'a Dictionary>) {
        let mut lexer = PdfLexer::new(content);
        let mut operands: Vec<PdfOperand<'_>> = Vec::new();
        let mut operators = 0;
        while let Some(item) = lexer.next() {
            match item {
                PdfToken::Operand(operand) => {
                    if operands.len() < MAX_OPERANDS {
                        operands.push(operand);
                    }
                }
                PdfToken::Operator(operator) => {
                    operators += 1;
                    if operators % OPERATORS_PER_CHECK == 0 {
                        if self.drawn.runs.is_full() {
                            self.file.leave_out();
                            return;
                        }
                        if self.file.is_late() {
                            return;
                        }
                    }
                    if operator == b"BI" {
                        lexer.skip_image();
                        self.add_picture(None);
                    } else {
                        self.operate(operator, &operands, resources);
                    }
                    operands.clear();
                }
            }
        }
    }

    fn operate(
        &mut self,
        operator: &[u8],
        operands: &[PdfOperand<'_>],
        resources: Option<&'a Dictionary>,
    ) {
        let number = |index: usize| {
            operands
                .get(index)
                .and_then(PdfOperand::number)
                .unwrap_or(0.0)
        };
        let state = &mut self.state;
        match operator {
            b"Tj" => self.show_string(operands.first()),
            b"TJ" => self.show_strings(operands.first()),
            b"'" => {
                self.next_line(0.0, -self.state.leading);
                self.show_string(operands.first());
            }
            b"\"" => {
                (state.word_space, state.char_space) = (number(0), number(1));
                self.next_line(0.0, -self.state.leading);
                self.show_string(operands.get(2));
            }
            b"Td" => self.next_line(number(0), number(1)),
            b"TD" => {
                state.leading = -number(1);
                self.next_line(number(0), number(1));
            }
            b"T*" => self.next_line(0.0, -self.state.leading),
            b"Tm" => {
                if let Some(matrix) = matrix(operands) {
                    (self.text, self.line) = (matrix, matrix);
                }
            }
            b"BT" => (self.text, self.line) = (Matrix::IDENTITY, Matrix::IDENTITY),
            b"Tf" => {
                state.size = number(1);
                let name = operands.first().and_then(PdfOperand::name);
                self.state.font = name.and_then(|name| self.font(resources?, name));
            }
            b"Tc" => state.char_space = number(0),
            b"Tw" => state.word_space = number(0),
            b"Tz" => state.scale = number(0) / 100.0,
            b"TL" => state.leading = number(0),
            b"Ts" => state.rise = number(0),
            b"Tr" => state.mode = number(0) as i32,
            b"q" if self.states.len() < MAX_STATES => self.states.push(self.state.clone()),
            b"Q" => {
                if let Some(state) = self.states.pop() {
                    self.state = state;
                }
            }
            b"cm" => {
                if let Some(matrix) = matrix(operands) {
                    state.ctm = matrix.then(&state.ctm);
                }
            }
            b"re" => {
                let (x, y) = (number(0), number(1));
                let area = Rect::new(x, y, x + number(2), y + number(3));
                self.path.add_rectangle(&state.ctm.rect(&area));
            }
            b"m" => self.path.move_to(state.ctm.point(number(0), number(1))),
            b"l" => self.path.line_to(state.ctm.point(number(0), number(1))),
            b"c" | b"v" | b"y" => {
                for index in (0..operands.len()).step_by(2) {
                    self.path
                        .curve_to(state.ctm.point(number(index), number(index + 1)));
                }
            }
            b"h" => self.path.close(),
            b"W" | b"W*" => self.clips = true,
            b"n" | b"f" | b"F" | b"f*" | b"S" | b"s" | b"B" | b"B*" | b"b" | b"b*" => {
                self.paint_path(operator);
            }
            b"sh" => self.painted.add_picture(&state.clip),
            b"g" | b"rg" | b"k" | b"sc" | b"scn" => state.colours[0].set(operator, operands),
            b"G" | b"RG" | b"K" | b"SC" | b"SCN" => {
                state.colours[1].set(&operator.to_ascii_lowercase(), operands);
            }
            b"cs" | b"CS" => {
                let name = operands
                    .first()
                    .and_then(PdfOperand::name)
                    .unwrap_or_default();
                let colour = &mut state.colours[usize::from(operator == b"CS")];
                colour.set_space(self.file, name, resources);
            }
            b"gs" => {
                let name = operands.first().and_then(PdfOperand::name);
                self.apply_graphics_state(name, resources);
            }
            b"Do" => {
                if let (Some(name), Some(resources)) =
                    (operands.first().and_then(PdfOperand::name), resources)
                {
                    self.draw_object(resources, name);
                }
            }
            b"BMC" | b"BDC" => self.begin_marked_content(operands, resources),
            b"EMC" => self.end_marked_content(),
            _ => {}
        }
    }

    /// Fills or strokes the path, and clips by it.
    fn paint_path(&mut self, operator: &[u8]) {
        if matches!(operator, b"s" | b"b" | b"b*") {
            self.path.close();
        }
        let fills = !matches!(operator, b"n" | b"S" | b"s");
        let strokes = !matches!(operator, b"n" | b"f" | b"F" | b"f*");
        let state = &mut self.state;
        self.painted
            .add_path(&self.path, [fills, strokes], &state.clip, state.colours);
        if self.clips {
            state.clip = state.clip.and(&self.path.bounds);
        }
        self.clips = false;
        self.path.clear();
    }

    fn apply_graphics_state(&mut self, name: Option<&[u8]>, resources: Option<&'a Dictionary>) {
        let file = self.file;
        let states = resources.and_then(|resources| file.dict(resources, b"ExtGState"));
        let state = states
            .zip(name)
            .and_then(|(states, name)| file.dict(states, name));
        for (key, colour) in [b"ca", b"CA"].into_iter().zip(&mut self.state.colours) {
            if let Some(alpha) = state.and_then(|state| file.number(state, key)) {
                colour.set_alpha(alpha);
            }
        }
        if let Some([font, size]) = state.and_then(|state| file.array(state, b"Font"))
            && let Some(dict) = as_dict(file.resolve(font))
        {
            self.state.font = self.font_of(dict);
            self.state.size = super::file::number(file.resolve(size)).unwrap_or(0.0);
        }
    }

    /// Draws the external object of this name.
    fn draw_object(&mut self, resources: &'a Dictionary, name: &[u8]) {
        let file = self.file;
        let objects = file.dict(resources, b"XObject");
        let Some(Object::Stream(stream)) = objects.and_then(|objects| file.get(objects, name))
        else {
            return;
        };
        match file.name(&stream.dict, b"Subtype") {
            Some(b"Form") if !self.is_off(stream.dict.get(b"OC").ok()) => {
                self.draw_form(stream, Some(resources), Matrix::IDENTITY);
            }
            Some(b"Image") => {
                let id = objects.and_then(|objects| objects.get(name).ok()?.as_reference().ok());
                let size = [&b"Width"[..], b"Height"].map(|key| file.number(&stream.dict, key));
                let pixels = size.into_iter().flatten().product();
                self.add_picture(id.map(|id| (id, pixels)));
            }
            _ => {}
        }
    }

    /// Records a picture; of an image of its own, also its number and that of its pixels.
    fn add_picture(&mut self, image: Option<(ObjectId, f32)>) {
        self.drawn.has_images = true;
        let state = &self.state;
        let area = state.ctm.rect(&Rect::new(0.0, 0.0, 1.0, 1.0));
        let visible = area.and(&state.clip);
        self.painted.add_picture(&visible);
        self.drawn.pictures.add(image, state.ctm, &visible);
    }

    /// Draws a form; `place` is the matrix of an annotation.
    pub(super) fn draw_form(
        &mut self,
        form: &'a Stream,
        resources: Option<&'a Dictionary>,
        place: Matrix,
    ) {
        let key = std::ptr::from_ref(form).addr();
        if self.depth >= MAX_FORM_DEPTH
            || self.drawn.forms >= MAX_FORMS
            || self.active.contains(&key)
            || self.file.is_late()
        {
            return;
        }
        self.drawn.forms += 1;
        let file = self.file;
        let matrix = file.matrix(&form.dict, b"Matrix");
        let ctm = matrix
            .unwrap_or(Matrix::IDENTITY)
            .then(&place)
            .then(&self.state.ctm);
        let content = file.stream_data(form);
        let before = self.state.clone();
        let states = std::mem::take(&mut self.states);
        let matrices = (self.text, self.line);
        let marks = self.marks.len();
        self.state.ctm = ctm;
        if let Some(bounds) = file.rect(&form.dict, b"BBox") {
            self.state.clip = self.state.clip.and(&ctm.rect(&bounds));
        }
        self.depth += 1;
        self.active.push(key);
        let resources_of_form = file.dict(&form.dict, b"Resources").or(resources);
        self.run_stream(&content, resources_of_form);
        self.active.pop();
        self.depth -= 1;
        self.marks.truncate(marks);
        (self.text, self.line) = matrices;
        self.states = states;
        self.state = before;
    }
}

fn matrix(operands: &[PdfOperand<'_>]) -> Option<Matrix> {
    let numbers = operands.iter().map_while(PdfOperand::number).take(6);
    Matrix::from_numbers(&numbers.collect::<Vec<_>>())
}
