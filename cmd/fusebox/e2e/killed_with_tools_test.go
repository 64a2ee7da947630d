package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent/agenttest"
	"fusebox/agent/tools/mcp/mcptest"
)

// toolsOfEachKind are the calls about a job of a model that uses a tool of an MCP server, a
// command's, the shell, and the files.
func toolsOfEachKind(job string, turn int) []asked {
	switch turn {
	case 0:
		return []asked{{"list_files", `{}`}, writesFile(job)}
	case 1:
		return []asked{notes("mad__note", job+"~m1"), notes("ticket_note", job+"~t1"), leavesProcess(job)}
	case 2:
		return []asked{edits(job), notes("mad__note", job+"~m2")}
	default:
		return nil
	}
}

// notes has a tool from outside note something.
func notes(tool, title string) asked { return asked{tool, fmt.Sprintf(`{"title":%q}`, title)} }

// edits adds a line to the file of a job.
func edits(job string) asked {
	return asked{"edit_file", fmt.Sprintf(`{"path":%q,"old":%q,"new":%q}`, job+".txt", job, job+"\n"+job+"~e1")}
}

// sources is a configuration with the MCP server and the command of a test.
func sources(t *testing.T) (env string) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	must(t, err)
	config := fmt.Sprintf(`
[[mcp.servers]]
name = "mad"
command = [%q, %q]
timeout = "2m"

[[tools.commands]]
name = "tickets"
discover = ["./tickets", "--list"]
call = ["./tickets", "--call"]
`, self, mcptest.Argument)
	must(t, os.WriteFile(filepath.Join(dir, "fusebox.toml"), []byte(config), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "tickets"), []byte(tickets), 0o700))
	return "FUSEBOX_CONFIG=" + filepath.Join(dir, "fusebox.toml")
}

// TestKilledWithToolsFromOutside is TestKilledAtAnyMoment for calls of an MCP server and of
// a command, edits of files and messages, uploads, and backups. Whether a call happened is
// what the programs themselves have noted. FUSEBOX_TOOL_KILL_ROUNDS is how often the server
// is killed.
func TestKilledWithToolsFromOutside(t *testing.T) {
	t.Parallel()
	kills := agenttest.FewOrMany(t, "FUSEBOX_TOOL_KILL_ROUNDS", 4, 300)
	o := startOutages(t, work{
		calls: toolsOfEachKind, life: 1500 * time.Millisecond, people: everybody, courses: allCourses, uploads: true,
		backupEvery: max(3, kills/10), outside: true,
	})
	o.run(kills)
}
