package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/sandbox"
	"fusebox/agent/tools"
	"fusebox/store"
)

// rooms is a process that has what a server has, and runs the commands that it reads
// from its input as run_shell does: what a command does to the server happens to it.
type rooms struct {
	t       *testing.T
	base    string // holds all that belongs to it
	way     way
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	started roomsStarted
}

// roomsStarted is the first line of its output.
type roomsStarted struct {
	Walls     sandbox.Walls
	Port, PID int
	Admin     string
}

// way is a column of the table: a user, and ways to build walls that are left out.
type way struct {
	name    string
	root    bool
	without string
	mode    sandbox.Mode
}

// somebody is the user of servers that are not root.
const somebody = 12345

// theKey is what no command may learn.
const theKey = "sk-of-the-server"

// startRooms starts one in a folder of its own, which that user owns.
func startRooms(t *testing.T, w way) *rooms {
	t.Helper()
	base, err := os.MkdirTemp("/tmp", "fusebox-rooms-")
	if err != nil {
		t.Fatal(err)
	}
	r := &rooms{t: t, base: base, way: w}
	t.Cleanup(func() { r.stop(); _ = os.RemoveAll(base) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []error{
		os.Chmod(base, 0o755),
		exec.CommandContext(t.Context(), "cp", self, r.self()).Run(),
		os.Chmod(r.self(), 0o755),
		os.MkdirAll(r.data("workspaces", "other"), 0o700),
		os.MkdirAll(r.data("outputs", "other"), 0o700),
		os.MkdirAll(filepath.Join(base, "home", ".ssh"), 0o700),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	for _, name := range []string{
		r.data("workspaces", "other", "secret.txt"), r.data("outputs", "other", "k.txt"), r.data("fusebox.toml"), r.data("victim"), r.data("victim2"),
		filepath.Join(base, "home", ".ssh", "id_test"), filepath.Join(base, "home", ".profile"),
	} {
		if err := os.WriteFile(name, []byte("# secret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !w.root {
		if err := exec.CommandContext(t.Context(), "chown", "-R", fmt.Sprintf("%d:%d", somebody, somebody), base).Run(); err != nil {
			t.Fatal(err)
		}
	}
	r.start()
	return r
}

func (r *rooms) self() string { return filepath.Join(r.base, "program") }

func (r *rooms) data(names ...string) string {
	return filepath.Join(append([]string{r.base, "data"}, names...)...)
}

func (r *rooms) start() {
	r.t.Helper()
	r.cmd = exec.CommandContext(context.WithoutCancel(r.t.Context()), r.self())
	r.cmd.Dir = r.base
	r.cmd.Env = []string{
		"FUSEBOX_TEST_ROOMS=1", "ROOMS_DATA=" + r.data(), "ROOMS_WITHOUT=" + r.way.without, "ROOMS_MODE=" + string(r.way.mode), "OPENAI_API_KEY=" + theKey,
		"HOME=" + filepath.Join(r.base, "home"), "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0",
	}
	if !r.way.root {
		r.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: somebody, Gid: somebody}}
	}
	r.cmd.Stderr = os.Stderr
	open, err := os.OpenFile(r.data("fusebox.toml"), os.O_RDWR, 0) // as whoever starts servers may leave open
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = open.Close() }()
	r.cmd.ExtraFiles = slices.Repeat([]*os.File{open}, 12)
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		r.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.out = bufio.NewReaderSize(out, 1<<20)
	if !r.read(&r.started) {
		r.t.Fatalf("%s did not start", r.way.name)
	}
}

func (r *rooms) stop() {
	if r.cmd != nil && r.cmd.Process != nil {
		_ = r.in.Close()
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	}
}

func (r *rooms) read(into any) bool {
	line, err := r.out.ReadString('\n')
	return err == nil && json.Unmarshal([]byte(line), into) == nil
}

// run runs a command and returns what it says; dead reports that the server did
// not survive it. There is a new one then.
func (r *rooms) run(command string) (said string, dead bool) {
	r.t.Helper()
	line, err := json.Marshal(command)
	if err != nil {
		r.t.Fatal(err)
	}
	_, _ = fmt.Fprintf(r.in, "%s\n", line) // a dead one is noticed below
	if r.read(&said) {
		return said, false
	}
	_ = r.cmd.Wait()
	r.start()
	return "", true
}

// The test binary is that process where it is asked to be.
func init() {
	if os.Getenv("FUSEBOX_TEST_ROOMS") == "" {
		return
	}
	if err := roomsServer(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "rooms:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// roomsLimits are so small that what does not keep them harms no machine.
var roomsLimits = sandbox.Limits{Memory: 640 << 20, Processes: 64, FileSize: 8 << 20, Folder: 16 << 20, Temp: 8 << 20}

func roomsServer(ctx context.Context, in io.Reader, out io.Writer) error {
	data := os.Getenv("ROOMS_DATA")
	log := slog.New(slog.DiscardHandler)
	if err := hideEnvironment(); err != nil {
		return err
	}
	release, err := lockData(data, filepath.Join(data, "fusebox.db"))
	if err != nil {
		return err
	}
	defer release()
	db, err := store.Open(ctx, store.Options{Path: filepath.Join(data, "fusebox.db"), Clock: agent.SystemClock{}, NewID: newID, Logger: log})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	admin := agent.User{ID: newID(), Email: newID() + "@example.org", Role: agent.RoleAdmin}
	if err := db.CreateUser(ctx, admin, "no password has this hash"); err != nil {
		return err
	}
	box, err := sandbox.New(sandbox.Options{
		Mode: sandbox.Mode(os.Getenv("ROOMS_MODE")), Data: data, Without: strings.Fields(os.Getenv("ROOMS_WITHOUT")), Limits: roomsLimits, Logger: log,
	})
	if err != nil {
		return err
	}
	registry, err := tools.New(tools.Config{
		DataDir: data, HTTPClient: http.DefaultClient, Timeout: 2 * time.Minute, OutputLimit: 10_000, Sandbox: box, Logger: log,
	})
	if err != nil {
		return err
	}
	started := roomsStarted{Walls: box.Walls(), PID: os.Getpid(), Admin: admin.Email}
	if started.Port, err = listenAround(ctx, data); err != nil {
		return err
	}
	answers := json.NewEncoder(out)
	if err := answers.Encode(started); err != nil {
		return err
	}
	commands := json.NewDecoder(in)
	for n := 0; ; n++ {
		var command string
		if err := commands.Decode(&command); err != nil {
			return nil //nolint:nilerr // the end
		}
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			return err
		}
		res := registry.Execute(ctx, "run_shell", agent.ToolInput{RunID: "r", ConversationID: "c1", CallID: fmt.Sprint(n), Args: args})
		if err := answers.Encode(res.Content); err != nil {
			return err
		}
	}
}

// listening keeps what is open from being closed as garbage.
var listening []net.Listener

// listenAround opens what a command could connect to: a port on all addresses, for TCP and an echo
// over UDP, a socket beside the data folder, and an abstract one.
func listenAround(ctx context.Context, data string) (port int, err error) {
	var l net.ListenConfig
	tcp, err := l.Listen(ctx, "tcp4", "0.0.0.0:0")
	if err != nil {
		return 0, err
	}
	port = tcp.Addr().(*net.TCPAddr).Port
	udp, err := l.ListenPacket(ctx, "udp4", fmt.Sprintf("0.0.0.0:%d", port))
	if err != nil {
		return 0, err
	}
	go func() {
		buf := make([]byte, 100)
		for {
			n, from, err := udp.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = udp.WriteTo(buf[:n], from)
		}
	}()
	name := filepath.Join(filepath.Dir(data), "service.sock")
	_ = os.Remove(name) // of one that was killed
	file, err := l.Listen(ctx, "unix", name)
	if err != nil {
		return 0, err
	}
	abstract, err := l.Listen(ctx, "unix", "@fusebox-rooms-"+filepath.Base(filepath.Dir(data)))
	listening = []net.Listener{tcp, file, abstract}
	return port, err
}
