package reading_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/htmlindex"

	"fusebox/agent"
)

func TestHTMLSections(t *testing.T) {
	t.Parallel()
	r := read(t, "bread.html", `<!doctype html><html><head><title>Rye
bread</title><meta name=description content="never"><style>p{}</style></head><body><nav>Home</nav>
<p>Bake   it
slowly.<h1>Dough</h1><div>Flour<br>Water <b>and</b> <i>salt</i></div><script>never</script>
<ul><li>knead<li><p>rest</p><ol><li>an hour</ol></ul><h2>Oven <code>250</code></h2><p>Hot.</p><p>Very.</p>
<pre>
 <code>on
   off</code></pre>After<noscript>never</noscript><template>never</template><img alt=never src=x><!-- never -->
<details><summary>More</summary>Steam</details><footer>Imprint</footer></body></html>`)
	want := []string{
		": Bake it slowly.",
		"Dough: Flour\nWater and salt\n- knead\n- rest\n  - an hour",
		"Dough › Oven 250: Hot.\n\nVery.",
		"Dough › Oven 250 code:  on\n   off",
		"Dough › Oven 250: After\nMore\nSteam",
	}
	if diff := cmp.Diff(want, parts(r)); diff != "" || r.Title != "Rye bread" || r.Notes != nil {
		t.Errorf("title %q, notes %v: %s", r.Title, r.Notes, diff)
	}
}

func TestHTMLTables(t *testing.T) {
	t.Parallel()
	r := read(t, "bread.html", `<html><table><caption>Breads</caption><thead><tr><th>Bread<th>Flour<th>Hours</thead>
<tr><td rowspan=2>Rye<td>dark<p>coarse<td>3<tr><td>light<td>2<tr><td colspan=2>Wheat<td>1<tr><td><td></tr></table>Done
<table><tr><td>left<table><tr><td>a<td>b</table><td>right</table><table><tr><td>only<tr><td>text</table>`)
	want := []string{
		": Breads",
		"table: Bread | Flour | Hours\nRye | dark / coarse | 3\nRye | light | 2\nWheat |  | 1",
		": Done\nleft", "table: a | b", ": right\nonly\ntext",
	}
	if diff := cmp.Diff(want, parts(r)); diff != "" || r.Sections[1].Head != "Bread | Flour | Hours" {
		t.Errorf("head %q: %s", r.Sections[1].Head, diff)
	}
}

func TestHTMLLeavesOutWhatIsHidden(t *testing.T) {
	t.Parallel()
	const sheet = `<html><style>/* .seen{display:none} */ .gone, #lost{display:none} b{visibility:hidden} p.off.on{opacity:0}
@media print{.seen{display:none}} @media screen{.screen{font-size:1px}} .dark{background:#102030} .strong{display:block!important}</style>`
	for _, row := range []struct {
		body   string
		hidden int
	}{
		{`<p hidden>never`, 1},
		{`<p aria-hidden=true>never`, 1},
		{`<p style="Display : NONE">never`, 1},
		{`<p style="visibility:hidden">never <span style="visibility:visible">seen</span> never`, 1},
		{`<p style="opacity:0.0">never`, 1},
		{`<p style="font-size:0">never`, 1}, {`<p style="font-size:0.5pt">never`, 1}, {`<p style="font-size:.01em">never`, 1},
		{`<p style="font-size:0"><span style="font-size:12px">seen</span>`, 0},
		{`<p style="color:#FFF">never`, 1}, {`<p style="color:rgb(250, 250, 250)">never`, 1}, {`<font color=white>never</font>`, 1},
		{`<p style="color:transparent">never`, 1}, {`<p style="background:#000">never`, 1},
		{`<p style="background:#000;color:#fff">seen`, 0}, {`<div class=dark><p style="color:white">seen</div>`, 0},
		{`<table bgcolor="#000000"><tr><td style="color:#fff">seen<td>never</table>`, 1},
		{`<p style="color:#fff;background-image:linear-gradient(red,blue)">seen`, 0},
		{`<p style="position:absolute;left:-9999px">never`, 1},
		{`<p style="clip:rect(0 0 0 0)">never`, 1},
		{`<dialog>never</dialog><dialog open>seen</dialog>`, 1},
		{`<p class=gone>never<p id=lost>never`, 2}, {`<b>never</b>`, 1}, {`<p class="on off">never<p class=on>seen`, 1},
		{`<p class=seen>seen`, 0}, {`<p class=screen>never`, 1},
		{`<p class="gone strong">seen`, 0},
		{`<div hidden><p>never<p>never<h2>never</h2><pre>never</pre><table><tr><td>never</table></div>`, 1},
		{`<table><tr hidden><td>never<td>never<tr><td>seen<td hidden>never</table>`, 2},
		{`<pre>seen<span hidden>never</span></pre>`, 1},
		{`<h2><span hidden>never</span></h2>`, 1},
		{`<svg><title/><text>never</text><path d=""/></svg><p>seen`, 0},
	} {
		r := read(t, "bread.html", sheet+"<p>Start</p>"+row.body)
		count := 0
		if note := noted(r, agent.NoteHidden); note != nil {
			count = note.Count
		}
		want := "Start"
		if strings.Contains(row.body, ">seen") {
			want += " seen"
		}
		if got := strings.Join(strings.Fields(strings.ReplaceAll(r.Text, "|", " ")), " "); got != want || count != row.hidden || noted(r, agent.NoteUnchecked) != nil {
			t.Errorf("%s: %q with %v, want %q with %d", row.body, got, r.Notes, want, row.hidden)
		}
	}
}

// What is not checked is said.
func TestHTMLSaysWhatIsNotChecked(t *testing.T) {
	t.Parallel()
	for css, unchecked := range map[string]bool{
		"div p{display:none}":                          true,
		"p:not(.x){font-size:0}":                       true,
		"@media (min-width:1px){p{display:none}}":      true,
		"@supports (color:red){@media x{p{}}}":         true,
		".x{.y{display:none}}":                         true,
		"div p{background:#000}":                       true,
		"div p{color:red}":                             false,
		"p:hover{display:none}p::before{display:none}": false,
		"@font-face{font-family:x}@import 'x';p{}":     false,
	} {
		r := read(t, "bread.html", "<html><style>"+css+"</style><p>Bread</p><p style='color:#fff'>white")
		if got := noted(r, agent.NoteUnchecked) != nil; got != unchecked {
			t.Errorf("%s: %v", css, r.Notes)
		}
	}
}

// In XML, elements without contents close themselves.
func TestHTMLReadsXML(t *testing.T) {
	t.Parallel()
	r := read(t, "bread.xhtml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head>
<body><div hidden="hidden"/><a id="x"/><p>Rye<br/><ruby>麦<rp>(</rp><rt>mài</rt><rp>)</rp></ruby></p></body></html>`)
	if diff := cmp.Diff("Rye\n麦", r.Text); diff != "" {
		t.Error(diff)
	}
}

func TestHTMLOfOtherEncodings(t *testing.T) {
	t.Parallel()
	const chinese, japanese = "面包店在十点开门。", "パン屋は十時に開く。"
	for _, row := range []struct{ said, written, text, want string }{
		{"gbk", "gbk", chinese, "gbk"},
		{"gbk", "utf-8", chinese, ""},
		{"utf-8", "gb18030", chinese, "GB18030"},
		{"", "gb18030", chinese, "GB18030"},
		{"shift_jis", "shift_jis", japanese, "shift_jis"},
		{"iso-8859-1", "windows-1252", "Crème brûlée à la carte", "Latin-1 (windows-1252)"},
	} {
		codec, err := htmlindex.Get(row.written)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := codec.NewEncoder().String("<html><meta charset='" + row.said + "'><p>" + row.text)
		if err != nil {
			t.Fatal(err)
		}
		if r := read(t, "bread.html", raw); r.Text != row.text || r.Encoding != row.want {
			t.Errorf("%s said to be %s: %q in %q", row.written, row.said, r.Text, r.Encoding)
		}
	}
}
