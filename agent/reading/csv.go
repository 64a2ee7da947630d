package reading

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"strings"

	"fusebox/agent"
)

// sniffed is how many rows tell what is between the fields, of so many bytes.
const (
	sniffedRows  = 100
	sniffedBytes = 64 << 10
)

// separatorLine is how Excel says what is between the fields of a table.
var separatorLine = regexp.MustCompile(`(?i)^"?sep=([^"\r\n\x{fffd}])"?(\r\n|\r|\n|$)`)

// readCSV reads a table of values; the first row says what its columns are.
func readCSV(ctx context.Context, in input, b *builder) agent.DocumentProblem {
	text, problem := in.text(b)
	var separator string
	if line := separatorLine.FindStringSubmatch(text); line != nil {
		text, separator = text[len(line[0]):], line[1]
	} else {
		separator = separatorOf(text)
	}
	separator = cmp.Or(in.options.Choice.Separator, separator)
	b.reading.Separator = separator
	rows := csvReader(text, separator)
	rows.ReuseRecord = true
	head, gap := "", true
	for number := 1; !b.isFull && ctx.Err() == nil; number++ {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.note(agent.ReadingNote{Code: agent.NoteBroken})
			break
		}
		if strings.TrimSpace(strings.Join(cells, "")) == "" {
			gap = true // the next row starts a new section, so that row numbers stay right
			continue
		}
		if len(cells) > maxColumns {
			cells = cells[:maxColumns]
			b.note(agent.ReadingNote{Code: agent.NoteCut})
		}
		if head == "" {
			head = tableLine(cells)
		}
		if gap {
			b.begin(agent.Section{Kind: agent.KindTable, Line: number, Head: head})
			gap = false
		}
		b.row(cells)
	}
	return problem
}

func csvReader(text, separator string) *csv.Reader {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = []rune(separator)[0]
	r.LazyQuotes = true
	r.FieldsPerRecord = -1
	return r
}

// separatorOf is what parts the most rows into one number of fields. Commas come last: they
// are also in numbers.
func separatorOf(text string) string {
	best, share := ",", 0.0
	for _, separator := range []string{"\t", ";", "|", ","} {
		if s := steadiness(text, separator); s > share {
			best, share = separator, s
		}
	}
	return best
}

// steadiness is the share of rows that have the most common number of fields, where that is
// more than one. It counts a little more where the first row has it too.
func steadiness(text, separator string) float64 {
	sample := agent.ClipBytes(text, sniffedBytes)
	if cut := strings.LastIndexByte(sample, '\n'); cut > 0 && len(sample) < len(text) {
		sample = sample[:cut]
	}
	rows := csvReader(sample, separator)
	counts, total, first := map[int]int{}, 0, 0
	for ; total < sniffedRows; total++ {
		cells, err := rows.Read()
		if err != nil {
			break
		}
		if total == 0 {
			first = len(cells)
		}
		counts[len(cells)]++
	}
	fields := 0
	for n, rows := range counts {
		if n > 1 && (rows > counts[fields] || rows == counts[fields] && n > fields) {
			fields = n
		}
	}
	if fields == 0 {
		return 0
	}
	share := float64(counts[fields]) / float64(total)
	if first == fields {
		share += 0.1
	}
	return share
}
