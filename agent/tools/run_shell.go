package tools

import (
	"context"
	_ "embed" // the description is a file
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"fusebox/agent"
)

//go:embed run_shell.md
var runShellText string

// pipeWait is how long a command's children may hold its output open after it
// has ended.
const pipeWait = 100 * time.Millisecond

// runShell runs a command in the workspace: in a process group of its own,
// without the server's environment, without input.
type runShell struct {
	spaces  workspaces
	outputs *outputs
	inline  int
}

type shellArgs struct{ Command string }

func (runShell) Spec() agent.ToolSpec {
	s := builtin("run_shell", runShellText, `{
		"type": "object", "additionalProperties": false, "required": ["command"],
		"properties": {"command": {"type": "string", "minLength": 1, "maxLength": 20000, "description": "A command line for /bin/sh"}}
	}`)
	s.Effect, s.Risk = agent.EffectExec, agent.RiskHigh
	return s
}

// Evidence shows the whole command, where it would run, and which files decide what it does.
func (t runShell) Evidence(in agent.ToolInput) agent.ToolEvidence {
	var args shellArgs
	if decode(in, &args) != nil {
		return agent.ToolEvidence{}
	}
	e := agent.ToolEvidence{Command: args.Command, Cwd: "workspaces/" + fileName(in.ConversationID)}
	for _, variable := range shellEnv("") {
		name, _, _ := strings.Cut(variable, "=")
		e.Env = append(e.Env, name)
	}
	e.Files, e.FilesDecide = t.spaces.seen(in, args.Command)
	return e
}

func (t runShell) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args shellArgs
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	root, _, err := t.spaces.reach(in.ConversationID, ".")
	if err != nil {
		return failed(agent.ErrShell, "The workspace cannot be used.")
	}
	defer func() { _ = root.Close() }()
	dir := t.spaces.path(in.ConversationID)
	file, where, err := t.outputs.create(in)
	if err != nil {
		return failed(agent.ErrShell, "The command's output cannot be kept.")
	}
	out := newSpool(file, where, t.inline, in.Progress)
	cmd := t.command(ctx, args.Command, dir, out)
	err = cmd.Run()
	endGroup(cmd)
	text, truncated := out.close()
	return shellResult(ctx, err, text, truncated)
}

// command prepares the process. Ending it ends its whole group: a shell's
// children would live on otherwise.
func (runShell) command(ctx context.Context, line, dir string, out *spool) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = shellEnv(dir)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = pipeWait
	return cmd
}

// shellEnv is the whole environment of a command: nothing of the server's own.
func shellEnv(dir string) []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir, "LANG=C.UTF-8", "TERM=dumb"}
}

// endGroup ends what a command has left running in the background: nothing of
// a call lives on after its result.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // usually no process is left
	}
}

func shellResult(ctx context.Context, err error, text string, truncated bool) agent.ToolResult {
	res := agent.ToolResult{Content: text, Truncated: truncated}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		res.ErrorType = agent.ErrCancelled // the cause is worded in execute.go
		res.Content = withLine(text, "The command was killed, with everything it had started.")
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		res.Content = withLine(text, "exit code 0")
	case errors.As(err, &exit):
		res.ErrorType = agent.ErrShell
		res.Content = withLine(text, fmt.Sprintf("exit code %d", exitCode(exit)))
	default:
		res.ErrorType = agent.ErrShell
		res.Content = withLine(text, "The command could not be started.")
	}
	return res
}

// exitCode is what a shell would say: 128 and the signal for what a signal ended.
func exitCode(exit *exec.ExitError) int {
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

func withLine(text, line string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + line
}
