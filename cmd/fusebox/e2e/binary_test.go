package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
)

// binary is the program that tests start.
var binary string

// build builds it the way the test binary was built: with the race detector or without.
func build() (remove func(), err error) {
	dir, err := os.MkdirTemp("", "fusebox-e2e-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	if err := os.Chmod(dir, 0o755); err != nil { // commands look for it as somebody else
		remove()
		return nil, err
	}
	binary = filepath.Join(dir, "fusebox")
	args := slices.Concat([]string{"build", "-ldflags=-w", "-o", binary}, sameFlags(), []string{"fusebox/cmd/fusebox"})
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil { //nolint:noctx // before any test
		remove()
		return nil, fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return remove, nil
}

// sameFlags are the flags of the test binary's build without which everything would be
// compiled once more.
func sameFlags() (flags []string) {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if (s.Key == "-race" || s.Key == "-trimpath") && s.Value == "true" {
			flags = append(flags, s.Key)
		}
	}
	return flags
}
