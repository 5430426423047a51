# SPDX-License-Identifier: Apache-2.0
"""Reports as a person reads them."""

from tui.view_models import rendered

_SOURCE = """# one/pytorch-x

- loader: `one/loader.py`
- decision: **fixed**: see [#12](https://example.org/12)

## Loader

```diff
--- a
+++ b
-    # old
+    - new **not strong**
 same
```
1 * 2 = `a` and ` alone
"""


def test_the_signs_of_markdown_are_gone_but_in_fences() -> None:
    assert rendered(_SOURCE).plain.splitlines() == [
        "one/pytorch-x",
        "",
        "• loader: one/loader.py",
        "• decision: fixed: see #12 (https://example.org/12)",
        "",
        "Loader",
        "",
        "  --- a",
        "  +++ b",
        "  -    # old",
        "  +    - new **not strong**",
        "   same",
        "1 * 2 = a and ` alone",
    ]


def test_headings_code_and_diffs_have_their_styles() -> None:
    text = rendered(_SOURCE)

    def styles(words: str) -> set[str]:
        start = text.plain.index(words)
        return {str(one.style) for one in text.spans if one.start <= start < one.end}

    assert "bold underline" in styles("one/pytorch-x")
    assert "italic" in styles("one/loader.py")
    assert "bold" in styles("fixed")
    assert styles("  +    - new") == {"green"}
    assert styles("  -    # old") == {"red"}
    assert styles("  +++ b") == {"dim"}


def test_code_with_backticks_lists_in_lists_and_html_are_read_as_markdown_has_them() -> None:
    source = "1. ``a `b` c``\n   - *d* <b>e</b>\n     more\n2. [f](https://f)\n\n<div>g</div>\n\n`unclosed **h**\n"
    assert rendered(source).plain.splitlines() == [
        "1. a `b` c",
        "  • d <b>e</b> more",
        "2. f (https://f)",
        "",
        "  <div>g</div>",
        "",
        "`unclosed h",
    ]


def test_a_paragraph_is_a_line_that_the_view_wraps() -> None:
    assert rendered("one\ntwo\n\nthree  \nfour\n").plain.splitlines() == ["one two", "", "three", "four"]
