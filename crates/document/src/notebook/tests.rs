//! Checks the Markdown of notebooks.

use super::*;
use crate::convert_file;

fn converted(notebook: &str) -> String {
    let bytes = notebook.as_bytes();
    assert_eq!(FileKind::detect(bytes), Some(FileKind::Ipynb), "{notebook}");
    convert_file(bytes, FileKind::Ipynb, &FileLimits::default())
        .unwrap()
        .markdown
}

#[test]
fn cells_and_their_outputs_stand_in_order() {
    let data = "iVBORw0KGgo".repeat(40);
    let notebook = serde_json::json!({
        "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", format!("![a](data:image/png;base64,{data})")]},
            {"cell_type": "code", "source": "print('```')\n```", "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
                {"output_type": "display_data", "data": {"image/png": data, "text/plain": "<Figure>"}},
                {"output_type": "execute_result", "data": {"text/html": "<b>x</b>"}},
                {"output_type": "error", "ename": "E", "evalue": "v",
                 "traceback": ["\u{1b}[0;31mE\u{1b}[0m: v", "\u{1b}]0;title\u{7}end"]},
            ]},
            {"cell_type": "code", "source": [], "outputs": []},
            {"cell_type": "raw", "source": "raw"},
        ],
        "metadata": {"kernelspec": {"display_name": "J", "language": "julia", "name": "julia-1.9"}},
        "nbformat": 4, "nbformat_minor": 5,
    });
    let markdown = converted(&notebook.to_string());
    assert_eq!(
        markdown,
        "[cell 1: markdown]\n# Title\n![a](data:image/png;base64,[330 bytes])\n\n[cell 2: \
         code]\n````julia\nprint('```')\n```\n````\n\n[output]\n```\none\ntwo\n```\n\n[output: \
         image/png, 330 \
         bytes]\n\n[output]\n```\n<Figure>\n```\n\n[output]\n**x**\n\n[error]\n```\nE: \
         v\nend\n```\n\n[cell 4: raw]\n```\nraw\n```"
    );
}

#[test]
fn outputs_are_read_in_other_forms_where_plain_text_says_nothing() {
    let long = format!("\"{}\"", "a".repeat(MAX_JSON_BYTES));
    let name = "<IPython.core.display.HTML object>";
    for (data, wanted) in [
        (
            serde_json::json!({"text/plain": name, "text/html": "<p>Total <b>42</b></p><script>x()</script>"}),
            "[output]\nTotal **42**".to_owned(),
        ),
        (
            serde_json::json!({"text/plain": "<pandas.io.formats.style.Styler at 0x7f1>", "text/html": ["<style>a</style><table><tr><th>s</th></tr>", "<tr><td>42</td></tr></table>"]}),
            "[output]\n| s |\n| --- |\n| 42 |".to_owned(),
        ),
        (
            serde_json::json!({"text/plain": name, "text/latex": "\\frac{1}{2}"}),
            "[output]\n$\\frac{1}{2}$".to_owned(),
        ),
        (
            serde_json::json!({"text/latex": "$\\displaystyle x$"}),
            "[output]\n$\\displaystyle x$".to_owned(),
        ),
        (
            serde_json::json!({"text/latex": "\\begin{align}\nx\n\\end{align}"}),
            "[output]\n\\begin{align}\nx\n\\end{align}".to_owned(),
        ),
        (
            serde_json::json!({"text/plain": "<IPython.core.display.JSON object>", "application/json": {"a": [1]}}),
            "[output]\n```json\n{\"a\":[1]}\n```".to_owned(),
        ),
        (
            serde_json::json!({"text/plain": "<IPython.display.GeoJSON object>", "application/geo+json": {"a": 1}}),
            "[output: application/geo+json, 7 bytes]\n\n[output]\n```\n<IPython.display.GeoJSON \
             object>\n```"
                .to_owned(),
        ),
        (
            serde_json::json!({"text/csv": "a,b\n1,2"}),
            "[output]\n```\na,b\n1,2\n```".to_owned(),
        ),
        (
            serde_json::json!({"text/plain": "10%\r20%\r100%\r\nend\r"}),
            "[output]\n```\n100%\nend\n```".to_owned(),
        ),
        (
            serde_json::json!({"text/plain": "x = 1", "text/html": "<p>no</p>"}),
            "[output]\n```\nx = 1\n```".to_owned(),
        ),
        (
            serde_json::json!({"text/plain": "<Figure size 6x4 with 1 Axes>"}),
            "[output]\n```\n<Figure size 6x4 with 1 Axes>\n```".to_owned(),
        ),
        (
            serde_json::json!({"application/vnd.plotly.v1+json": {"data": []}, "text/html": "<div></div><script>x</script>"}),
            "[output: application/vnd.plotly.v1+json, 11 bytes]\n\n[output: text/html, 29 bytes]"
                .to_owned(),
        ),
        (
            serde_json::json!({"application/json": "a".repeat(MAX_JSON_BYTES)}),
            format!(
                "[output]\n```json\n{}\n```\n[The rest is left out.]",
                &long[..MAX_JSON_BYTES]
            ),
        ),
    ] {
        let notebook = serde_json::json!({"nbformat": 4, "cells": [
            {"cell_type": "code", "source": "f()", "outputs": [{"output_type": "display_data", "data": data}]}
        ]});
        let markdown = converted(&notebook.to_string());
        let (_, output) = markdown.split_once("f()\n```\n\n").unwrap_or_default();
        assert_eq!(output, wanted);
    }
}

#[test]
fn notebooks_of_the_format_before_have_their_cells_in_worksheets() {
    let notebook = serde_json::json!({"nbformat": 3, "metadata": {"name": "x"}, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 2, "source": "Head"},
        {"cell_type": "code", "language": "python", "input": ["x=1\n", "x"], "outputs": [
            {"output_type": "pyout", "text": ["1"], "html": ["<b>one</b>"]},
            {"output_type": "display_data", "png": "aaaa"},
            {"output_type": "display_data", "latex": ["$y$"]},
            {"output_type": "pyerr", "traceback": ["E: v"]},
        ]},
    ]}, {"cells": [{"cell_type": "markdown", "source": "md"}]}]});
    assert_eq!(
        converted(&notebook.to_string()),
        "[cell 1: heading]\n## Head\n\n[cell 2: \
         code]\n```python\nx=1\nx\n```\n\n[output]\n```\n1\n```\n\n[output: image/png, 3 \
         bytes]\n\n[output]\n$y$\n\n[error]\n```\nE: v\n```\n\n[cell 3: markdown]\nmd"
    );
    let notebook = serde_json::json!({"nbformat": 2, "metadata": {"name": "x"}, "worksheets": [{"cells": [
        {"cell_type": "markdown", "source": "md"},
        {"cell_type": "code", "language": "python", "prompt_number": 1, "input": "x", "outputs": [
            {"output_type": "pyout", "output_text": "1", "output_png": "aaaa"},
        ]},
    ]}]});
    let expected = "[cell 1: markdown]\nmd\n\n[cell 2: code]\n```python\nx\n```\n\n";
    let shown = converted(&notebook.to_string());
    assert!(
        shown.starts_with(expected) && shown.contains("```\n1\n```"),
        "{shown}"
    );
}

#[test]
fn a_file_that_only_names_the_fields_of_one_is_none() {
    for other in [
        r#"{"properties": {"nbformat": {}, "cells": {}}}"#,
        r#"{"nbformat": 4}"#,
        r#"{"nbformat": 3, "cells": []}"#,
        r#"{"nbformat": 4, "cells": {}}"#,
        r#"{"nbformat": 4, "cells": []"#,
        r#"["nbformat"]"#,
    ] {
        assert_eq!(FileKind::detect(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn a_language_that_is_no_name_is_not_repeated_whole() {
    let cells = [r#"{"cell_type": "code", "source": "a"}"#; 9].join(",");
    let name = "x".repeat(9000);
    let markdown = converted(&format!(
        r#"{{"nbformat": 4, "metadata": {{"language_info": {{"name": "{name}"}}}}, "cells": [{cells}]}}"#
    ));
    assert!(markdown.len() < 900, "{} bytes", markdown.len());
}

#[test]
fn what_is_wrong_in_a_cell_is_left_out_and_said() {
    let markdown = converted(
        r#"{"nbformat": 4, "cells": [{"cell_type": 1}, 5, {"cell_type": "code", "source": "a"}]}"#,
    );
    assert!(
        markdown.starts_with("[cell 3: code]\n```\na\n```"),
        "{markdown}"
    );
    assert!(markdown.contains("[The file is damaged"), "{markdown}");
}

#[test]
fn many_elements_cost_what_is_shown() {
    let lines = "\"a\",".repeat(MAX_ELEMENTS + 9);
    let markdown = converted(&format!(
        "{{\"cells\":[{{\"cell_type\":\"code\",\"source\":[{lines}\"b\"]}}],\"nbformat\":4}}"
    ));
    assert!(markdown.ends_with("too many elements for all to be converted.]"));
    assert_eq!(markdown.matches('a').count() / 100, MAX_ELEMENTS / 100);
}
