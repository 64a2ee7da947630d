package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var downloaders = []string{"curl", "wget", "fetch", "aria2c"}

// evaluated finds downloads whose text is handed to a shell or eval.
var evaluated = regexp.MustCompile(
	`(\b(ba|z|da|k|a)?sh\b|\beval\b|\bsource\b|(^|[;&|\s])\.\s)[^;&|\n]*(\$\(|<\(|` + "`" + `)[^;&|\n]*\b(curl|wget)\b` +
		`|\b(curl|wget)\b[^\n]*\beval\b`)

func downloads(c call) bool { return slices.Contains(downloaders, c.name) }

// runsDownload reports whether a script runs what it has downloaded: out of a
// pipe, as text, or as the file it was saved to.
func runsDownload(s script) bool {
	if evaluated.MatchString(s.line) {
		return true
	}
	flowing := false
	saved := map[string]bool{}
	for _, c := range s.commands {
		flowing = flowing && c.piped
		for _, run := range c.runs {
			if (flowing && run.readsScript()) || runsFile(run, saved) {
				return true
			}
		}
		if slices.ContainsFunc(c.runs, downloads) {
			flowing = true
			for _, w := range c.words {
				if name := path.Base(strings.TrimPrefix(w, "-o")); !slices.Contains(downloaders, name) {
					saved[name] = true
				}
			}
		}
	}
	return false
}

// runsFile reports whether a program is one of the saved files, or a shell
// that runs one.
func runsFile(run call, saved map[string]bool) bool {
	if strings.Contains(run.word, "/") && saved[run.name] {
		return true
	}
	if !run.isInterpreter() && run.name != "." && run.name != "source" {
		return false
	}
	operands := run.operands()
	return len(operands) > 0 && saved[path.Base(operands[0])]
}

// readsScript reports whether a program runs what comes through its pipe: no
// argument names a script or contains one.
func (c call) readsScript() bool {
	if !c.piped || !c.isInterpreter() {
		return false
	}
	holds := "cmenpr"
	if c.isShell() {
		holds = "c"
	}
	for i, a := range c.args {
		option := len(a) > 1 && (a[0] == '-' || a[0] == '+')
		switch {
		case isRedirect(a), a == "-", a == "/dev/stdin", c.isShell() && shortStdin.MatchString(a):
			return true
		case option && a[1] != '-' && strings.ContainsAny(a, holds):
			return false
		case !option && (i == 0 || !namesOption.MatchString(c.args[i-1])):
			return false
		}
	}
	return true
}

var (
	shortStdin  = regexp.MustCompile(`^-[a-bd-z]*s[a-bd-z]*$`)
	namesOption = regexp.MustCompile(`^[-+][a-z]*o$`)
)

// runsPipe reports whether a shell runs text that no reviewer can see here.
func runsPipe(s script) bool {
	return s.anyCall(func(c call) bool { return c.isShell() && c.readsScript() })
}
