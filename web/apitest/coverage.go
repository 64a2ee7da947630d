package apitest

import (
	_ "embed" // the list is data
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

//go:embed unsent.txt
var unsentList string

// entry is a line of unsent.txt: what the suite of package web never sends, the
// suite that sends it instead ("" if none does), and why.
type entry struct{ name, suite, reason string }

// Whole runs the test suite that sends everything which is described, but for
// what unsent.txt lists. It returns the exit status.
func (c *Checker) Whole(m interface{ Run() int }) int {
	return c.run(m, func(list []entry) []string {
		listed := map[string]bool{}
		var found []string
		for _, e := range list {
			listed[e.name] = true
			if c.seen[e.name] {
				found = append(found, e.name+": sent now; remove it from unsent.txt")
			}
		}
		described := c.doc.described()
		for _, name := range described {
			if !c.seen[name] && !listed[name] {
				found = append(found, name+": described, and no test makes the server send or accept it")
			}
		}
		for name := range listed {
			if !slices.Contains(described, name) {
				found = append(found, name+": listed in unsent.txt, and not described")
			}
		}
		return found
	})
}

// Part runs a test suite that sends what unsent.txt expects of it.
func (c *Checker) Part(m interface{ Run() int }, suite string) int {
	return c.run(m, func(list []entry) []string {
		var found []string
		for _, e := range list {
			if e.suite == suite && !c.seen[e.name] {
				found = append(found, e.name+": unsent.txt says that this suite sends it, and it does not")
			}
		}
		return found
	})
}

// run judges a suite that ran as a whole and passed.
func (c *Checker) run(m interface{ Run() int }, judge func([]entry) []string) int {
	if status := m.Run(); status != 0 || filtered() {
		return status
	}
	if c.doc == nil {
		return report(os.Stderr, []string{"no test has made a request of the API"})
	}
	list, err := readUnsent(unsentList)
	if err != nil {
		return report(os.Stderr, []string{err.Error()})
	}
	return report(os.Stderr, judge(list))
}

// filtered reports whether only some of the tests ran.
func filtered() bool {
	for _, name := range []string{"run", "skip", "list"} {
		if f := flag.Lookup("test." + name); f != nil && f.Value.String() != f.DefValue {
			return true
		}
	}
	return false
}

func report(w io.Writer, found []string) int {
	if len(found) == 0 {
		return 0
	}
	slices.Sort(found)
	_, _ = fmt.Fprintf(w, "FAIL: the description of the API and the tests differ:\n%s\n", strings.Join(found, "\n"))
	return 1
}

// readUnsent reads lines of the form "name | suite | reason".
func readUnsent(text string) ([]entry, error) {
	var all []entry
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, " | ")
		if len(fields) != 3 || fields[2] == "" {
			return nil, fmt.Errorf("unsent.txt: %q is not name | suite | reason", line)
		}
		suite := strings.TrimSpace(fields[1])
		if suite == "-" {
			suite = ""
		}
		all = append(all, entry{strings.TrimSpace(fields[0]), suite, fields[2]})
	}
	return all, nil
}

// described names everything that a complete test suite sends: bodies by status
// and type, their properties in either direction, and query parameters.
// Refusals count by their properties only.
func (d *description) described() []string {
	found := map[string]bool{}
	bodies := map[string][]string{}
	for _, op := range d.operations {
		for _, p := range d.parameters(op) {
			found[op.name+" ?"+p.name] = true
		}
		for _, m := range d.bodies(op) {
			if !m.request && strings.HasPrefix(m.name, op.name+" 2") {
				found[m.String()] = true
			}
			if m.location != "" {
				bodies[m.direction()] = append(bodies[m.direction()], m.location)
			}
		}
	}
	for direction, locations := range bodies {
		d.eachWithin(locations, func(at string, schema object) {
			for name := range child(schema, "properties") {
				found[direction+" "+nameOf(pointer(at, "properties", name))] = true
			}
		})
	}
	return slices.Sorted(maps.Keys(found))
}
