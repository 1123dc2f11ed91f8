//! Pieces of SVG.

/// The fonts of code, of which each system has one.
pub const CODE: &str =
    "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/// The fonts of other text.
pub const TEXT: &str = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

/// A picture of these dimensions that is described by `title`.
pub fn picture(width: u32, height: u32, title: &str, content: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\" role=\"img\">\n<title>{}</title>\n{content}</svg>\n",
        text(title)
    )
}

/// Text as XML has it.
pub fn text(plain: &str) -> String {
    plain
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
