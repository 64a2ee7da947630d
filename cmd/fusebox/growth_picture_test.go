package main

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The sizes of the picture and of a panel, which shows one table: two panels are beside
// each other.
const (
	growthWidth, panelWidth, panelHeight = 760, 360, 172
	labelWidth, valueWidth, barHeight    = 72, 66, 20
	barStep, firstBar                    = 30, 54
)

// growthStyle has colours for light and for dark pages.
const growthStyle = `<style>
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.note { fill: #59636e; font-size: 12px }
.label { text-anchor: end; fill: #59636e }
.bar { fill: #2f6fd0 }
.axis { stroke: #8b949e }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.note, .label { fill: #9aa4af }
.bar { fill: #5b9bf5 }
}
</style>
`

// growthPicture draws the first column of each table as bars.
func growthPicture(tables []growthTable) string {
	var out strings.Builder
	height := (len(tables) + 1) / 2 * panelHeight
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n", growthWidth, height, growthWidth, height)
	out.WriteString(growthStyle)
	for i, t := range tables {
		fmt.Fprintf(&out, `<g transform="translate(%d %d)">`+"\n", i%2*(growthWidth-panelWidth), i/2*panelHeight)
		t.draw(&out)
		out.WriteString("</g>\n")
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// draw draws a panel: its bars begin at zero.
func (t *growthTable) draw(out *strings.Builder) {
	title, note, _ := strings.Cut(t.title, ", ")
	c := t.columns[0]
	write(out, "title", 0, 16, title)
	write(out, "note", 0, 36, strings.Trim(c.head+", "+note, ", "))
	most := 0.0
	for _, r := range t.rows {
		most = max(most, r.values[0])
	}
	for i, r := range t.rows {
		label, _, _ := strings.Cut(r.label, ":")
		y, long := firstBar+i*barStep, r.values[0]/most*(panelWidth-labelWidth-valueWidth)
		write(out, "label", labelWidth-8, y+15, label)
		fmt.Fprintf(out, `<rect class="bar" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>`+"\n", labelWidth, y, long, barHeight)
		write(out, "value", labelWidth+int(long)+6, y+15, c.shown(r.values[0]))
	}
	fmt.Fprintf(out, `<path class="axis" d="M%d %dV%d"/>`+"\n", labelWidth, firstBar-4, firstBar+len(t.rows)*barStep-barStep+barHeight+4)
}

func write(out *strings.Builder, class string, x, y int, text string) {
	fmt.Fprintf(out, `<text class="%s" x="%d" y="%d">`, class, x, y)
	_ = xml.EscapeText(out, []byte(text)) // a Builder takes everything
	out.WriteString("</text>\n")
}
