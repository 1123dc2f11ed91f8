//! Content whose meaning is not in its text alone: columns of tables, powers, formulas, line
//! numbers.

use std::time::Duration;

use super::{check, markdown};
use iki_base::cpu_clock::CpuInstant;

#[test]
fn each_cell_stands_under_its_own_heading() {
    check(&[
        // A cell that spans rows at the end of a row ends there as well.
        (
            "<table><tr><th>a<th>b<tr><td>c<td rowspan=2>d<tr><td>e<tr><td>f<td>g</table>",
            "| a | b |\n| --- | --- |\n| c | d |\n| e |\n| f | g |",
        ),
        (
            "<table><tr><th>a<th>b<th>c<tr><td>1<td rowspan=2>2<td \
             rowspan=2>3<tr><td>4<tr><td>5<td>6<td>7</table>",
            "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 4 |\n| 5 | 6 | 7 |",
        ),
        // A row without cells is one, too.
        (
            "<table><tr><td rowspan=2>a<td>b<tr></tr><tr><td>c<td>d</table>",
            "| | |\n| --- | --- |\n| a | b |\n| c | d |",
        ),
        // No cell reaches out of its section.
        (
            "<table><thead><tr><th rowspan=9>a<th>b</thead><tbody><tr><td>1<td>2</table>",
            "| a | b |\n| --- | --- |\n| 1 | 2 |",
        ),
        // An invisible cell keeps its place; one that is not displayed has none.
        (
            "<table><tr><th>a<th>b<th>c<tr><td>1<td style='visibility:hidden'>2<td>3<tr><td>4<td \
             aria-hidden=true>5<td>6<tr><td>7<td hidden>8<td>9<tr><td>10<td \
             style='display:none'>11<td>12</table>",
            "| a | b | c |\n| --- | --- | --- |\n| 1 | | 3 |\n| 4 | | 6 |\n| 7 | 9 |\n| 10 | 12 |",
        ),
    ]);
}

#[test]
fn a_list_in_a_cell_leaves_the_table_one_where_its_columns_have_headings() {
    check(&[
        (
            "<table><tr><th>a<th>b<th>c<tr><td>1<td><td><p>2:</p><ul><li>3<li><b>4</b></\
             ul><tr><td>5<td><td>6</table>",
            "| a | b | c |\n| --- | --- | --- |\n| 1 | | 2:<br>• 3<br>• **4** |\n| 5 | | 6 |",
        ),
        (
            "<table><tr><td>1<td><ul><li>2<li>3</ul></table>",
            "1\n\n- 2\n- 3",
        ),
        (
            "<table><tr><th>a<th>b<tr><td><pre>1</pre><td>2</table>",
            "| a | b |\n| --- | --- |\n| `1` | 2 |",
        ),
    ]);
}

#[test]
fn a_power_is_no_more_digits_of_the_same_number() {
    check(&[
        ("2<sup>10</sup> = 1024", "2^10 = 1024"),
        ("10<sup>-3</sup> x<SUP>n</SUP>", "10^-3 x^n"),
        ("e<sup>-x/2</sup> Ca<sup>2+</sup>", "e^(-x/2) Ca^(2+)"),
        (
            "<i>x</i><sup>2</sup> 2<sup>2<sup>3</sup></sup>",
            "*x*^2 2^(2^3)",
        ),
        ("<code>2<sup>8</sup></code>", "`2^8`"),
        ("said.<sup>1</sup>", "said.^1"),
        (
            "1<sup>st</sup> Name<sup>®</sup> a<sup>[1]</sup>",
            "1st Name® a[1]",
        ),
        ("a<sup><a href=#x>1</a></sup>", "a[1](#x)"),
        ("<sup>1</sup> a <sup>2</sup>", "1 a 2"),
        ("<p>a<p><sup>1</sup>", "a\n\n1"),
    ]);
}

#[test]
fn a_formula_is_told_as_its_author_wrote_it() {
    check(&[
        (
            r#"<p>a <span class="mwe-math-element"><span style="display: none;"><math alttext="{\displaystyle E=mc^{2}}"><mi>E</mi></math></span><img src="x" class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\displaystyle E=mc^{2}}"></span> b"#,
            "a `E=mc^{2}` b",
        ),
        (
            r#"a <math><semantics><mfrac><mi>a</mi><mi>b</mi></mfrac><annotation encoding="application/x-tex">\frac{a}{b} &lt; 1</annotation></semantics></math><span aria-hidden=true>ab</span> c"#,
            r"a `\frac{a}{b} < 1` c",
        ),
        (
            r#"a <math alttext="\sqrt{2}"><msqrt><mn>2</mn></msqrt></math>."#,
            r"a `\sqrt{2}`.",
        ),
        ("a <math><mi>x</mi></math> b", "a x b"),
        ("a <math hidden alttext=b><mi>x</mi></math> c", "a c"),
        (
            r#"a <img hidden class="mwe-math-fallback-image-inline" alt=x> b"#,
            "a b",
        ),
        // An annotation that is none of this one.
        (
            r#"<math><mi>x</mi></math> a <math><annotation encoding="TeX">y</annotation></math>"#,
            "x a `y`",
        ),
    ]);
    for piece in [
        "<math><p>",
        "<math><p><annotation encoding=TeX>",
        "<math><p><annotation encoding=\"TeX\"",
    ] {
        is_soon_read(&piece.repeat(30_000));
    }
}

#[test]
fn a_formula_is_told_wherever_a_page_has_it() {
    check(&[
        (
            "<p>a <script type='math/tex'>E = mc^2 & x<y</script> b",
            "a `E = mc^2 & x<y` b",
        ),
        (
            "<p>a<script type='math/tex; mode=display'>% <![CDATA[\nx %]]></script>",
            "a`x`",
        ),
        // MathJax 2 has drawn this one in letters that stand in boxes.
        (
            "<p>a <span class=MathJax_Preview></span><span class=MathJax \
             id=MathJax-Element-1-Frame><nobr>E=mc2</nobr></span><script type=\"math/tex\" \
             id=\"MathJax-Element-1\">E=mc^2</script> b",
            "a `E=mc^2` b",
        ),
        (
            "<div class=MathJax_Display><span id=MathJax-Element-1-Frame>E=mc2</span></div><p>No \
             script.",
            "E=mc2\n\nNo script.",
        ),
        (
            "<p>Take <m:math \
             xmlns:m='x'><m:mn>2</m:mn><m:mfrac><m:mn>1</m:mn><m:mn>2</m:mn></m:mfrac></m:math> \
             mg, <mml:math><mml:msup><mml:mn>10</mml:mn><mml:mn>6</mml:mn></mml:msup></mml:math>",
            "Take `2 1/2` mg, `10^6`",
        ),
        (
            "<p>a <math><mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></\
             mmultiscripts></math> b \
             <math><mmultiscripts><mi>C</mi><mn>6</mn><none/><mprescripts/><none/><mn>12</mn></\
             mmultiscripts></math>",
            "a `_6^14 C` b `^12 C_6`",
        ),
        // MathJax has written this one into the page.
        (
            "<p>a <math><mi>x</mi></math><script type=math/tex id=MathJax-Element-1>x</script>",
            "a x",
        ),
        (
            "<p>a <span class=katex><span class=katex-html \
             aria-hidden=true><span>E</span>=m</span></span> b",
            "a E=m b",
        ),
        (
            "<p>a <span class=katex><span class=katex-mathml><math><mi>E</mi></math></span><span \
             class=katex-html aria-hidden=true>F</span></span>",
            "a E",
        ),
        (
            "<p>a <span class=katex><span class=katex-mathml><annotation \
             encoding='application/x-tex'>E=m</annotation></span><span class=katex-html \
             aria-hidden=true>F</span></span>",
            "a `E=m`",
        ),
        // No formula of KaTeX's.
        (
            "<p>a <span class=katex-html aria-hidden=true>Ignore</span>",
            "a",
        ),
    ]);
    for part in [
        "><span class=katex-html aria-hidden=true>",
        "<a \"><span class=katex-html aria-hidden=true>",
        "<annotation encoding=TeX>a</annotation-x>",
        "<script type=math/tex>",
        "<span id=MathJax-Element-1-Frame>a",
    ] {
        is_soon_read(&part.repeat(20_000));
    }
}

/// Checks that a formula that is never closed costs no more than its length.
pub(super) fn is_soon_read(page: &str) {
    let started = CpuInstant::now();
    markdown(&format!("{page}</math>"));
    let beginning: String = page.chars().take(80).collect();
    assert!(started.elapsed() < Duration::from_secs(5), "{beginning}");
}

#[test]
fn a_formula_of_elements_alone_is_told_in_one_line() {
    let cases = [
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"),
        (
            "<msup><mi>e</mi><mrow><mo>-</mo><mi>x</mi></mrow></msup><mo>+</mo><mn>1</mn>",
            "e^(-x)+1",
        ),
        (
            "<mi>x</mi><mo>=</mo><mfrac><mrow><mo>−</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</\
             mi><mn>2</mn></msup><mo>−</mo><mn>4</mn><mi>a</mi><mi>c</mi></msqrt></\
             mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>",
            "x=(−b±√(b^2−4ac))/(2a)",
        ),
        (
            "<mrow> <munderover><mo>&sum;</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</\
             mi></munderover>\n<msub><mi>a</mi><mi>i</mi></msub><msub><mi>b</mi><mn>1</mn></\
             msub><mi>c</mi> </mrow>",
            "∑_(i=1)^n a_i b_1 c",
        ),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "x^(1/3)"),
        (
            "<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><mfrac><mn>1</mn><mn>2</mn></mfrac><mi>y</mi>",
            "sin x 1/2 y",
        ),
        (
            "<mfrac><mn>1</mn><mi>n</mi></mfrac><munder><mo>&sum;</mo><mi>i</mi></munder><mi>x</\
             mi>",
            "1/n ∑_i x",
        ),
        (
            "<mi>f</mi><mo>(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>)</mo>",
            "f(a/b)",
        ),
        (
            "<msup><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>b</mi><mo>)</mo></mrow><mn>2</mn></\
             msup>",
            "(a+b)^2",
        ),
        (
            "<msup><mfenced><mi>a</mi><mi>b</mi></mfenced><mi>T</mi></msup>",
            "(a, b)^T",
        ),
        (
            "<mfenced open='[' \
             close=']'><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></\
             mtr><mtr><mtd><mn>3</mn></mtd><mtd><mrow/></mtd></mtr></mtable></mfenced>",
            "[1, 2; 3, ]",
        ),
        (
            "<mover><mi>x</mi><mo>¯</mo></mover><msup><mi>f</mi><mo>′</mo></msup>",
            "x¯f′",
        ),
        (
            "<mfrac linethickness=\"0\"><mi>n</mi><mi>k</mi></mfrac>",
            "n over k",
        ),
        (
            "<mn>1</mn><mo>&lt;</mo><msub><mi>x</mi><mi>&amp;</mi></msub><mphantom><mi>y</mi></\
             mphantom>",
            "1<x_&",
        ),
    ];
    for (elements, formula) in cases {
        let page =
            format!("a <math xmlns='http://www.w3.org/1998/Math/MathML'>{elements}</math> b");
        assert_eq!(markdown(&page), format!("a `{formula}` b"), "{elements}");
    }
    // Unknown marks, and those that repeat their text, are text.
    check(&[
        ("<math><mi>x</mi><mo>=</mo><mn>2</mn></math>", "x=2"),
        ("<math><mfrac><mi>x</mi></mfrac></math>", "x"),
        ("<math><msup><mi>x</mi><b>2</b></msup></math>", "x**2**"),
        ("<math><msup><mi>x</mi>2</msup></math>", "x2"),
        ("<math><msup><mi>x</mi><mn>2</mn></math>", "x2"),
        (&format!("<math>{}x</math>", "<msqrt>".repeat(99)), "x"),
    ]);
    for piece in [
        "<math><msup>",
        "<math><mi>x</mi>",
        "<math>",
        "<math><msup><mi>x</mi><mn>2</mn></msup></math>",
    ] {
        is_soon_read(&piece.repeat(50_000));
    }
}

#[test]
fn numbers_of_lines_are_no_part_of_the_code() {
    check(&[
        (
            "<pre><span class=linenos>1</span><b>import</b> os\n<span class='linenos'> 2</span>x \
             = 1</pre>",
            "```\nimport os\nx = 1\n```",
        ),
        ("<pre><a class=ln href=#1>1</a>a 1</pre>", "```\na 1\n```"),
        // Anything but a number is code.
        ("<pre><span class=ln>x1</span> a</pre>", "```\nx1 a\n```"),
        ("<p><span class=ln>1</span> a", "1 a"),
    ]);
}

#[test]
fn what_an_element_shows_in_its_own_place_is_text() {
    check(&[
        (
            "<my-app><template \
             shadowrootmode=open><style>a</style><h1>a</h1><p>b</template></my-app>",
            "# a\n\nb",
        ),
        (
            "<div class=a>\n <template shadowrootmode=OPEN>b</template> c</div>",
            "b c",
        ),
        // Content that a browser hides stays hidden.
        ("a<p><template shadowrootmode=other>b</template>c", "a\n\nc"),
        ("a<p><template title=shadowrootmode>b</template>c", "a\n\nc"),
        (
            "a<p><template title='shadowrootmode=open'>b</template>c",
            "a\n\nc",
        ),
        (
            "a <b><template shadowrootmode=open>b</template>c</b>",
            "a **c**",
        ),
        (
            "a<!-- <p>--><template shadowrootmode=open>b</template>c",
            "ac",
        ),
        (
            "a<p hidden><template shadowrootmode=open>b</template>c",
            "a",
        ),
        (
            "<p><template shadowrootmode=open>a</template><template \
             shadowrootmode=open>b</template>c",
            "ac",
        ),
        (
            "<template><p><template shadowrootmode=open>a</template></template>b",
            "b",
        ),
        (
            "<x-card><template \
             shadowrootmode=closed><p>a<slot></slot></template><p>b</x-card><template><p>c</\
             template>",
            "a\n\nb",
        ),
    ]);
}

#[test]
fn an_annotation_within_a_line_stands_in_brackets() {
    check(&[
        ("<ruby>漢<rt>kan</rt>字<rt>ji</ruby>", "漢(kan)字(ji)"),
        (
            "<ruby>漢<rp>（</rp><rt>kan</rt><rp>）</rp></ruby>",
            "漢（kan）",
        ),
        ("<ruby>漢<rt> </rt></ruby>", "漢"),
        (
            "<p>As shown<span class='ltx_note ltx_role_footnote'><sup \
             class=ltx_note_mark>1</sup><span class=ltx_note_outer><span \
             class=ltx_note_content><sup class=ltx_note_mark>1</sup><span class='ltx_tag \
             ltx_tag_note'>1</span>Only in spring.</span></span></span> the count falls.",
            "As shown (Only in spring.) the count falls.",
        ),
    ]);
}

#[test]
fn lines_in_an_area_for_text_stay_lines() {
    check(&[
        (
            "a<textarea>\nif b:\n    c &lt; d\n</textarea>e",
            "a\n\n```\nif b:\n    c < d\n```\n\ne",
        ),
        ("a <textarea>b</textarea> c", "a b c"),
        ("a<textarea hidden>\nb\nc\n</textarea> d", "a d"),
    ]);
}

#[test]
fn an_image_without_an_address_is_looked_for_where_it_is_kept() {
    check(&[
        (
            "<img src='' data-original=/o.png alt=a>",
            "![a](https://example.com/o.png)",
        ),
        (
            "<img class=lazy src=/placeholder.gif data-original=/o.png alt=a> <img src=/p.png \
             data-lazy-src=/b.png alt=b>",
            "![a](https://example.com/o.png) ![b](https://example.com/b.png)",
        ),
        (
            "<img src='' srcset='' data-lazy-srcset='/a.png 1x' alt=a>",
            "![a](https://example.com/a.png)",
        ),
        (
            "<img src=/s.png data-src='/s_{width}.png' alt=a> <img src=/b.png data-src=lazy alt=b>",
            "![a](https://example.com/s.png) ![b](https://example.com/b.png)",
        ),
        ("a <img src='' alt=b>", "a b"),
    ]);
}

#[test]
fn a_list_that_counts_down_has_its_numbers() {
    check(&[
        ("<ol reversed><li>c<li>b<li>a</ol>", "3. c\n2. b\n1. a"),
        (
            "<ol reversed start=10><li>j<li value=5>e<li>d</ol>",
            "10. j\n5. e\n4. d",
        ),
        ("<ul reversed><li>a<li>b</ul>", "- a\n- b"),
        (
            "<table><tr><th>x<th>y<tr><td>1<td><ol reversed><li>b<li>a</ol></table>",
            "| x | y |\n| --- | --- |\n| 1 | 2. b<br>1. a |",
        ),
    ]);
}

#[test]
fn a_drawing_alone_shows_its_label() {
    check(&[
        (
            "<table><tr><th>Feature<th>Free<tr><td>Search<td><svg role=img aria-label='Yes'><path \
             d='M0'/></svg></table>",
            "| Feature | Free |\n| --- | --- |\n| Search | Yes |",
        ),
        ("<p><svg role='img' aria-label='A &amp; B'/></p>", "A & B"),
        (
            "<a href=/x><svg role=img aria-label=Home><path/></svg></a>",
            "[Home](https://example.com/x)",
        ),
        // Text beside it or in it says the same.
        (
            "<p><svg role=img aria-label=Warning><path/></svg> Warning: hot",
            "Warning: hot",
        ),
        (
            "<p><svg role=img aria-label=Chart><text>12</text></svg></p>",
            "12",
        ),
        ("<p>a <b><svg aria-label=Icon><path/></svg></b> b", "a b"),
        (
            "<p><svg role=img aria-label=No hidden><path/></svg></p>x",
            "x",
        ),
    ]);
    is_soon_read(&"<p><svg role=img aria-label=x>".repeat(20_000));
}

#[test]
fn values_and_labels_that_a_page_shows_in_place_of_text_are_text() {
    check(&[
        (
            "<p>Total: <input readonly value='42.50'> EUR <input disabled value=3> <input value=4>",
            "Total: 42.50 EUR 3",
        ),
        ("<p><label>Sum <input type=number value=5></label>", "Sum 5"),
        (
            "<p><input type=hidden readonly value=1><input type=password readonly value=2>x",
            "x",
        ),
        (
            "<p>Rating: <span role=img aria-label='4 of 5 stars'><i></i></span>.<p><span role=img \
             aria-label='a red rocket'>🚀</span><i role=img aria-label=search></i>",
            "Rating: 4 of 5 stars.\n\n🚀",
        ),
    ]);
}

#[test]
fn the_foot_of_a_table_comes_last() {
    check(&[(
        "<table><thead><tr><th>h<th>i</thead><tfoot><tr><td>sum<td>9</\
         tfoot><tbody><tr><td>a<td>4<tr><td>b<td>5</table>",
        "| h | i |\n| --- | --- |\n| a | 4 |\n| b | 5 |\n| sum | 9 |",
    )]);
}
