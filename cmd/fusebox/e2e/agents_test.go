package e2e

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var agentAndSource = regexp.MustCompile(`"name":"(\w+)".*?"version":(\d+),"source":"(\w+)"`)

// agents are those that there are, each with its version and its source.
func (a api) agents() (all []string) {
	a.t.Helper()
	for _, m := range agentAndSource.FindAllStringSubmatch(a.expects(http.StatusOK, "GET", "/api/v1/agents", ""), -1) {
		all = append(all, m[1]+" "+m[2]+" "+m[3])
	}
	return all
}

// TestAgentsComeAtStart: the program brings its agents once, and those of the configuration
// follow the file.
func TestAgentsComeAtStart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	config := writeConfig(t, "[agents.librarian]\npurpose = \"Knows the shelves.\"\ninstructions = \"Look it up.\"\n")
	p := startProgram(t, data, append(withAdmin(), "FUSEBOX_CONFIG="+config)...)
	a := p.admin()
	want := []string{"analyst 1 shipped", "coder 1 shipped", "editor 1 shipped", "librarian 1 configuration", "researcher 1 shipped", "reviewer 1 shipped", "writer 1 shipped"}
	if got := a.agents(); !slices.Equal(got, want) {
		t.Errorf("at first there are %q, want %q", got, want)
	}
	a.expects(http.StatusNoContent, "DELETE", "/api/v1/agents/coder", "")
	a.expects(http.StatusOK, "PUT", "/api/v1/agents/writer", `{"purpose":"Writes.","instructions":"Write.","version":1}`)
	a.expects(http.StatusConflict, "DELETE", "/api/v1/agents/librarian", "")
	p.kill()

	a = startProgram(t, data, withAdmin()...).admin()
	want = []string{"analyst 1 shipped", "editor 1 shipped", "researcher 1 shipped", "reviewer 1 shipped", "writer 2 admin"}
	if got := a.agents(); !slices.Equal(got, want) {
		t.Errorf("later there are %q, want %q", got, want)
	}
	a.expects(http.StatusOK, "GET", "/api/v1/agents/librarian?version=1", "")
}

// TestWorkflowWithoutItsAgent: the server does not start with a workflow of the file that names an agent
// which there is not.
func TestWorkflowWithoutItsAgent(t *testing.T) {
	t.Parallel()
	const table = "[workflows.tour]\npurpose = \"p\"\nkind = \"sequence\"\n[[workflows.tour.steps]]\nagent = \"nobody\"\ntask = \"t\"\n"
	env := append(withAdmin(), "FUSEBOX_DATA="+t.TempDir(), "FUSEBOX_ADDR=127.0.0.1:0", "FUSEBOX_CONFIG="+writeConfig(t, table))
	if status, _, said := with(t, env, ""); status != exitUsage || !strings.Contains(said, "[workflows.tour] steps[0].agent: there is no agent named nobody") {
		t.Errorf("exit status %d: %s", status, said)
	}
}
