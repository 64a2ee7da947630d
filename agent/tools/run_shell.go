package tools

import (
	"context"
	_ "embed" // the description is a file
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	"fusebox/agent"
	"fusebox/agent/sandbox"
)

//go:embed run_shell.md
var runShellText string

// runShell runs a command in the workspace: behind walls, without the server's
// environment, without input.
type runShell struct {
	spaces  workspaces
	outputs *outputs
	inline  int
	box     *sandbox.Sandbox
}

type shellArgs struct{ Command string }

func (t runShell) Spec() agent.ToolSpec {
	s := builtin("run_shell", runShellText, `{
		"type": "object", "additionalProperties": false, "required": ["command"],
		"properties": {"command": {"type": "string", "minLength": 1, "maxLength": 20000, "description": "A command line for /bin/sh"}}
	}`)
	s.Set, s.Effect, s.Risk, s.Unwalled = agent.ShellTools, agent.EffectExec, agent.RiskHigh, t.box != nil && !t.box.Walls().Hold()
	return s
}

// Evidence shows the whole command, where it would run, which files decide what it does,
// and what is kept from it.
func (t runShell) Evidence(in agent.ToolInput) agent.ToolEvidence {
	var args shellArgs
	if decode(in, &args) != nil {
		return agent.ToolEvidence{}
	}
	e := agent.ToolEvidence{Command: args.Command, Cwd: "workspaces/" + fileName(in.ConversationID), Walls: wallsOf(t.box)}
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
	out := &spool{file: file, where: where, limit: t.inline, progress: in.Progress}
	trouble, err := t.execute(ctx, in, args.Command, dir, out)
	text, truncated := out.close()
	if trouble != "" {
		text = withLine(text, trouble)
	}
	return shellResult(ctx, err, text, truncated)
}

// execute runs the command until nothing of it is left. It begins once it is stored
// which process it is.
func (t runShell) execute(ctx context.Context, in agent.ToolInput, line, dir string, out *spool) (trouble string, err error) {
	cmd, room, err := t.box.Command(ctx, sandbox.Spec{
		Args: []string{"/bin/sh", "-c", line}, Dir: dir, Env: shellEnv(dir), Write: []string{dir}, Held: true,
	})
	if err != nil {
		return err.Error(), err
	}
	defer func() { _ = room.Close() }()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	if err = in.Started(sandbox.ProcessID(cmd.Process.Pid)); err == nil {
		err = room.Begin()
	}
	if err != nil {
		return "", errors.Join(err, room.Close(), cmd.Wait())
	}
	err = cmd.Wait()
	return room.Trouble(), err
}

// shellEnv is the whole environment of a command: nothing of the server's own.
func shellEnv(dir string) []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir, "LANG=C.UTF-8", "TERM=dumb"}
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

// Walls are what keeps the programs of tools from the rest of the machine.
func (r *Registry) Walls() agent.Walls { return *wallsOf(r.box) }

func wallsOf(box *sandbox.Sandbox) *agent.Walls {
	found := box.Walls()
	return &agent.Walls{Standing: names(found.Standing), Missing: names(found.Missing()), By: append([]string{}, found.By...), Hold: found.Hold()}
}

func names(walls []sandbox.Wall) []string {
	all := []string{}
	for _, w := range walls {
		all = append(all, string(w))
	}
	return all
}
