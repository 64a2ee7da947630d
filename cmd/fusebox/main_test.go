package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
	"fusebox/agent/documents/child"
)

// TestMain lets the test binary be the program itself, for commands that try to
// administer the server whose tools they are, and where it reads documents. Tests of the whole program are in e2e.
func TestMain(m *testing.M) {
	if os.Getenv("FUSEBOX_TEST_PROGRAM") != "" || len(os.Args) > 1 && os.Args[1] == child.Command {
		main()
		return
	}
	agenttest.Prepare()
	os.Exit(m.Run())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inProcess runs a command on a data folder.
func inProcess(t testing.TB, data, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	p := process{env: []string{"FUSEBOX_DATA=" + data}, stdin: strings.NewReader(stdin), stdout: &out, stderr: &said}
	status = p.main(t.Context(), args)
	return status, out.String(), said.String()
}
