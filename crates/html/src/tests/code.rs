//! Code and tables in the markup that highlighters, code hosts and documentation write.

use super::meaning::is_soon_read;
use super::{check, markdown};

#[test]
fn what_numbers_the_lines_of_code_is_no_code() {
    check(&[
        // rustdoc
        (
            "<pre><code><a href=#9 id=9 data-nosnippet>9</a>fn f() {\n<a href=#10>10</a>    x()",
            "```\nfn f() {\n    x()\n```",
        ),
        // Hugo
        (
            "<pre><code><span style='user-select: none;color:#7f7f7f'>1</span><span>if p:\n</span>\
             <span style='-webkit-user-select:none'> 2\n</span><span>    q</code></pre>",
            "```\nif p:\n    q\n```",
        ),
        (
            "<pre><span class=ln id=a><a class=lnlinks href=#a>&nbsp;1</a></span> a",
            "```\n a\n```",
        ),
        (
            "<pre><span class=codeLineNumber_x>1</span>a 1",
            "```\na 1\n```",
        ),
        // Old rustdoc, GitLab
        (
            "<pre class=line-numbers>1\n2</pre><pre class=rust>a\nb</pre>",
            "```rust\na\nb\n```",
        ),
        (
            "<div><a class=diff-line-num href=#L1>1</a><a class=diff-line-num href=#L2>2</a></div><pre>a\nb",
            "```\na\nb\n```",
        ),
        // What is unselectable may be code, and numbers may be output.
        (
            "<pre><span style='user-select:none'>$ </span>ls",
            "```\n$ ls\n```",
        ),
        ("<pre class=line-numbers>a\n2</pre>", "```\na\n2\n```"),
        ("<pre>1\n2</pre>", "```\n1\n2\n```"),
    ]);
}

#[test]
fn a_column_of_line_numbers_is_no_code() {
    for gutter in [
        "<td class=linenos><div><pre><span>1</span>\n<span>2</span></pre></div>",
        "<td><pre>9<br>10<br></pre>",
        "<td><pre><code><span class=lnt>1\n</span><span class=lnt>2\n</span></code></pre>",
        "<td><div>1</div><div>2</div>",
    ] {
        check(&[(
            &format!(
                "<figure class='highlight yaml'><table><tr>{gutter}</td>\n<td><pre>a:\n  b</pre></table>"
            ),
            "```yaml\na:\n  b\n```",
        )]);
    }
    check(&[
        // Rouge
        (
            "<div class=language-ruby><pre><code><table><tr><td><pre>1\n2\n</pre></td>\
             <td><pre>a\n  b\n</pre></td></tr></table></code></pre></div>",
            "```ruby\na\n  b\n```",
        ),
        // highlightjs-line-numbers
        (
            "<pre><table><tr><td><div data-line-number=1></div><td>a<tr><td><td>  b</table></pre>",
            "```\na\n  b\n```",
        ),
        // A column of numbers is data where nothing says otherwise.
        (
            "<table><tr><td>1<td>a<tr><td>2<td>b</table>",
            "| | |\n| --- | --- |\n| 1 | a |\n| 2 | b |",
        ),
        (
            "<table><tr><th>No<th>Code<tr><td>1<td><pre>a</pre></table>",
            "| No | Code |\n| --- | --- |\n| 1 | `a` |",
        ),
    ]);
}

#[test]
fn files_and_diffs_in_tables_of_lines_are_code() {
    check(&[
        // GitHub
        // Trac
        (
            "<table class=code><thead><tr><th class=lineno>Line<th class=content> </thead><tbody>\
             <tr><th id=L1><a href=#L1>1</a></th><td>def f():</td></tr>\n\
             <tr><th id=L2><a href=#L2>2</a></th><td>    <b>x</b></td></tr></table>",
            "```\ndef f():\n    x\n```",
        ),
        (
            "<table><tr><td class=blob-num data-line-number=1><td class='blob-code'>def f():\
             <tr><td class=blob-num><td class=blob-code>\n<tr><td class=blob-num><td class=blob-code>    <b>x</b></table>",
            "```\ndef f():\n\n    x\n```",
        ),
        (
            "<table><tr><td><td><td class='blob-code blob-code-hunk'>@@ -1 +1 @@<tr><td>1<td><td class=blob-code>\n   \
             <span class=blob-code-inner data-code-marker='-'>    a</span>\n<tr><td><td>1<td class=blob-code>\n   \
             <button>+</button><span data-code-marker='+'>    b</span></table>",
            "```diff\n@@ -1 +1 @@\n-    a\n+    b\n```",
        ),
        (
            "<table><tr><td class=blob-code><i data-code-marker=' '>a</i><td class=blob-code><i data-code-marker=' '>a</i>\
             <tr><td class=blob-code><i data-code-marker='-'>b</i><td class=blob-code><i data-code-marker='+'>c</i></table>",
            "```diff\n a\n-b\n+c\n```",
        ),
        // Gitea
        (
            "<table><tr><td class=lines-type-marker><span data-type-marker='-'></span>\
             <td class='lines-code'><code>  a\n</code></table>",
            "```diff\n-  a\n```",
        ),
        // GitLab
        (
            "<table><tr><td>1<td class='line_content old'>  a<tr><td>1<td class='line_content new'>+  a</table>",
            "```diff\n-  a\n+  a\n```",
        ),
        // gitweb
        (
            "<div><div class=pre><a class=linenr href=#l1>   1</a> a</div>\n\
             <div class=pre><a class=linenr href=#l2>   2</a> &nbsp; b</div></div>",
            "```\n a\n   b\n```",
        ),
        (
            "<div class=patch><div class='diff header'>diff --git a/x b/x</div><div class='diff rem'>-&nbsp;a</div></div>",
            "```diff\ndiff --git a/x b/x\n- a\n```",
        ),
        // cgit
        (
            "<table class=diff><tr><td><div class=head>diff --git a/x b/x<br>+++ b/x</div><div class=add>+  a</div></table>",
            "```diff\ndiff --git a/x b/x\n+++ b/x\n+  a\n```",
        ),
        // Doxygen
        (
            "<div class=fragment><div class=line><span class=lineno>    1</span>a</div>\n<div class=line>  b</div></div>",
            "```\na\n  b\n```",
        ),
        // Crayon
        (
            "<table><tr><td><div>1</div><div>2</div><td><div class=crayon-pre>\
             <div class=crayon-line>a</div><div class=crayon-line><span>  </span>b</div></div></table>",
            "```\na\n  b\n```",
        ),
    ]);
}

#[test]
fn the_controls_of_code_are_no_text() {
    check(&[
        (
            "<pre>a</pre><button class=copybtn>Copy</button>b",
            "```\na\n```\n\nb",
        ),
        (
            "<pre>a</pre><button title='Copy code'>Kopieren</button>",
            "```\na\n```",
        ),
        (
            "<pre>a</pre><clipboard-copy>Copy</clipboard-copy>",
            "```\na\n```",
        ),
        (
            "<pre>a</pre><a class=btn-copy><svg></svg>Copy to clipboard</a>",
            "```\na\n```",
        ),
        (
            "<div class=language-rust><button class=copy></button><span class=lang>rust</span>\n <pre>a</pre></div>",
            "```rust\na\n```",
        ),
        (
            "<div><div><span>JS</span><button><span>Copy to Clipboard</span></button></div><pre class='brush: js'>a</pre></div>",
            "```js\na\n```",
        ),
        (
            "<pre class=language-js>a</pre><div><span>JavaScript</span><button>Copy</button></div>b",
            "```js\na\n```\n\nb",
        ),
        // Not what only resembles them.
        ("<p>Press <button>Copy</button> twice", "Press Copy twice"),
        ("<p class=copy>Copy that sells", "Copy that sells"),
        ("<button>Buy</button>", "Buy"),
        (
            "<div><a href=/copyright>Copyright</a></div>",
            "[Copyright](https://example.com/copyright)",
        ),
        (
            "<ul><li><a href='/cmd/copy'>Copy</a></ul>",
            "- [Copy](https://example.com/cmd/copy)",
        ),
        ("<div id=copy>Copy files</div>", "Copy files"),
        ("<div class=fragment><div>a</div></div>", "a"),
        (
            "<ul><li>rust</ul><pre class=rust>a</pre>",
            "- rust\n\n```rust\na\n```",
        ),
        (
            "<p>In rust<pre class=rust>a</pre>",
            "In rust\n\n```rust\na\n```",
        ),
    ]);
}

#[test]
fn languages_are_known_by_the_attributes_of_publishing_systems() {
    check(&[
        (
            "<pre data-enlighter-language=java>a</pre>",
            "```java\na\n```",
        ),
        (
            "<pre data-syntaxhighlighter-params='brush: java; gutter: false'>a</pre>",
            "```java\na\n```",
        ),
    ]);
}

#[test]
fn a_block_in_a_cell_leaves_the_table_one() {
    let row = |cell: &str| {
        let page = format!("<table><tr><th>a<th>b<tr><td>{cell}<td>2</table>");
        let markdown = markdown(&page);
        let rows = markdown.strip_prefix("| a | b |\n| --- | --- |\n| ");
        rows.unwrap_or_else(|| panic!("{markdown}")).to_owned()
    };
    for (cell, wanted) in [
        ("<p>x:<pre>a  b\nc|d</pre>", "x:<br>`a  b`<br>`c\\|d` | 2 |"),
        ("<h4>x</h4>y", "**x**<br>y | 2 |"),
        ("<blockquote>x</blockquote>", "x | 2 |"),
        ("<dl><dt>x<dd>y</dl>", "x<br>y | 2 |"),
        ("x<hr>y", "x<br>y | 2 |"),
        (
            "<ol><li>x<li>y<ul><li>z</ul></ol>",
            "1. x<br>2. y<br>• z | 2 |",
        ),
        (
            "<ol start=3><li>x<li value=7>y<li>z</ol>",
            "3. x<br>7. y<br>8. z | 2 |",
        ),
        (
            "x<pre>if a:\n    b</pre>",
            "x<br>[^1] | 2 |\n\n[^1]: ```\n    if a:\n        b\n    ```",
        ),
        (
            "<table><tr><td>x<td>y</table>",
            "[^1] | 2 |\n\n[^1]: | | |\n    | --- | --- |\n    | x | y |",
        ),
        ("<table><tr><td>x</table>", "x | 2 |"),
    ] {
        assert_eq!(row(cell), wanted, "{cell}");
    }
    check(&[
        // Headers at the side are headers.
        (
            "<table><tr><th>a<td><pre>x</pre><tr><th>b<td>y</table>",
            "| | |\n| --- | --- |\n| a | `x` |\n| b | y |",
        ),
        // Notes stand behind the table, in the order of their marks.
        (
            "<table><tr><th>a<th>b<tr><td><pre> 1</pre><td><pre> 2</pre></table>c",
            "| a | b |\n| --- | --- |\n| [^1] | [^2] |\n\n[^1]: ```\n     1\n    ```\n\n[^2]: ```\n     2\n    ```\n\nc",
        ),
        // A cell with chapters is a part of the page.
        (
            "<table><tr><th>a<tr><td><h2>x</h2>y<h2>z</h2></table>",
            "a\n\n## x\n\ny\n\n## z",
        ),
    ]);
}

#[test]
fn a_table_by_its_roles_is_one() {
    check(&[
        (
            "<div role=table><div role=rowgroup><div role=row><span role=columnheader>Name</span>\
             <span role=columnheader>Age</span></div></div><div role=rowgroup><div role=row>\
             <span role=cell>Ann</span><span role=cell>5</span></div></div></div>",
            "| Name | Age |\n| --- | --- |\n| Ann | 5 |",
        ),
        (
            "<div role=grid><div role=row><div role=gridcell>a</div><div role=gridcell>b</div></div></div>",
            "| | |\n| --- | --- |\n| a | b |",
        ),
        (
            "<div role=table><div><ul role=rowgroup><li role=row><span role=rowheader>a</span>\
             <span role=cell>b</span></ul></div></div>",
            "| | |\n| --- | --- |\n| a | b |",
        ),
        // Roles that make no table are boxes.
        (
            "<div role=table><div role=row><div><div role=cell>a</div></div></div></div>",
            "a",
        ),
        ("<div role=row>a</div>b", "a\n\nb"),
    ]);
}

#[test]
fn neighbouring_boxes_do_not_run_together() {
    check(&[
        (
            "<span class=author>Alice</span><time>5 min ago</time>",
            "Alice 5 min ago",
        ),
        (
            "<span><b>Weight</b></span><span>5 kg</span>",
            "**Weight** 5 kg",
        ),
        ("<label>pip</label><label>conda</label>", "pip conda"),
        ("<span>Name</span><span>Age</span>", "Name Age"),
        // One word in several boxes is one word.
        ("<span>h</span><span>e</span>y", "hey"),
        ("<span>Micro</span><span>soft</span>", "Microsoft"),
        ("<time>May 5</time>, he", "May 5, he"),
        ("H<sub>2</sub><span>O</span>", "H2O"),
        (
            "<code><span>Hash</span><span>Map</span></code>",
            "`HashMap`",
        ),
        (
            "<pre><span>Hash</span><span>Map</span></pre>",
            "```\nHashMap\n```",
        ),
    ]);
}

#[test]
fn code_and_tables_cost_no_more_than_their_length() {
    for piece in [
        "<table><tr><td>1<td><td><pre>1\n2</pre><td>",
        "<table><tr><th>a<td><pre> b</pre>",
        "<table><tr><td class=blob-code><i data-code-marker=+>",
        "<div role=table><div role=row><div role=cell>1",
        "<div class=pre>a</div>\n",
        "<pre><table><tr><td>1<td><a href=#1>1",
        "<button>Copy<b>",
        "</span><span>a",
        "<span>",
    ] {
        let page = piece.repeat(1_500);
        is_soon_read(&page);
        let length = markdown(&page).len();
        assert!(length <= 2 * page.len() + 1536, "{piece}: {length}");
    }
}

#[test]
fn code_in_boxes_of_lines_is_one_block() {
    check(&[
        (
            "<div class='syntaxhighlighter python'><table><tr><td class=gutter>\
             <div class='line number1'>1</div><div class='line number2'>2</div></td>\
             <td class=code><div class=container><div class='line number1'><code>def</code> \
             <code>f():</code></div><div class='line number2'><code>&nbsp;&nbsp;</code>\
             <code>return a | b</code></div></div></td></tr></table></div>",
            "```python\ndef f():\n  return a | b\n```",
        ),
        (
            "<div class=CodeMirror-code><div><div class=CodeMirror-linenumber>1</div>\
             <pre class=CodeMirror-line><span>x</span></pre></div><div>\
             <div class=CodeMirror-linenumber>2</div><pre class=CodeMirror-line><span>  y</span>\
             </pre></div></div>",
            "```\nx\n  y\n```",
        ),
        (
            "<div class=cm-content><div class=cm-line>a</div><div class=cm-line>  b</div></div>",
            "```\na\n  b\n```",
        ),
    ]);
}

#[test]
fn inline_code_is_fenced_by_what_it_does_not_hold() {
    check(&[
        ("<code>a</code> <kbd>b</kbd>", "`a` `b`"),
        ("<code>a`b</code>", "``a`b``"),
        ("<code>`a`</code>", "`` `a` ``"),
        ("<code>*a*  &lt;b&gt;</code>", "`*a* <b>`"),
        ("<code>a</code><code>b</code>", "`ab`"),
        ("<code>a<b>b</b></code>", "`ab`"),
        ("<b><code>a</code></b>", "**`a`**"),
        ("x<code> a </code>y", "x `a` y"),
        ("<code></code>a", "a"),
        ("<code>a<br> b<br># c</code>", "`a\nb # c`"),
        ("<code>:<br>\u{b}-<br>c</code>", "`: \u{b}-\nc`"),
        ("<code>a<br>b`c``d</code>", "```a b`c``d```"),
        ("<blockquote><code>a<br>b</code>", "> `a\n> b`"),
        ("<h2><code>a<br>b</code></h2>", "## `a b`"),
    ]);
}

#[test]
fn code_around_links_stays_one_span() {
    check(&[
        (
            "<code>a<a href='http://b' title=d>c</a></code>",
            "[`ac`](http://b \"d\")",
        ),
        (
            "x <code>Vec&lt;<a href='/t'>T</a>, <b><a href='/t'>T</a></b>&gt;</code> y",
            "x [`Vec<T, T>`](https://example.com/t) y",
        ),
        (
            "<code>fn a(<a href='/b'>B</a>) -&gt; <a href='/c'>C</a></code> <a href='/d'>d</a>",
            "`fn a(B) -> C` [d](https://example.com/d)",
        ),
        (
            "<code> <a href='/b'>B</a> <a href='/c'>C</a> </code>",
            "[`B`](https://example.com/b) [`C`](https://example.com/c)",
        ),
        (
            "<code>a<p><a href='http://b'>c</a></code>",
            "`a`\n\n[`c`](http://b)",
        ),
        (
            "<tt>see <a href='http://b'>c</a></tt>",
            "`see` [`c`](http://b)",
        ),
        (
            "<a href='http://a'>x <code>y<i>z</i></code></a>",
            "[x `yz`](http://a)",
        ),
        ("<code>a <a href='javascript:b()'>c</a></code>", "`a c`"),
        (
            "<code>a <i hidden><a href='http://b'>c</a></i></code>",
            "`a`",
        ),
    ]);
}

#[test]
fn code_blocks_keep_every_character() {
    check(&[
        ("<pre>a\n\n  b\n</pre>", "```\na\n\n  b\n```"),
        (
            "<pre><code class='language-rust'>fn a() {}\n</code></pre>",
            "```rust\nfn a() {}\n```",
        ),
        ("<pre>```\na\n```</pre>", "````\n```\na\n```\n````"),
        ("<pre>a<br>b<span>c</span></pre>", "```\na\nbc\n```"),
        ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"),
        (
            "<div class='highlight-python3'><div class=highlight><pre>a</pre></div></div>",
            "```python3\na\n```",
        ),
        (
            "<blockquote><pre>a\n\nb</pre></blockquote>",
            "> ```\n> a\n>\n> b\n> ```",
        ),
        (
            "<ul><li>x<pre>a\n\nb</pre></ul>",
            "- x\n  ```\n  a\n\n  b\n  ```",
        ),
        ("<pre>*a* &lt;b&gt;</pre>", "```\n*a* <b>\n```"),
        ("<pre> </pre>a", "a"),
    ]);
}
