package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"fusebox/agent/agenttest"
	"fusebox/agent/sandbox"
	"fusebox/agent/sandbox/room"
)

// beating is a command that writes as long as it lives. It names the chat, by which its
// processes are found.
func beating(conversation string) string {
	return ": " + conversation + "; while :; do echo x >> beats; sleep 0.02; done"
}

// processesOf lists the processes of a chat's commands, by their command lines.
func processesOf(t *testing.T, conversation, named string) (pids []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		line, err := os.ReadFile(name) // it may be gone
		if err != nil || !strings.Contains(string(line), conversation) || !strings.Contains(string(line), named) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func beats(t *testing.T, data, conversation string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(data, "workspaces", conversation, "beats"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// keepPipe keeps the server's end of a supervisor's pipe open, so that the supervisor does
// not notice the server's end.
func keepPipe(t *testing.T, server, supervisor int) {
	t.Helper()
	pipe, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", supervisor, room.ControlFD))
	if err != nil {
		t.Skip("only root can look into the supervisor")
	}
	ends, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", server))
	if err != nil {
		t.Fatal(err)
	}
	process, err := unix.PidfdOpen(server, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range ends {
		fd, err := strconv.Atoi(filepath.Base(end))
		if to, _ := os.Readlink(end); err != nil || to != pipe {
			continue
		}
		kept, err := unix.PidfdGetfd(process, fd, 0)
		if err != nil {
			t.Skipf("this machine does not let a pipe be kept: %v", err)
		}
		t.Cleanup(func() { _ = unix.Close(kept) })
	}
}

// TestCommandEndsWithItsServer: after kill -9, nothing of a command is left when a
// person is asked what became of it: also where its supervisor does not notice.
// Run again, it runs once.
func TestCommandEndsWithItsServer(t *testing.T) {
	t.Parallel()
	for _, notices := range []bool{true, false} {
		t.Run(fmt.Sprintf("supervisor notices %v", notices), func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			p := startProgram(t, data)
			a := p.admin()
			conversation, run := a.ask("test approval")
			a.rests(run)
			args, err := json.Marshal(map[string]string{"command": beating(conversation)})
			if err != nil {
				t.Fatal(err)
			}
			a.decide(run, `{"decision":"edit","args":`+string(args)+`}`)
			agenttest.Eventually(t, "the command", func() bool { return beats(t, data, conversation) > 4 })
			if !notices {
				for _, pid := range processesOf(t, conversation, "sandbox-supervisor") {
					keepPipe(t, p.cmd.Process.Pid, pid)
				}
			}
			p.kill()
			if notices {
				agenttest.Eventually(t, "its end", func() bool { return len(processesOf(t, conversation, "")) == 0 })
			} else if len(processesOf(t, conversation, "beats")) == 0 {
				t.Fatal("nothing is left to be ended")
			}
			p = startProgram(t, data)
			a.url = p.url
			if got := a.rests(run)["status"]; got != "paused" {
				t.Fatalf("the run is %v", got)
			}
			if left := processesOf(t, conversation, ""); len(left) > 0 {
				t.Errorf("a person is asked while processes %v run", left)
			}
			before := beats(t, data, conversation)
			a.decide(run, `{"decision":"approve"}`)
			agenttest.Eventually(t, "the command again", func() bool { return beats(t, data, conversation) > before })
			if n := len(processesOf(t, conversation, "sandbox-supervisor")); n != 1 {
				t.Errorf("the command runs %d times", n)
			}
			a.must("POST", "/api/v1/runs/"+run+"/abort", "")
			a.rests(run)
			agenttest.Eventually(t, "the end of the aborted command", func() bool { return len(processesOf(t, conversation, "")) == 0 })
		})
	}
}

// TestCommandsAskWithoutWalls: in yolo a command runs behind walls, and asks where there
// are none. Its card says so.
func TestCommandsAskWithoutWalls(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{"auto": "finished", "required": "finished", "off": "paused"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := startProgram(t, t.TempDir(), "FUSEBOX_TOOL_SANDBOX="+mode)
			if standing := p.logged(`walls around commands" standing="?\[(.*?)\]`); want == "finished" && !strings.Contains(standing, "modes") {
				t.Skip("this machine has no namespaces")
			}
			a := p.admin()
			if _, page := a.call("GET", "/admin/tools", ""); strings.Contains(string(page), `id="wall-files"`) != (want == "finished") {
				t.Errorf("the page about tools says of the walls: %s", page)
			}
			conversation := a.must("POST", "/api/v1/conversations", `{"approvalMode":"yolo"}`)["id"].(string)
			run := a.post(conversation, "test approval")
			v := a.rests(run)
			if v["status"] != want {
				t.Fatalf("the run is %v", v["status"])
			}
			if want != "paused" {
				return
			}
			card := a.must("GET", "/api/v1/approvals/"+v["pendingApprovalIds"].([]any)[0].(string), "")
			evidence := card["evidence"].(map[string]any)
			walls := evidence["walls"].(map[string]any)
			if evidence["rule"] != "effect-exec-unwalled" || walls["hold"] != false || len(walls["missing"].([]any)) != 6 {
				t.Errorf("the card says %v", evidence)
			}
			a.decide(run, `{"decision":"approve"}`)
			if got := a.rests(run)["status"]; got != "finished" {
				t.Errorf("approved, the run is %v", got)
			}
		})
	}
}

// TestDoctorSaysWhichWallsStand: and by its exit status whether they hold.
func TestDoctorSaysWhichWallsStand(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if status, out, said := fusebox(t, data, "", "doctor"); status != exitOK || !strings.Contains(out, "files\tkept from commands") || !strings.Contains(out, "reach nothing that is not theirs") {
		t.Errorf("status %d: %s%s", status, out, said)
	}
	if err := os.WriteFile(filepath.Join(data, "fusebox.toml"), []byte("[tool]\nsandbox = \"off\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, said := fusebox(t, data, "", "doctor"); status != exitTripped || !strings.Contains(out, "files\tnot kept") || !strings.Contains(out, "asks, in every mode") {
		t.Errorf("off: status %d: %s%s", status, out, said)
	}
}

// TestRoomsStartBeforeTheRest: a process of a room does its work before most packages of
// this program are initialised, which takes longer than a command may.
func TestRoomsStartBeforeTheRest(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), binary, room.Idler, "-")
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	trace, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(trace), "init os @") {
		t.Fatalf("%v %s", err, trace)
	}
	for _, late := range []string{"reflect", "crypto/sha256", "encoding/json"} {
		if strings.Contains(string(trace), "init "+late+" @") {
			t.Errorf("%s is initialised first", late)
		}
	}
}

// BenchmarkCommand compares a command in its room with a plain one.
func BenchmarkCommand(b *testing.B) {
	for _, bench := range []struct {
		name string
		run  func() error
	}{{"plain", plainCommand(b)}, {"room", roomCommand(b)}} {
		b.Run(bench.name, func(b *testing.B) {
			least := time.Hour
			for b.Loop() {
				at := time.Now()
				if err := bench.run(); err != nil {
					b.Fatal(err)
				}
				least = min(least, time.Since(at))
			}
			b.ReportMetric(float64(least.Microseconds())/1000, "ms/least")
		})
	}
}

func plainCommand(b *testing.B) func() error {
	return func() error { return exec.CommandContext(b.Context(), "/bin/sh", "-c", "true").Run() }
}

func roomCommand(b *testing.B) func() error {
	dir := b.TempDir()
	box, err := sandbox.New(sandbox.Options{Mode: sandbox.Auto, Data: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	return func() error {
		cmd, room, err := box.Command(b.Context(), sandbox.Spec{Args: []string{"/bin/sh", "-c", "true"}, Dir: dir, Write: []string{dir}})
		if err != nil {
			return err
		}
		return errors.Join(cmd.Run(), room.Close())
	}
}
