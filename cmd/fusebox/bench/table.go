package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Print writes the table for people.
func (r Result) Print(w io.Writer) error { return printTable(w, r, nil, nil) }

// Print writes the table for people, with the earlier values and the ratios.
func (c Comparison) Print(w io.Writer) error {
	ratios := map[string]Ratio{}
	for _, r := range c.Ratios {
		ratios[r.ID] = r
	}
	return printTable(w, c.Result, &c.Earlier, ratios)
}

func printTable(w io.Writer, r Result, earlier *Machine, ratios map[string]Ratio) error {
	head := []string{"", "median", "unit", "p95", "p99", "lowest", "highest", "samples"}
	if earlier != nil {
		head = append(head, "earlier", "ratio", "")
	}
	rows := [][]string{head}
	for _, l := range r.Lines {
		row := []string{l.Name, number(l.Value), l.Unit, tail(l.P95), tail(l.P99), number(l.Low), number(l.High), strconv.Itoa(l.Samples)}
		if earlier != nil {
			if ratio, ok := ratios[l.ID]; ok {
				row = append(row, number(ratio.Earlier), strconv.FormatFloat(ratio.Ratio, 'f', 2, 64), ratio.Verdict)
			} else {
				row = append(row, "-", "-", "-")
			}
		}
		rows = append(rows, row)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s, endpoint: %s\n", r.Machine, r.Endpoint)
	if earlier != nil {
		fmt.Fprintf(&out, "earlier: %s\n", *earlier)
	}
	out.WriteString("\n" + aligned(rows))
	for _, note := range r.Notes {
		out.WriteString("\n" + note + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// String names the machine and the program.
func (m Machine) String() string {
	commit := ""
	if m.Commit != "" {
		commit = " (" + m.Commit[:min(len(m.Commit), 12)] + ")"
	}
	return fmt.Sprintf("fusebox %s%s, %s, %s/%s, %d CPUs", m.Program, commit, m.Go, m.OS, m.Arch, m.CPUs)
}

func tail(v float64) string {
	if v == 0 {
		return "-"
	}
	return number(v)
}

// number has three significant digits or all before the point, in groups of three.
func number(v float64) string {
	digits := 0
	if a := math.Abs(v); v != math.Trunc(v) && a < 100 {
		digits = min(4, 2-int(math.Floor(math.Log10(a))))
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// leftColumns are those that are aligned to the left: what is measured, its unit, and
// the verdict.
var leftColumns = map[int]bool{0: true, 2: true, 10: true}

func aligned(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if leftColumns[i] {
				line.WriteString(cell + space + "  ")
			} else {
				line.WriteString(space + cell + "  ")
			}
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return out.String()
}

// Comparison is a result next to an earlier one.
type Comparison struct {
	Result
	Earlier Machine `json:"earlierMachine"`
	Ratios  []Ratio `json:"ratios"`
}

// Ratio compares a line with the earlier one of the same ID.
type Ratio struct {
	ID      string  `json:"id"`
	Earlier float64 `json:"earlier"`
	// Ratio is the value divided by the earlier one.
	Ratio float64 `json:"ratio"`
	// Verdict is better, worse, or same where the difference is below the noise.
	Verdict string `json:"verdict"`
}

// noise is a difference that says nothing.
const noise = 0.05

// Compare puts a result beside an earlier one. Lines that one of them lacks have
// no ratio.
func Compare(now, earlier Result) Comparison {
	c := Comparison{Result: now, Earlier: earlier.Machine, Ratios: []Ratio{}}
	for _, l := range now.Lines {
		if old, ok := earlier.Line(l.ID); ok && old.Value > 0 {
			ratio := l.Value / old.Value
			c.Ratios = append(c.Ratios, Ratio{ID: l.ID, Earlier: old.Value, Ratio: ratio, Verdict: verdict(ratio, l.More)})
		}
	}
	return c
}

func verdict(ratio float64, more bool) string {
	switch {
	case ratio > 1-noise && ratio < 1+noise:
		return "same"
	case (ratio > 1) == more:
		return "better"
	default:
		return "worse"
	}
}
