package main

import (
	"encoding/json"

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
	if err := p.printMeasured(report, f.json); err != nil {
		return err
	}
	if !report.AsLabelled() {
		return errTripped
	}
	return nil
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

// measureAll measures all cases of a path.
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

func (p process) printMeasured(r measure.Report, asJSON bool) error {
	if !asJSON {
		return printReport(p.stdout, r)
	}
	out := json.NewEncoder(p.stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(r)
}
