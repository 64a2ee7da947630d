package markdown

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"golang.org/x/net/html"
)

// emphasised are the texts of a page's strong, em, and del elements, by element.
func emphasised(t *testing.T, page string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	eachNode(t, page, func(n *html.Node) {
		if n.Data == "strong" || n.Data == "em" || n.Data == "del" {
			var text strings.Builder
			for d := range n.Descendants() {
				if d.Type == html.TextNode {
					text.WriteString(d.Data)
				}
			}
			found[n.Data] = append(found[n.Data], text.String())
		}
	})
	return found
}

// streamed is a text that has come in pieces of some characters.
func streamed(src string, characters int) string {
	m := Stream{Text: english}
	for rest := []rune(src); len(rest) > 0; {
		n := min(characters, len(rest))
		m.Write(string(rest[:n]))
		rest = rest[n:]
	}
	got := make([]string, len(m.Blocks))
	for i, b := range m.Blocks {
		got[i] = b.HTML
	}
	return strings.Join(got, "\n")
}

// Emphasis is where Chinese, Japanese, and Korean text has it, whole and while it is written.
func TestEmphasisInCJKText(t *testing.T) {
	t.Parallel()
	type marked = map[string][]string
	strong := func(texts ...string) marked { return marked{"strong": texts} }
	for src, want := range map[string]marked{
		"**历经10年发展，**年。这是**「重要」**的点。含**“重点”**内容；**注意：**正文。**不变。**源码。*斜体（带括号）。*这句子。~~删除（带括号）。~~这个。": {
			"strong": {"历经10年发展，", "「重要」", "“重点”", "注意：", "不变。"}, "em": {"斜体（带括号）。"}, "del": {"删除（带括号）。"},
		},
		"- **重要提示（Important Notice）：**请注意。":     strong("重要提示（Important Notice）："),
		"**「A」**なので**「B」**です。":                  strong("「A」", "「B」"),
		"**この文は太字になりません。**この文のせいで。":             strong("この文は太字になりません。"),
		"패키지를 발행하려면 **`npm publish`**를 실행하십시오.": strong("npm publish"),
		"**마크다운(Markdown)**을 쓰고 **'인용'**은":      strong("마크다운(Markdown)", "'인용'"),
		"涨了**100%**的价格，是**$5**吗":                strong("100%", "$5"),
		"***非常「重要」***的，***“粗斜”***体":             {"strong": {"非常「重要」", "“粗斜”"}, "em": {"非常「重要」", "“粗斜”"}},
		"**外层*内层。*外层。**文":                       {"strong": {"外层内层。外层。"}, "em": {"内层。"}},
		// Punctuation that Latin text has, too, and Latin text behind it.
		"**注意:**API 已弃用，调用**“接口”**API，**为什么?!**Because": strong("注意:", "“接口”", "为什么?!"),
		"API**（重点）**和API**“重点”**":                       strong("（重点）", "“重点”"),
		"**完成✅**接下来，**警告⚠️**Next，**葛󠄀**。":               strong("完成✅", "警告⚠️", "葛󠄀"),
		"**‘单引号’**的，**《书名》**里，**……**等，**全角！**是":         strong("‘单引号’", "《书名》", "……", "全角！"),
		"~~（旧价）~~新价，~~“旧”~~新":                           {"del": {"（旧价）", "“旧”"}},
		"|列|\n|-|\n|**「值」**的|":                          strong("「值」"),
		"> **引用：**文字\n> 这是**「重要」**的":                    strong("引用：", "「重要」"),
		"## **标题：**文字":                                  strong("标题："),
		// What is no emphasis.
		"变量foo_bar_baz和文件名_甲_乙，2 * 3 * 4，** 空 **格，`**「码」**`的": {},
		"乘法3*4，\\*\\*转义。\\*\\*文":                              {},
	} {
		for where, page := range map[string]string{"whole": whole(src), "by 5": streamed(src, 5), "by 1": streamed(src, 1)} {
			if diff := cmp.Diff(want, emphasised(t, page)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s\n%s", src, where, diff, page)
			}
		}
	}
}

// Text without such characters is emphasised as CommonMark says: every short text of these
// characters becomes what goldmark makes of it.
func TestEmphasisInOtherText(t *testing.T) {
	t.Parallel()
	ours, theirs := goldmark.New(goldmark.WithExtensions(emphases{})), goldmark.New()
	texts := []string{""}
	for range 6 {
		var longer []string
		for _, text := range texts {
			for _, c := range []string{"a", "*", "_", " ", "."} {
				longer = append(longer, text+c)
			}
		}
		texts = longer
		for _, text := range texts {
			var got, want bytes.Buffer
			if err := ours.Convert([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			if err := theirs.Convert([]byte(text), &want); err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Fatalf("%q becomes %q, not %q", text, got.String(), want.String())
			}
		}
	}
}

// A single tilde strikes nothing; two do, and no more.
func TestTildes(t *testing.T) {
	t.Parallel()
	for src, struck := range map[string][]string{
		"温度 10~20 度，价格 5~8 元，共 3~4 个。":                          nil,
		"Capex ~$120B (~$55–65B of it for chips).":              nil,
		"~~struck~~ and ~/Downloads and ~/tmp":                  {"struck"},
		"3~5 days and 7~9":                                      nil,
		"~100 of ~~200~~ and ~300":                              {"200"},
		"~a~ ~b c~, `~x~`":                                      nil,
		"x ~~~five~~~ x":                                        nil,
		"|a|\n|-|\n|1~2 and 3~4, ~~5~~|":                        {"5"},
		"约~5分钟~，~~删去~~":                                         {"删去"},
		"~user/.bashrc and ~root, `a~b`, ~~two\nlines struck~~": {"two\nlines struck"},
	} {
		for where, page := range map[string]string{"whole": whole(src), "streamed": streamed(src, 5)} {
			if diff := cmp.Diff(struck, emphasised(t, page)["del"]); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", src, where, diff)
			}
			if got, want := strings.Count(page, "~"), strings.Count(src, "~")-4*len(struck); got != want {
				t.Errorf("%s, %s: %d tildes are left, not %d: %s", src, where, got, want, page)
			}
		}
	}
}

// In a cell of a table, which is one line, <br> begins another; elsewhere, and any other
// tag, is text.
func TestLineBreaksInCells(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		src    string
		breaks int
		says   string
	}{
		{"| Step | Risks |\n|---|---|\n| one | - cost<br>- time<br/>- people |\n\n`<br>` stays.", 2, "<code dir=\"ltr\">&lt;br&gt;</code> stays."},
		{"|a<br />b|\n|-|\n|c<BR>d<Br/>e|", 3, "c<br>d<br>e"},
		{"|a|\n|-|\n|**x<br>y** and [z<br>w](https://example.com)|", 2, "<strong>x<br>y</strong>"},
		{"|a|\n|-|\n|`x<br>y` and \\<br>|", 0, "<code dir=\"ltr\">x&lt;br&gt;y</code> and &lt;br&gt;"},
		{"|a|\n|-|\n|<b>x</b><br onclick=\"x()\"><brx><img src=x><hr>|", 0, "&lt;b&gt;x&lt;/b&gt;&lt;br onclick="},
		{"a<br>b", 0, "a&lt;br&gt;b"},
		{"- a<br/>b\n\n<br>\n\n> <br />", 0, "a&lt;br/&gt;b"},
		{"| 步骤 | 风险 |\n|---|---|\n| 一 | 成本<br>**「时间」**的<br><br>人 |", 3, "<strong>「时间」</strong>的<br><br>人"},
	} {
		for where, page := range map[string]string{"whole": whole(row.src), "streamed": streamed(row.src, 3)} {
			if where == "streamed" && strings.Contains(row.src, "](") {
				continue // its links are text until the answer is whole
			}
			if n := strings.Count(page, "<br"); n != row.breaks || !strings.Contains(page, row.says) {
				t.Errorf("%s, %s: %d breaks, not %d, or no %s in %s", row.src, where, n, row.breaks, row.says, page)
			}
			eachNode(t, page, func(n *html.Node) {
				if bad := harm(n); bad != "" {
					t.Errorf("%s in %s", bad, page)
				}
			})
		}
	}
}
