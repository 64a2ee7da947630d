package markdown

import (
	"strings"
	"testing"

	"fusebox/views/text"
)

// Each paragraph, heading, item, and cell runs in the direction of its own text, whole and
// while it is written; code runs from left to right.
func TestDirectionIsOfEachParagraph(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"مرحبا بالعالم":             `<p dir="auto">مرحبا`,
		"# שלום":                    `<h2 dir="auto">שלום`,
		"- سلام\n- hello":           `<li dir="auto">سلام`,
		"- سلام\n\n  more\n\n- b":   "<li dir=\"auto\">\n<p>سلام</p>\n<p dir=\"auto\">more</p>",
		"|سلام|b|\n|-|-|\n|1|שלום|": `<td dir="auto">שלום</td>`,
		"> שלום":                    "<blockquote>\n<p dir=\"auto\">",
		"`git` هو أمر":              `<p dir="auto"><code dir="ltr">git</code> هو`,
		"```\nسلام\n```":            `<div class="code" dir="ltr" role="group" aria-label="Code block, 1 line">`,
		"<div>\nسلام\n</div>":       `<p dir="auto">&lt;div&gt;`,
	} {
		if got := whole(src); !strings.Contains(got, want) {
			t.Errorf("want %s in %s", want, got)
		}
		if got := streamed(src, 3); !strings.Contains(got, want) && !strings.HasPrefix(src, "```") {
			t.Errorf("streamed: want %s in %s", want, got)
		}
	}
}

// Emphasis is that of its own language on a page of any.
func TestEmphasisHasItsTongue(t *testing.T) {
	t.Parallel()
	english, chinese := text.For("en"), text.For("zh")
	for _, row := range []struct {
		page      *text.Printer
		src, want string
	}{
		{english, "这是*重点*。", `<em lang="zh">重点</em>`},
		{english, "用 *Fusebox 熔断器* 吧", `<em lang="zh">Fusebox 熔断器</em>`},
		{english, "*很**重**要*", `<em lang="zh">很<strong>重</strong>要</em>`},
		{english, "an *honest* answer", `<em>honest</em>`},
		{english, "*the particle 的 is short*", `<em>the particle`},
		{english, "*これは重要*です", `<em>これは重要</em>`},
		{english, "**重点**", `<strong>重点</strong>`},
		{chinese, "这是*重点*。", `<em>重点</em>`},
		{chinese, "an *honest* answer", `<em lang="">honest</em>`},
		{chinese, "*これは重要*です", `<em lang="">これは重要</em>`},
	} {
		if got := strings.Join(Render(row.page, row.src, named), ""); !strings.Contains(got, row.want) {
			t.Errorf("%s: want %s in %s", row.page.Language(), row.want, got)
		}
	}
}
