package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// The programs that write where an operand says: the last one, or any.
var (
	writesLast = []string{"cp", "install", "ln", "rsync", "scp"}
	writesAny  = []string{
		"mv", "tee", "touch", "mkdir", "mkfifo", "mknod", "rm", "rmdir", "unlink", "shred", "truncate",
		"chmod", "chown", "chgrp",
	}
)

// writesOutside reports whether a script writes anywhere but in its workspace
// and the folders for temporary files. It follows cd; what is in variables
// other than HOME and PWD it does not know.
func writesOutside(s script) bool {
	dir := "."
	for _, c := range s.commands {
		for _, p := range redirected(c.words) {
			if outside(dir, p) {
				return true
			}
		}
		for _, run := range c.runs {
			if slices.ContainsFunc(run.targets(), func(p string) bool { return outside(dir, p) }) {
				return true
			}
			dir = run.folder(dir)
		}
	}
	return false
}

// redirected lists the files that a command's output goes to.
func redirected(words []string) []string {
	var files []string
	for i, w := range words[:len(words)-1] {
		if isRedirect(w) && strings.Contains(w, ">") {
			files = append(files, words[i+1])
		}
	}
	return files
}

// targets lists what a program writes, as far as its operands say.
func (c call) targets() []string {
	switch {
	case slices.Contains(writesAny, c.name):
		return c.operands()
	case slices.Contains(writesLast, c.name) && slices.ContainsFunc(c.args, namesFolder):
		return append(after(c.args, "--target-directory="), c.operands()...)
	case slices.Contains(writesLast, c.name), c.name == "sed" && slices.ContainsFunc(c.args, inPlace):
		operands := c.operands()
		return operands[max(len(operands)-1, 0):]
	case c.name == "dd":
		return after(c.args, "of=")
	case c.name == "curl":
		return after(c.args, "-o", "--output=", "--output", "--output-dir=", "--output-dir")
	case c.name == "wget":
		return after(c.args, "-O", "-P", "-o", "--output-document=", "--output-document", "--directory-prefix=")
	default:
		return nil
	}
}

// after lists what the arguments say behind one of the marks: in the same
// word, or in the next one.
func after(args []string, marks ...string) []string {
	var all []string
	for i, a := range args {
		for _, m := range marks {
			if rest, ok := strings.CutPrefix(a, m); ok && rest != "" {
				all = append(all, rest)
			} else if ok && i+1 < len(args) {
				all = append(all, args[i+1])
			}
		}
	}
	return all
}

func namesFolder(arg string) bool { return arg == "-t" || strings.HasPrefix(arg, "--target-directory") }

func inPlace(arg string) bool {
	return strings.HasPrefix(arg, "--in-place") || (strings.HasPrefix(arg, "-") && strings.Contains(arg, "i"))
}

// folder is where the next command works, in a shell that was in dir.
func (c call) folder(dir string) string {
	if c.name != "cd" && c.name != "pushd" {
		return dir
	}
	operands := c.operands()
	if len(operands) == 0 {
		return "."
	}
	return resolve(dir, operands[0])
}

// resolve is a path as seen from the workspace, which is HOME as well.
func resolve(dir, p string) string {
	for _, home := range []string{"~", "$HOME", "${HOME}"} {
		if rest, ok := strings.CutPrefix(p, home); ok && (rest == "" || rest[0] == '/') {
			return path.Join(".", rest)
		}
	}
	for _, here := range []string{"$PWD", "${PWD}"} {
		if rest, ok := strings.CutPrefix(p, here); ok && (rest == "" || rest[0] == '/') {
			return path.Join(dir, rest)
		}
	}
	if path.IsAbs(p) || strings.HasPrefix(p, "~") {
		return path.Clean(p)
	}
	return path.Join(dir, p)
}

// writablePaths are the absolute paths that anyone may write to.
var writablePaths = []string{"/tmp/", "/var/tmp/", "/dev/shm/", "/dev/fd/", "/dev/null/", "/dev/stdout/", "/dev/stderr/", "/dev/tty/"}

// parents are the names of which a shell may make "..".
var parents = regexp.MustCompile(`(^|/)\.(\*|\?|\.\*|\[[^!^]|\[[!^][^.])`)

func outside(dir, p string) bool {
	p = resolve(dir, p)
	switch {
	case parents.MatchString(p):
		return true
	case p == ".." || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "~"):
		return true
	case !path.IsAbs(p) || strings.Contains(p, "/workspaces/"):
		return false
	default:
		return !slices.ContainsFunc(writablePaths, func(h string) bool { return strings.HasPrefix(p+"/", h) })
	}
}
