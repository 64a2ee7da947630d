package sandboxed

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fusebox/agent/sandbox"
)

// folders collects what a program may use.
type folders struct {
	data        string                 // the server's own
	shown       func(path string) bool // what every program may read
	read, write []string
}

// addProgram makes a program's own files readable: its folder, the packages installed
// next to it, and the Python environment that it belongs to.
func (f *folders) addProgram(path string) {
	f.read = append(f.read, path)
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		f.addProgram(real)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "..", "pyvenv.cfg")); err == nil {
		f.read = append(f.read, filepath.Dir(filepath.Dir(path)))
	}
	if at := strings.Index(path, "/node_modules/"); at >= 0 {
		f.read = append(f.read, path[:at]+"/node_modules")
		return
	}
	if dir := filepath.Dir(path); narrow(dir) && !contains(dir, f.data) {
		f.read = append(f.read, dir)
	}
}

// addArgument gives a program access to a path on its command line: a folder becomes
// writable, a file readable with whatever its program needs.
func (f *folders) addArgument(arg string) {
	if _, value, found := strings.Cut(arg, "="); found && strings.HasPrefix(arg, "-") {
		arg = value
	}
	info, err := os.Stat(arg)
	switch {
	case err != nil || !filepath.IsAbs(arg):
	case info.IsDir():
		f.write = append(f.write, arg)
	default:
		f.addProgram(arg)
	}
}

// addVariable lets a program change the folder that a variable names, or the one of the
// file that it names.
func (f *folders) addVariable(value string) {
	if !filepath.IsAbs(value) || filepath.Clean(value) == "/" {
		return
	}
	if info, err := os.Stat(value); err == nil && info.IsDir() {
		f.write = append(f.write, value)
	} else if dir := filepath.Dir(value); narrow(dir) {
		if _, err := os.Stat(dir); err == nil {
			f.write = append(f.write, dir)
		}
	}
}

// narrow reports whether a folder is small enough to be opened because of one of its files:
// not the root, a home, or a folder of the system.
func narrow(dir string) bool {
	home, _ := os.UserHomeDir() // without one there is none to keep closed
	system := []string{"/", "/tmp", "/var", "/var/tmp", "/etc", "/root", "/home", "/srv", "/opt", "/run", "/dev", "/proc", "/sys", home}
	return !slices.Contains(system, dir) && filepath.Dir(dir) != "/home" && !strings.HasPrefix(dir+"/", "/etc/")
}

// contains reports whether a path is a folder or something in it.
func contains(folder, path string) bool {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return sandbox.Contains(folder, path)
}

func (f *folders) writing() []string { return outermost(f.write) }

// reading leaves out what can be read anyway.
func (f *folders) reading() []string {
	write := f.writing()
	return slices.DeleteFunc(outermost(f.read), func(path string) bool {
		return f.shown(path) || slices.ContainsFunc(write, func(w string) bool { return sandbox.Contains(w, path) })
	})
}

// outermost leaves out what is in another of the paths.
func outermost(paths []string) (rest []string) {
	all := slices.Clone(paths)
	for i, path := range all {
		all[i] = filepath.Clean(path)
	}
	slices.Sort(all)
	for _, path := range all { // what contains others is before them
		if !slices.ContainsFunc(rest, func(outer string) bool { return sandbox.Contains(outer, path) }) {
			rest = append(rest, path)
		}
	}
	return rest
}
