package discovery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"fusebox/agent/sandbox"
	"fusebox/agent/tools/sandboxed"
)

// call is what becomes of a command's output and of its process.
type call struct {
	limit    int
	progress func(string)               // nil shows nothing
	started  func(process string) error // nil stores nothing
}

type output struct {
	text string
	// failed says how it ended, "" if it ended well.
	failed string
}

// maxErrorText bounds what is read of what a command says besides its result.
const maxErrorText = 64 << 10

// run runs a command until nothing of it is left. It begins once it is stored which process
// it is.
func run(ctx context.Context, host sandboxed.Host, s Source, args []string, input []byte, c call) (output, error) {
	ready, err := host.Find(s.program(args))
	if err != nil {
		return output{}, err
	}
	cmd, room, err := ready.Command(ctx, true)
	if err != nil {
		return output{}, err
	}
	defer func() { _ = room.Close() }()
	secrets := sandboxed.NewSecrets(s.Env)
	result, said := &bounded{secrets: secrets, limit: c.limit, show: c.progress}, &bounded{secrets: secrets, limit: maxErrorText}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), result, said
	if err := cmd.Start(); err != nil {
		return output{}, err
	}
	if c.started != nil {
		err = c.started(sandbox.ProcessID(cmd.Process.Pid))
	}
	if err == nil {
		err = room.Begin()
	}
	if err != nil {
		return output{}, errors.Join(err, room.Close(), cmd.Wait())
	}
	err = cmd.Wait()
	return ended(err, room.Trouble(), result.text(), said.text())
}

// ended is the outcome of a command. One that does not read its input has not failed.
func ended(err error, trouble, result, said string) (output, error) {
	out := output{text: strings.TrimSpace(result)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		parts := []string{strings.TrimSpace(said), out.text, trouble, exit.Error()}
		if parts[0] != "" {
			parts[1] = "" // what it says of the error is enough
		}
		out.failed = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n")
	case trouble != "":
		return out, errors.New(trouble)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return out, err
	}
	return out, nil
}

// bounded keeps the beginning of an output and drops the rest; it never makes a command wait.
// Nothing that it shows or returns has secrets.
type bounded struct {
	secrets        sandboxed.Secrets
	limit, dropped int
	kept           bytes.Buffer
	show           func(string)
	shown          int
	held           string // may be the beginning of a secret, and is not shown yet
}

// maxShown bounds what one call shows while it runs.
const maxShown = 256 << 10

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.limit-b.kept.Len())
	b.kept.Write(p[:n])
	b.dropped += len(p) - n
	if b.show != nil && b.shown < maxShown {
		b.shown += len(p)
		var head string
		if head, b.held = b.secrets.Head(b.held + string(p)); head != "" {
			b.show(strings.ToValidUTF8(head, "\uFFFD"))
		}
	}
	return len(p), nil
}

func (b *bounded) text() string {
	if b.dropped == 0 {
		return b.secrets.Scrub(b.kept.String())
	}
	head, _ := b.secrets.Head(b.kept.String())
	return fmt.Sprintf("%s\n[… %d bytes left out …]", head, b.dropped)
}
