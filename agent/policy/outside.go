package policy

import (
	"path"
	"slices"
	"strings"

	"fusebox/agent/shell"
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
func writesOutside(s shell.Script) bool {
	dir := "."
	for _, c := range s.Commands {
		if slices.ContainsFunc(slices.Concat(c.Writes, targets(c)), func(p string) bool { return outside(dir, p) }) {
			return true
		}
		dir = folder(c, dir)
	}
	return false
}

// targets lists what a program writes, as far as its operands say.
func targets(c shell.Command) []string {
	switch {
	case c.Is(writesAny...):
		return c.Operands()
	case c.Is(writesLast...) && slices.ContainsFunc(c.Args, namesFolder):
		return append(after(c.Args, "--target-directory="), c.Operands()...)
	case c.Is(writesLast...), c.Is("sed") && slices.ContainsFunc(c.Args, inPlace):
		operands := c.Operands()
		return operands[max(len(operands)-1, 0):]
	case c.Is("dd"):
		return after(c.Args, "of=")
	case c.Is("tar", "bsdtar", "make"):
		return after(c.Args, "-C", "--directory=", "--directory")
	case c.Is("unzip"):
		return after(c.Args, "-d")
	case c.Is("curl"):
		return after(c.Args, "-o", "--output=", "--output", "--output-dir=", "--output-dir")
	case c.Is("wget"):
		return after(c.Args, "-O", "-P", "-o", "--output-document=", "--output-document", "--directory-prefix=")
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
func folder(c shell.Command, dir string) string {
	if !c.Is("cd", "pushd") || c.By != "" {
		return dir
	}
	operands := c.Operands()
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
var parents = re(`(^|/)\.(\*|\?|\.\*|\[[^!^]|\[[!^][^.])`)

func outside(dir, p string) bool {
	p = resolve(dir, p)
	switch {
	case parents(p):
		return true
	case p == ".." || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "~"):
		return true
	case !path.IsAbs(p) || strings.Contains(p, "/workspaces/"):
		return false
	default:
		return !slices.ContainsFunc(writablePaths, func(h string) bool { return strings.HasPrefix(p+"/", h) })
	}
}
