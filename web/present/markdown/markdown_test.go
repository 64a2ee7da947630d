package markdown

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/views/text"
)

// english is the language of the tests.
var english = text.In(context.Background())

// named has the hosts of the tests, as if a person had named them.
var named = Sources{Hosts: []string{"example.com", "e.example", "evil.example", "other.example", "in.example"}}

func whole(src string) string { return strings.Join(Render(english, src, named), "\n") }

func TestMarkdownRenders(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ src, want string }{
		"formula":                  {`so \(a^2 * b*c\) and \[x_1 < y_1\]`, `<p dir="auto">so \(a^2 * b*c\) and \[x_1 &lt; y_1\]</p>`},
		"no formula":               {`\(left open, \*no star\*`, `<p dir="auto">(left open, *no star*</p>`},
		"heading below the page's": {"# Title", `<h2 dir="auto">Title</h2>`},
		"table":                    {"|a|b|\n|-|:-:|\n|1|2|", `<th align="center" dir="auto">b</th>`},
		"strikethrough":            {"~~gone~~", `<del>gone</del>`},
		"task list":                {"- [x] done", `<input checked="" disabled="" type="checkbox"`},
		"autolink":                 {"see https://example.com/a", `<a href="https://example.com/a" rel="nofollow noreferrer noopener" target="_blank">`},
		"code with classes":        {"```go\nfunc f() {}\n```", `<span class="kd">func</span>`},
		"code with its language":   {"```python\nx\n```", `<span class="code-lang">python</span><button type="button" class="btn btn-quiet copy" data-copy="">Copy</button>`},
		"unknown language":         {"```nope\n<x>\n```", "<code>&lt;x&gt;\n</code>"},
		"indented code":            {"    a < b", "<code>a &lt; b\n</code>"},
		"raw HTML as text":         {"a <b>c</b>", `a &lt;b&gt;c&lt;/b&gt;`},
		"HTML block as text":       {"<div>\nhi\n</div>", `&lt;div&gt;`},
		"ordered list's start":     {"3. c", `<ol start="3">`},
		"reference across blocks":  {"[a]\n\ntext\n\n[a]: https://example.com", `<a href="https://example.com"`},
		"Chinese":                  {"**你好**，世界", `<strong>你好</strong>，世界`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := whole(row.src); !strings.Contains(got, row.want) {
				t.Errorf("want %s in %s", row.want, got)
			}
		})
	}
}

// Whichever levels a model writes, the headings of an answer begin below the page's
// own, and none is left out.
func TestHeadingsLeaveNoLevelOut(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"# A\n## B\n### C\n# D":                       "h2 h3 h4 h2",
		"### A\n\ntext\n\n# B\n\n#### C":              "h2 h2 h3",
		"## A\n#### B\n### C\n## D":                   "h2 h3 h3 h2",
		"# 1\n## 2\n### 3\n#### 4\n##### 5\n###### 6": "h2 h3 h4 h5 h6 h6",
		"> ## quoted\n\n- #### in a list":             "h2 h3",
	} {
		stream := Stream{Text: english}
		for _, c := range src {
			stream.Write(string(c))
		}
		var live []string
		for _, b := range stream.Blocks {
			live = append(live, b.HTML)
		}
		for where, got := range map[string]string{"whole": whole(src), "streamed": strings.Join(live, "\n")} {
			if levels := strings.Join(headingTag.FindAllString(strings.ReplaceAll(got, "</h", ""), -1), " "); levels != want {
				t.Errorf("%q %s: %s, want %s", src, where, levels, want)
			}
		}
	}
}

var headingTag = regexp.MustCompile(`\bh[1-6]\b`)

// Whatever a model writes: the parsed result holds no element and no attribute
// that could run, load or style anything.
func TestMarkdownIsHarmless(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		`<script>alert(1)</script>`,
		`<img src=x onerror=alert(1)>`,
		`a<svg/onload=alert(1)>`,
		`<iframe src="https://evil.example"></iframe>`,
		`<a href="javascript:alert(1)">x</a>`,
		`[x](javascript:alert(1))`,
		`[x](JaVaScRiPt:alert(1))`,
		"[x](java\nscript:alert(1))",
		`[x](&#106;avascript:alert(1))`,
		`[x](data:text/html,<script>alert(1)</script>)`,
		`[x](vbscript:x)`,
		`<javascript:alert(1)>`,
		`[x](https://e.example "onmouseover=alert(1)")`,
		`[x](https://e.example" onclick="alert(1))`,
		"```\"><script>alert(1)</script>\nx\n```",
		"```html\n<script>alert(1)</script>\n```",
		`<style>body{background:url(https://evil.example)}</style>`,
		`<p style="background:url(https://evil.example)">x</p>`,
		`<form action=/logout><button>x</button></form>`,
		`<base href="https://evil.example">`,
		`<meta http-equiv=refresh content="0;url=https://evil.example">`,
		`<x data-decide="1" data-copy>`,
		"|a|\n|-|\n|<script>x</script>|",
		"<!-- --><script>alert(1)</script>",
		"<![CDATA[<script>alert(1)</script>]]>",
		"- <script>alert(1)\n- </script>",
		`\<script>alert(1)</script>`,
		`[a]: javascript:alert(1)` + "\n\n[a]",
		"[x](/runs/1/abort) [y](//evil.example)",
	} {
		t.Run(src, func(t *testing.T) {
			t.Parallel()
			eachNode(t, whole(src), func(n *html.Node) {
				if bad := harm(n); bad != "" {
					t.Errorf("%s in %s", bad, whole(src))
				}
			})
		})
	}
}

var harmlessTags = map[string]bool{
	"p": true, "br": true, "hr": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "strong": true, "em": true,
	"del": true, "blockquote": true, "ul": true, "ol": true, "li": true, "pre": true, "code": true, "table": true,
	"thead": true, "tbody": true, "tr": true, "th": true, "td": true, "span": true, "div": true, "input": true,
	"button": true, "a": true,
}

func harm(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	if !harmlessTags[n.Data] {
		return "element " + n.Data
	}
	for _, a := range n.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "src", a.Key == "id", a.Key == "name":
			return "attribute " + a.Key
		case strings.HasPrefix(a.Key, "data-") && a.Key != "data-copy":
			return "attribute " + a.Key
		case a.Key == "href" && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "mailto:"):
			return "address " + a.Val
		}
	}
	return ""
}

// An image would carry data out without a click: it becomes a link that names
// its host, in every way of writing one.
func TestMarkdownImagesDoNotLoad(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ src, want string }{
		{`![chart](https://evil.example/p.png?d=secret)`, "chart (image on evil.example)"},
		{`![](https://evil.example/p.png)`, "(image on evil.example)"},
		{"![x][r]\n\n[r]: https://evil.example/p.png", "x (image on evil.example)"},
		{`[![x](https://evil.example/p.png)](https://other.example)`, "(image on evil.example)"},
		{`![a ![b](https://in.example/1.png)](https://evil.example/2.png)`, "(image on evil.example)"},
		{`![x](//evil.example/p.png)`, "(image on evil.example)"},
		{`![x](data:image/svg+xml;base64,PHN2Zz4=)`, "x (image)"},
		{`<img src="https://evil.example/p.png">`, `<img src="https://evil.example/p.png">`},
		{"![x](https://evil.example\n\"t\")", "(image on evil.example)"},
		{`<picture><source srcset="https://evil.example"></picture>`, "<picture>"},
	} {
		t.Run(row.src, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			eachNode(t, whole(row.src), func(n *html.Node) {
				if n.Type == html.TextNode {
					text.WriteString(n.Data)
				}
				if bad := harm(n); bad != "" {
					t.Errorf("%s in %s", bad, whole(row.src))
				}
			})
			if !strings.Contains(text.String(), row.want) {
				t.Errorf("want %q in %q", row.want, text.String())
			}
		})
	}
}

func eachNode(t *testing.T, src string, visit func(*html.Node)) {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(src), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		visit(n)
		for d := range n.Descendants() {
			visit(d)
		}
	}
}

// Text that parsers take quadratic time for is shown plain instead.
func TestMarkdownIsBounded(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		">", "[", "(", "![", "*a ", "**a", "_a", "`", "`a", "[a](", "[a][", "<", "<a ", "<!--", "- ", "|a", "http://",
		"[](", "![](", "x@y.", "[a]: b\n", "~~~\n", "```\n", "|a|b|\n|-|-|\n", "&#", "\n- ", "```x\ny\n```\n",
		"[1]", "[1, ", "[1†", "【1】", "【1, 2】a_b ", "【1†a", "[1](https://a.example)",
	} {
		read := make(chan struct{})
		go func() {
			defer close(read)
			Render(english, strings.Repeat(p, (64<<10)/len(p)), Sources{Anchor: "m-1", Citations: []agent.Citation{{N: 1}}})
		}()
		agenttest.Receive(t, fmt.Sprintf("many of %q", p), read)
	}
	if got := Render(english, strings.Repeat("a ", maxMarkdown), named); len(got) != 1 || !strings.HasPrefix(got[0], `<pre class="plain">`) {
		t.Error("text beyond the bound is not shown plain")
	}
}

const sample = "# Plan\n\nSome *text* over\ntwo lines.\n\n- one\n- two\n  - deep\n\n- three\n\n1. a\n2. b\n\n" +
	"```go\npackage main\n\nfunc main() {}\n```\n\n> quote\nlazy\n\n|a|b|\n|-|-|\n|1|2|\n\ntext\n|c|d|\n|-|-|\n|3|4|\n" +
	"\nSetext\n===\n\n***\n~~~\nopen ``` inside\n~~~\n<div>\nraw\n</div>\n\nlast **line**\n"

// A text that arrives in pieces of any size ends as the same blocks as the
// whole text, and finished blocks are not touched again.
func TestMarkdownStreamEqualsWhole(t *testing.T) {
	t.Parallel()
	want := Render(english, sample, Sources{})
	for size := 1; size < len(sample); size += 3 {
		m := Stream{Text: english}
		for rest := sample; rest != ""; {
			n := min(size, len(rest))
			m.Write(rest[:n])
			rest = rest[n:]
		}
		got := make([]string, len(m.Blocks))
		for i, b := range m.Blocks {
			got[i] = b.HTML
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("pieces of %d bytes (-whole +stream):\n%s", size, diff)
		}
	}
}

func TestMarkdownStreamGrowsCodeByText(t *testing.T) {
	t.Parallel()
	m := Stream{Text: english}
	if from, _ := m.Write("intro\n\n```go\n"); from != 0 || !m.Blocks[1].Live || m.Blocks[1].Language != "go" {
		t.Fatalf("from %d, blocks %+v", from, m.Blocks)
	}
	for _, piece := range []string{"x := 1\n", "y ", ":= 2\n", "``"} {
		if from, grown := m.Write(piece); from != -1 || grown != piece {
			t.Fatalf("write(%q) = %d, %q", piece, from, grown)
		}
	}
	if got := m.Code(m.Blocks[1]); got != "x := 1\ny := 2\n``" {
		t.Fatalf("code %q", got)
	}
	from, _ := m.Write("`\n\nafter\n")
	if from != 1 || m.Blocks[1].Live || !strings.Contains(m.Blocks[1].HTML, `class="chroma"`) || len(m.Blocks) != 3 {
		t.Fatalf("from %d, blocks %+v", from, m.Blocks)
	}
}

// A long list is one block: rendering it again and again must not become quadratic.
func TestMarkdownStreamIsLinear(t *testing.T) {
	t.Parallel()
	m := Stream{Text: english}
	renders := 0
	for range 3000 {
		if from, _ := m.Write("- an item of a long list\n"); from >= 0 {
			renders++
		}
	}
	if renders > 600 {
		t.Errorf("%d renders for 3000 lines", renders)
	}
}
