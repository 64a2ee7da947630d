package policy

import (
	"path"
	"slices"
	"strings"

	"fusebox/agent/shell"
)

var downloaders = has("curl wget fetch aria2c http https xh")

var downloadDangers = []danger{
	{id: "shell-download-and-run", reason: "The command runs what it downloads.", script: runsDownload},
	{id: "shell-install-from-url", reason: "The command installs a package from an address, and runs what it brings.", programs: has("pip* pipx uv easy_install"), args: re(`^(git\+|hg\+|https?://|ftp://|file://)|^.* @ (git\+|https?://)|^--?(i|index-url|extra-index-url|f|find-links)(=|$)`)},
	{id: "shell-install-from-url", reason: "The command installs a package from an address, and runs what it brings.", programs: has("npm yarn pnpm bun npx bunx gem"), args: re(`^(git\+|git:|https?://|github:|gitlab:|bitbucket:|.*@(git\+|https?://))|^--(registry|source)(=|$)`)},
	{id: "shell-install-from-url", reason: "The command installs a package from an address, and runs what it brings.", programs: has("cargo"), verbs: []string{"install"}, args: re(`^--(git|index)(=|$)`)},
	{id: "shell-install-from-url", reason: "The command runs a package that it fetches.", programs: has("go"), verbs: []string{"run"}, args: re(`^[^-].*@`)},
	{id: "shell-install-from-url", reason: "The command runs a program from an address.", programs: has("deno"), verbs: []string{"run", "install", "eval"}, args: re(`^(https?:|npm:|jsr:)`)},
	{id: "shell-install-from-url", reason: "The command has a cluster run what an address says.", programs: has("kubectl oc"), verbs: []string{"apply", "create", "replace"}, args: re(`^https?://|=https?://`)},
	{id: "shell-code-downloads", reason: "The program in the command runs what it downloads.", code: re(`(?s)\b(exec|eval|system|Function)\b.*\b(urlopen|requests\.get|urlretrieve|fetch|curl|wget|open-uri|http\.get)\b`)},
}

func loads(c shell.Command) bool { return slices.Contains(downloaders, c.Name) }

// runsDownload reports whether a script runs what it has downloaded: out of a
// pipe, as text, or as the file it was saved to.
func runsDownload(s shell.Script) bool {
	saved := map[string]bool{}
	return s.Any(loads) && s.Any(func(c shell.Command) bool {
		if loads(c) {
			for _, w := range slices.Concat(c.Args, c.Writes) {
				saved[path.Base(strings.TrimPrefix(w, "-o"))] = true
			}
			return false
		}
		for _, up := range c.Upstream {
			if loads(up) && !c.IsInterpreter() {
				for _, w := range slices.Concat(c.Args, c.Writes) { // such as those of tee
					saved[path.Base(w)] = true
				}
			}
		}
		return readsScript(c) && slices.ContainsFunc(c.Upstream, loads) || runsText(c) || runsFile(c, saved)
	})
}

// runsText reports whether a shell is given text that is only known at run time.
func runsText(c shell.Command) bool {
	return (c.IsShell() || c.Is("eval", ".", "source")) && slices.ContainsFunc(c.Args, func(a string) bool { return strings.HasPrefix(a, "$") })
}

// runsFile reports whether a program is one of the saved files, or a shell
// that runs one.
func runsFile(c shell.Command, saved map[string]bool) bool {
	if strings.Contains(c.Word, "/") && saved[c.Name] {
		return true
	}
	if !c.IsInterpreter() && !c.Is(".", "source") {
		return false
	}
	operands := c.Operands()
	return len(operands) > 0 && saved[path.Base(operands[0])]
}

// readsScript reports whether a program runs what comes through its pipe: no
// argument names a script or contains one.
func readsScript(c shell.Command) bool {
	if len(c.Upstream) == 0 || !c.IsInterpreter() || strings.HasSuffix(c.Name, "awk") {
		return false
	}
	holds := "cmenpr"
	if c.IsShell() {
		holds = "c"
	}
	for i, a := range c.Args {
		option := len(a) > 1 && (a[0] == '-' || a[0] == '+')
		switch {
		case a == "-", a == "/dev/stdin", c.IsShell() && shortStdin(a):
			return true
		case option && a[1] != '-' && strings.ContainsAny(a, holds):
			return false
		case !option && (i == 0 || !namesOption(c.Args[i-1])):
			return false
		}
	}
	return true
}

var (
	shortStdin  = re(`^-[a-bd-z]*s[a-bd-z]*$`)
	namesOption = re(`^[-+][a-z]*o$`)
)
