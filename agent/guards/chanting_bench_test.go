package guards

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fusebox/agent"
)

// variedProse makes n bytes of text that says something else in each sentence.
func variedProse(n int, seed uint64) string {
	rnd := rand.New(rand.NewPCG(seed, 7))
	words := strings.Fields(`the a one every some river mountain engine letter garden winter market
		teacher window signal answer question bridge harbour lantern follows carries opens measures forgets
		builds answers crosses remembers quickly slowly often never behind beside under without before while
		because although green heavy early quiet narrow certain number seventeen copper paper stone glass`)
	var b strings.Builder
	for b.Len() < n {
		for i := range 6 + rnd.IntN(12) {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[rnd.IntN(len(words))])
		}
		b.WriteString([]string{". ", "? ", ".\n", ", but "}[rnd.IntN(4)])
	}
	return b.String()[:n]
}

// variedStructure makes n bytes of lists, tables and code.
func variedStructure(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "## Part %d\n- item %d: free\n| user%d | active | %d |\n```go\nx[%d] = append(x[%d], y)\n```\n", i, i*7, i, i*i, i, i%5)
	}
	return b.String()[:n]
}

// BenchmarkChanting prints what one character costs, of 200 KB in pieces of 5.
func BenchmarkChanting(b *testing.B) {
	for name, text := range map[string]string{"prose": variedProse(200<<10, 1), "structure": variedStructure(200 << 10)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g := NewChanting(agent.DefaultGuardSettings(), "")
				for i := 0; i < len(text); i += 5 {
					if v := g.Write(text[i:min(i+5, len(text))]); v.Level != agent.Pass {
						b.Fatal(v.Message)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)), "ns/char")
		})
	}
}

// benchRule prints what one character costs a single rule. made returns a fresh rule,
// which takes a character and its position.
func benchRule(b *testing.B, made func() func(r rune, at int) bool) {
	b.Helper()
	text := variedProse(200<<10, 1)
	b.ReportAllocs()
	for b.Loop() {
		take := made()
		for i, r := range text {
			if take(r, i) {
				b.Fatal("good text trips")
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)), "ns/char")
}
