package child

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/reading"
	"fusebox/agent/sandbox"
)

// Command is the first argument of this program where it is to read a file: the name, the size,
// and the choice of an encoding and a separator follow. The file is the standard input, and the
// Reading goes to the standard output as JSON.
const Command = "read-document"

// passwordVariable has the password of the file, where no list of processes shows it. The programs of
// poppler take it in their arguments alone, which lists of the host's processes show while they run.
const passwordVariable = "FUSEBOX_DOCUMENT_PASSWORD="

// The bounds of one reading.
const (
	readTime   = 60 * time.Second
	readMemory = 1 << 30
	readTemp   = 512 << 20
	readCPU    = 60 * time.Second
	// maxText is how much text is kept of a file. maxOutput bounds what a reader says in all:
	// text in JSON takes at most six times its bytes.
	maxText   = 4 << 20
	maxOutput = 64 << 20
)

// Child reads files with a child process behind walls: without a network, with nothing to
// read but the file, and with limits on time and memory.
type Child struct {
	Box *sandbox.Sandbox
	// Program is this executable.
	Program string
	// Path is the PATH in which the programs of PDF readers are looked up.
	Path string
}

// Read has a child read the file. A child that was ended, or that broke, is a Reading
// with ProblemStopped.
func (c Child) Read(ctx context.Context, d agent.Document, password string, file *os.File) (agent.Reading, error) {
	info, err := file.Stat()
	if err != nil {
		return agent.Reading{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	cmd, room, err := c.Box.Command(ctx, sandbox.Spec{
		Args: []string{c.Program, Command, d.Name, strconv.FormatInt(info.Size(), 10), d.Choice.Encoding, d.Choice.Separator},
		Dir:  "/", Env: []string{"PATH=" + c.Path, "LANG=C.UTF-8", "GOMEMLIMIT=" + strconv.Itoa(readMemory/2), passwordVariable + password}, Read: []string{c.Program},
		Limits: sandbox.Limits{Memory: readMemory, Temp: readTemp, CPU: readCPU, Processes: 64, FileSize: readTemp},
	})
	if err != nil {
		return agent.Reading{}, err
	}
	defer func() { _ = room.Close() }()
	said := &bounded{most: maxOutput}
	cmd.Stdin, cmd.Stdout = file, said
	if err := cmd.Run(); err != nil || said.over {
		return agent.Reading{Problem: agent.ProblemStopped}, nil
	}
	var r agent.Reading
	if err := json.Unmarshal(said.kept.Bytes(), &r); err != nil {
		return agent.Reading{}, fmt.Errorf("understand the reader: %w", err)
	}
	if !sound(r) {
		return agent.Reading{Type: r.Type, Problem: agent.ProblemStopped}, nil
	}
	return r, nil
}

// maxSections and maxHeadings bound what a reader may say of a text.
const (
	maxSections = 150_000
	maxHeadings = 16
)

// sound reports whether what a reader says can be true: its sections follow one another in its
// text. A file that has taken its reader over could say anything.
func sound(r agent.Reading) bool {
	if len(r.Text) > maxText || len(r.Sections) > maxSections || !utf8.ValidString(r.Text) {
		return false
	}
	at := 0
	for _, s := range r.Sections {
		if s.Start < at || s.End < s.Start || s.End > len(r.Text) || len(s.Headings) > maxHeadings ||
			s.Start < len(r.Text) && !utf8.RuneStart(r.Text[s.Start]) || s.End < len(r.Text) && !utf8.RuneStart(r.Text[s.End]) {
			return false
		}
		at = s.End
	}
	return true
}

// bounded keeps what a child says, and no more than it may.
type bounded struct {
	kept bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > b.most {
		b.over = true
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(p)
}

// ReadStdin is the child: it reads the file that is its standard input.
func ReadStdin(ctx context.Context, args, env []string, out io.Writer) error {
	if len(args) != 4 {
		return fmt.Errorf("%s is for the server itself", Command)
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	options := reading.Options{Text: maxText, Choice: agent.ReadingChoice{Encoding: args[2], Separator: args[3]}}
	for _, v := range env {
		if password, found := strings.CutPrefix(v, passwordVariable); found {
			options.Password = password
		}
	}
	return json.NewEncoder(out).Encode(reading.Read(ctx, args[0], os.Stdin, size, options))
}
