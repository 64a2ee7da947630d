package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/views/text"
	"fusebox/web/present/markdown"
)

const written = "# Pumps\n\nTwo lines  \nof *one* paragraph, `a*b` and \\*stars\\*.\n\n- first\n  - under it\n    1. deeper\n    2. and\n- [x] done\n\n| Part | Sum |\n|---|--:|\n| a\\|b | =1+1 |\n\n```go\n\tif x {\n" + "\t\treturn \"<b>\"\n\t}\n```\n\n中文**粗体**，[page](https://example.org/a?b=1&c=2)\n\n> said\n>\n> twice\n"

func TestText(t *testing.T) {
	t.Parallel()
	want := "Pumps\n\nTwo lines\nof one paragraph, a*b and *stars*.\n\n- first\n  - under it\n    1. deeper\n    2. and\n- [x] done\n\nPart\tSum\na|b\t=1+1\n\n\tif x {\n" +
		"\t\treturn \"<b>\"\n\t}\n\n中文粗体，page (https://example.org/a?b=1&c=2)\n\n> said\n>\n> twice"
	if d := cmp.Diff(want, markdown.Text(written)); d != "" {
		t.Error(d)
	}
	for src, want := range map[string]string{
		"":                               "",
		"a\nb":                           "a\nb",
		"1. a\n\n   b\n\n2. c":           "1. a\n\n   b\n\n2. c",
		"- \n- b":                        "-\n- b",
		"<script>x</script>\n\nb":        "<script>x</script>\n\nb",
		"<https://example.org> ~~gone~~": "https://example.org gone",
		"![a cat](https://x.example/c)":  "a cat (https://x.example/c)",
		"***\n\nend [1]":                 "---\n\nend [1]",
		strings.Repeat("> ", 100) + "x":  strings.Repeat("> ", 100) + "x",
	} {
		if d := cmp.Diff(want, markdown.Text(src)); d != "" {
			t.Errorf("%q: %s", src, d)
		}
	}
}

// TestPortable: what is pasted elsewhere has the structure of an answer, and nothing of the page.
func TestPortable(t *testing.T) {
	t.Parallel()
	got := markdown.Portable(text.In(t.Context()), written+"\n<script>alert(1)</script>\n\n[bad](https://evil.example/?q=1)\n", markdown.Sources{Hosts: []string{"example.org"}})
	for _, part := range []string{
		"<h2>Pumps</h2>", "Two lines<br>", "<em>one</em>", "<ul>", "<li>under it", "<ol>", "<th align=\"right\">Sum</th>", "<td>a|b</td>",
		"<pre><code>\tif x {\n\t\treturn &#34;&lt;b&gt;&#34;\n\t}\n</code></pre>", "<strong>粗体</strong>", `<a href="https://example.org/a?b=1&amp;c=2"`, "<blockquote>", "&lt;script&gt;",
	} {
		if !strings.Contains(strings.ReplaceAll(got, "<br/>", "<br>"), part) {
			t.Errorf("it lacks %s:\n%s", part, got)
		}
	}
	for _, part := range []string{"class=", "style=", "<span", "<div", "<button", "Copy", "aria-", "tabindex", "dir=", "<script", "href=\"https://evil", ">go<", "target="} {
		if strings.Contains(got, part) {
			t.Errorf("it has %s:\n%s", part, got)
		}
	}
}
