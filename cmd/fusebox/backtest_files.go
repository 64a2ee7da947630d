package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"fusebox/agent"
	"fusebox/agent/guards"
	"fusebox/agent/guards/histories"
	"fusebox/agent/guards/measure"
	"fusebox/cmd/fusebox/config"
)

// backtestFiles measures the breakers on histories in files, with the settings of
// the configuration and with those that the flags change.
func (p process) backtestFiles(c config.Config, paths []string, f backtestFlags) error {
	m, err := f.measure(c.Guard)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := f.measureAll(m, path); err != nil {
			return err
		}
	}
	report := m.Report()
	if f.json {
		err = p.encoder("  ").Encode(report)
	} else {
		err = printReport(p.stdout, report)
	}
	if err == nil && !report.AsLabelled() {
		err = errTripped
	}
	return err
}

func (f backtestFlags) measure(settings agent.GuardSettings) (*measure.Measure, error) {
	if f.from != "" || f.to != "" {
		return nil, usagef("flags --from and --to are for past runs of the database, not for files\n%s", guardsUsage)
	}
	if err := histories.CheckFormat(f.format); err != nil {
		return nil, usagef("flag --format: %s", agent.MessageOf(err))
	}
	m := &measure.Measure{Now: guards.Setup{Settings: settings}}
	if f.sets == nil && f.rules == nil {
		return m, nil
	}
	numbers, rule, err := f.changes()
	if err != nil {
		return nil, err
	}
	then, err := m.Now.Changed(numbers, rule)
	if err != nil {
		return nil, usagef("flag --set: %s", agent.MessageOf(err))
	}
	m.Then = &then
	return m, nil
}

func (f backtestFlags) measureAll(m *measure.Measure, path string) error {
	cases, err := histories.Open(path)
	if err != nil {
		return usagef("%s", agent.MessageOf(err))
	}
	defer func() { _ = cases.Close() }()
	declared := map[string]agent.ToolSpec{}
	for name, class := range cases.Tools {
		if declare(declared, []string{name + "=" + class}) != nil {
			return usagef("%s: the tool %q is declared as %q; allowed: polling, read, write, exec, network", path, name, class)
		}
	}
	if err := declare(declared, f.tools); err != nil {
		return err
	}
	tools := known(declared)
	err = cases.Each(f.format, func(c histories.Case) error { return m.Add(c, tools) })
	if agent.CodeOf(err) == agent.Invalid {
		return usagef("%s", agent.MessageOf(err))
	}
	return err
}

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

// listedText describes one case: its outcome, its name, and the verdict, or both verdicts
// if the other settings change the outcome.
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
