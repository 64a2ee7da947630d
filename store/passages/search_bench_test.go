package passages_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/ranking"
	"fusebox/store/storetest"
)

// madeUp writes texts of words that are as rare as those of people: few are in most of
// the texts, most are in few.
type madeUp struct {
	*rand.Rand
	often *rand.Zipf
}

func newMadeUp() madeUp {
	r := rand.New(rand.NewPCG(1, 2))
	return madeUp{r, rand.NewZipf(r, 1.1, 20, 20_000)}
}

// text is about a passage of 300 tokens, every other one Chinese.
func (m madeUp) text(i int) string {
	var b strings.Builder
	for n := range 150 {
		if word := m.often.Uint64(); i%2 == 0 {
			b.WriteString(chinese(word))
		} else {
			b.WriteString(english(word))
			b.WriteByte(' ')
		}
		if n%20 == 19 {
			b.WriteString("。")
		}
	}
	fmt.Fprintf(&b, " KB-%05d", i)
	return b.String()
}

func (m madeUp) question(i int) string {
	text := m.text(i)
	if i%3 == 0 {
		return fmt.Sprintf("KB-%05d 是什么", m.IntN(100_000))
	}
	runes := []rune(text)
	start := m.IntN(len(runes) / 2)
	return string(runes[start : start+12+i%2*24])
}

func chinese(word uint64) string {
	return string([]rune{rune(0x4e00 + word*7%3000), rune(0x4e00 + word*13%2999)})
}

func english(word uint64) string {
	syllables := []string{"ka", "lo", "mi", "ren", "tu", "vas", "po", "shi", "den", "ra", "gol", "be", "nu", "fi", "tar", "wen", "zo", "cha", "li", "mor"}
	n := uint64(len(syllables))
	return syllables[word%n] + syllables[word/n%n] + syllables[word/n/n%n] + syllables[word*7%n]
}

// BenchmarkSearch searches 100,000 passages of a person, and once, for comparison, reads all of them.
func BenchmarkSearch(b *testing.B) {
	const documents, each = 10_000, 10
	path := filepath.Join(b.TempDir(), "f.db")
	s := open(b, path)
	check(b, s.CreateUser(b.Context(), agent.User{ID: "ana", Email: "ana@example.org", Role: agent.RoleAdmin}, "h"))
	m := newMadeUp()
	var scanned [][]ranking.Text
	began := time.Now()
	for i := range documents {
		var text strings.Builder
		var passages []agent.Passage
		for range each {
			start := text.Len()
			text.WriteString(m.text(i*each + len(passages)))
			passages = append(passages, agent.Passage{Start: start, End: text.Len()})
			scanned = append(scanned, []ranking.Text{{Text: text.String()[start:], Weight: 1}})
		}
		d := agent.Document{ID: fmt.Sprint("d", i), UserID: "ana", Name: fmt.Sprint("document ", i), Version: 1}
		check(b, s.IndexDocument(d, text.String(), passages))
	}
	b.Logf("%d documents of %d passages were indexed in %v, into %d MB", documents, each, time.Since(began).Round(time.Second), storetest.Pages(b, path)*4096>>20)
	began = time.Now()
	ranking.Rank(m.question(1), scanned)
	b.Logf("reading all of them for one question takes %v", time.Since(began).Round(time.Millisecond))
	var took []time.Duration
	found := 0
	for b.Loop() {
		question := m.question(len(took))
		began := time.Now()
		answers, err := s.FindPassages(b.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: question, Limit: 10})
		took = append(took, time.Since(began))
		check(b, err)
		found += min(len(answers), 1)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(found)/float64(len(took)), "answered")
}
