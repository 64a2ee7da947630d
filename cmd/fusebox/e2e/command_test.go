package e2e

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// Exit statuses of the program, as the manual tells them.
const (
	exitOK      = 0
	exitError   = 1
	exitUsage   = 2
	exitTripped = 3
)

// fusebox runs a command on a data folder.
func fusebox(t testing.TB, data, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return with(t, []string{"FUSEBOX_DATA=" + data}, stdin, args...)
}

// with runs a command in an environment.
func with(t testing.TB, env []string, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd := command(t, t.Context(), env, args...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), said.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
