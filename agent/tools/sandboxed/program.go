package sandboxed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"fusebox/agent/sandbox"
)

// Program is a configured program.
type Program struct {
	// Name is that of its entry, Args the command as it was configured.
	Name string
	Args []string
	// Env are variables and their values. PATH, HOME, and LANG are added.
	Env map[string]string
	// Read and Write are the folders that it may use, besides those that its command line
	// and its variables name.
	Read, Write []string
	// Network lets it connect to others.
	Network bool
}

// Folder is the one in the data folder that holds the programs' own folders.
const Folder = "programs"

// Host starts programs.
type Host struct {
	Box *sandbox.Sandbox
	// Data is the server's folder, which no program may reach. It holds a folder for each
	// program, which is its HOME and its working folder.
	Data string
	// Base is the folder that relative paths of commands start from; where the file is not
	// there, the server's working folder is.
	Base string
	// Path is the server's PATH, in which commands are looked up.
	Path string
}

// Ready is a program with everything that it may use.
type Ready struct {
	spec sandbox.Spec
	box  *sandbox.Sandbox
}

// Find looks up a program and the folders that it may use. It fails where the program or a
// folder of its entry is not there.
func (h Host) Find(p Program) (Ready, error) {
	home := filepath.Join(h.Data, Folder, p.Name)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return Ready{}, fmt.Errorf("make the folder of %s: %w", p.Name, err)
	}
	args := slices.Clone(p.Args)
	var err error
	if args[0], err = h.lookUp(args[0]); err != nil {
		return Ready{}, err
	}
	use := folders{data: h.Data, shown: h.Box.Shows, read: slices.Clone(p.Read), write: slices.Clone(p.Write)}
	for _, folder := range slices.Concat(p.Read, p.Write) {
		if _, err := os.Stat(folder); err != nil {
			return Ready{}, fmt.Errorf("%s cannot be used: %w", folder, errors.Unwrap(err))
		}
	}
	use.addProgram(args[0])
	for i, arg := range args[1:] {
		args[i+1] = h.resolve(arg)
		use.addArgument(args[i+1])
	}
	env := []string{"PATH=" + h.Path, "HOME=" + home, "LANG=C.UTF-8"}
	for name, value := range p.Env {
		env = append(env, name+"="+value)
		use.addVariable(value)
	}
	slices.Sort(env)
	for _, path := range slices.Concat(use.write, use.read) {
		if contains(path, h.Data) {
			return Ready{}, fmt.Errorf("%s contains the data folder of Fusebox; name folders that do not", path)
		}
	}
	use.write = append(use.write, home)
	return Ready{box: h.Box, spec: sandbox.Spec{
		Args: args, Dir: home, Env: env, Read: use.reading(), Write: use.writing(), Network: p.Network,
	}}, nil
}

// Folders are those that the program may use besides the system's.
func (r Ready) Folders() (read, write []string) { return r.spec.Read, r.spec.Write }

// Command prepares the program. Cancelling ctx ends it with all it has started, and so does
// the end of this process. A held one is for one call, and begins when its Room says so;
// another lasts.
func (r Ready) Command(ctx context.Context, held bool) (*exec.Cmd, *sandbox.Room, error) {
	spec := r.spec
	spec.Held, spec.Lasting = held, !held
	return r.box.Command(ctx, spec)
}

// lookUp finds the file of a command.
func (h Host) lookUp(name string) (string, error) {
	if strings.Contains(name, "/") {
		path := h.resolve(name)
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("there is no program %s", name)
		}
		return filepath.Abs(path)
	}
	for _, dir := range filepath.SplitList(h.Path) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no program %s in the PATH", name)
}

// resolve makes a relative path that names a file absolute; all else stays as it is.
func (h Host) resolve(arg string) string {
	if !strings.HasPrefix(arg, "./") && !strings.HasPrefix(arg, "../") {
		return arg
	}
	for _, base := range []string{h.Base, "."} {
		path, err := filepath.Abs(filepath.Join(base, arg))
		if err != nil {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return arg
}
