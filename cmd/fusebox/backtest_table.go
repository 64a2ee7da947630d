package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"fusebox/agent/guards/measure"
)

// printReport prints what was measured as a table, and the cases that are not as
// labelled or that change.
func printReport(out io.Writer, r measure.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	unlabelled := r.Unlabelled()
	head := "DETECTOR\tKIND\tRIGHT\tWRONG\tPRECISION\tRECALL"
	if unlabelled {
		head += "\tUNLABELLED"
	}
	_, _ = fmt.Fprintln(w, head) // Flush returns the first error of all
	for _, row := range r.Rows {
		_, _ = fmt.Fprintln(w, rowText(row, unlabelled))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	var list strings.Builder
	fmt.Fprintf(&list, "cases: %d, listed: %d\n", r.Cases, len(r.List))
	for _, l := range r.List {
		list.WriteString(listedText(l))
	}
	_, err := io.WriteString(out, list.String())
	return err
}

// rowText is a row of the table. Where there are other settings, a number that
// they change is followed by an arrow and the other number.
func rowText(r measure.Row, unlabelled bool) string {
	now := tallyCells(r.Now)
	if r.Then != nil {
		for i, then := range tallyCells(*r.Then) {
			if then != now[i] {
				now[i] += " → " + then
			}
		}
	}
	if !unlabelled {
		now = now[:len(now)-1]
	}
	return strings.Join(append([]string{r.Detector, r.Kind}, now...), "\t")
}

func tallyCells(t measure.Tally) []string {
	return []string{strconv.Itoa(t.Right), strconv.Itoa(t.Wrong), percent(t.Precision), percent(t.Recall), strconv.Itoa(t.Unlabelled)}
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100**share)
}

// listedText is one case: what became of it, its name, and the verdict; both
// verdicts where the other settings change what became of it.
func listedText(l measure.Listed) string {
	name := fmt.Sprintf("%s (%s)", l.ID, l.Kind)
	if l.Then == nil || l.Then.Result == l.Now.Result {
		return fmt.Sprintf("%s  %s\n  %s\n", l.Now.Result, name, verdictText(l.File, l.Now))
	}
	return fmt.Sprintf("%s → %s  %s\n  now: %s\n  then: %s\n", l.Now.Result, l.Then.Result, name, verdictText(l.File, l.Now), verdictText(l.File, *l.Then))
}

func verdictText(file string, o measure.Outcome) string {
	v := o.Verdict
	if v == nil {
		return "no verdict"
	}
	return fmt.Sprintf("%s at %d: %s %s %d: %s", file, v.Line, v.Level, v.Detector, v.Count, v.Message)
}
