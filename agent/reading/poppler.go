package reading

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"strings"
	"time"
)

// What the programs of poppler may take for one file.
const (
	popplerTime  = 10 * time.Second // all of them together
	checkTime    = 6 * time.Second  // those that only check what the first one says
	popplerLine  = 1 << 20          // bytes of a line
	popplerWords = 64 << 10         // bytes of what a program says of the file
)

// poppler is a program of poppler at work on a file.
type poppler struct {
	*bufio.Scanner // the lines of what it writes
	cmd            *exec.Cmd
	cancel         context.CancelFunc
	out            io.ReadCloser
	says           beginning
}

type starter func(program string, args ...string) (*poppler, error)

// startPoppler starts a program, which ends with the context at the latest. It takes the password of
// the file, if any, for that of whoever reads it and for the owner's.
func startPoppler(ctx context.Context, password, program string, args ...string) (*poppler, error) {
	if password != "" {
		args = append([]string{"-upw", password, "-opw", password}, args...)
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &poppler{cmd: exec.CommandContext(ctx, program, args...), cancel: cancel}
	p.cmd.Stderr = &p.says
	p.cmd.WaitDelay = time.Second
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	p.out, p.Scanner = out, bufio.NewScanner(out)
	p.Buffer(nil, popplerLine)
	return p, nil
}

// wait ends a program whose output was read to its end, and returns what it said of the file.
func (p *poppler) wait() (says string, err error) {
	if err = p.Err(); err != nil {
		p.cancel()
	}
	if e := p.cmd.Wait(); err == nil {
		err = e
	}
	p.cancel()
	return p.says.String(), err
}

// stop ends a program from which nothing more is wanted.
func (p *poppler) stop() {
	p.cancel()
	_ = p.cmd.Wait() // it was killed, or it is no longer of interest
}

// beginning keeps the first bytes that are written to it.
type beginning struct{ strings.Builder }

// Write never fails: what is too much is left out.
func (b *beginning) Write(p []byte) (int, error) {
	b.Builder.Write(p[:min(len(p), popplerWords-b.Len())])
	return len(p), nil
}
