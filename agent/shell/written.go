package shell

import (
	"path"
	"slices"
	"strings"
)

// written reads the texts that a line writes to files and runs afterwards.
func (r *reader) written() {
	for _, c := range slices.Clone(r.script.Commands) {
		text := c.Input
		if c.Is("echo", "printf") {
			text = strings.Join(c.Args, " ")
		}
		for _, up := range c.Upstream { // such as of tee
			text += "\n" + up.Input
			if up.Is("echo", "printf") {
				text += "\n" + strings.Join(up.Args, " ")
			}
		}
		files := slices.Clone(c.Writes)
		if c.Is("tee") {
			files = append(files, c.Operands()...)
		}
		if strings.TrimSpace(text) != "" && r.runsAny(files) {
			r.text(strings.ReplaceAll(text, `\n`, "\n"), 1) // echo and printf make lines of it; it may be no script
		}
	}
}

// runsAny reports whether a command of the line runs one of the files.
func (r *reader) runsAny(files []string) bool {
	return r.script.Any(func(c Command) bool {
		if !c.runsFile() && !c.IsInterpreter() {
			return false
		}
		return slices.ContainsFunc(files, func(f string) bool {
			same := func(w string) bool { return path.Base(w) == path.Base(f) }
			return same(c.Word) || slices.ContainsFunc(c.Args, same) || slices.ContainsFunc(c.Reads, same)
		})
	})
}
