package text

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// unit is what large amounts are counted in.
type unit struct {
	size int64
	word string
}

// units are those of each language, the smallest first.
var units = map[string][]unit{
	"en": {{1e3, "k"}, {1e6, "M"}, {1e9, "B"}},
	"zh": {{1e4, " 万"}, {1e8, " 亿"}},
}

// Amount writes a count in the largest unit it fills, with one decimal: 950, 41.2k, and
// 1.3M in English; 9500, 4.1 万, and 1.2 亿 in Chinese.
func (p *Printer) Amount(n int64) string { return amount(n, p.Language()) }

func amount(n int64, language string) string {
	written, below := strconv.FormatInt(n, 10), int64(0)
	for _, u := range units[language] {
		if n < u.size-below/20 { // not even rounded in the unit below
			break
		}
		tenths := float64(int64(float64(n)/float64(u.size)*10+0.5)) / 10
		written, below = strconv.FormatFloat(tenths, 'f', -1, 64)+u.word, u.size
	}
	return written
}

// short is an amount in an English unit.
var short = regexp.MustCompile(`^(\d{1,4}(?:\.\d)?)([kMB])$`)

// amountOf has an amount that was written in English in the units of another language.
func amountOf(english, language string) string {
	found := short.FindStringSubmatch(english)
	if found == nil {
		return english
	}
	n, _ := strconv.ParseFloat(found[1], 64) // digits alone
	i := strings.Index("kMB", found[2])
	return amount(int64(n*float64(units["en"][i].size)+0.5), language)
}

// measured is an amount in a Chinese unit before what is counted: 4.1 万 个.
var measured = regexp.MustCompile(`(\d [万亿]) (\p{Han})`)

// closeUp leaves out the space between them, which messages have behind digits.
func closeUp(s string) string {
	if !strings.Contains(s, "万 ") && !strings.Contains(s, "亿 ") {
		return s
	}
	return measured.ReplaceAllString(s, "$1$2")
}

// Bytes is a size as people read it: 512 B, 1.2 KB, 25 MB.
func Bytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	size, unit := float64(n)/1024, "KB"
	for _, larger := range []string{"MB", "GB", "TB"} {
		if size < 1000 {
			break
		}
		size, unit = size/1024, larger
	}
	return fmt.Sprintf("%.3g %s", size, unit)
}
