package tools

import (
	"context"
	_ "embed" // the description is a file
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"fusebox/agent"
)

//go:embed list_files.md
var listFilesText string

const (
	maxEntries = 1000
	// maxFolder bounds how much of a folder is read to sort it.
	maxFolder = 20_000
)

type listFiles struct{ spaces workspaces }

func (listFiles) Spec() agent.ToolSpec {
	s := builtin("list_files", listFilesText, `{
		"type": "object", "additionalProperties": false,
		"properties": {"path": {"type": "string", "maxLength": 1000, "description": "A folder of the workspace; . or nothing is the workspace itself"}}
	}`)
	s.Set, s.Effect, s.Risk, s.Idempotent = agent.FileTools, agent.EffectRead, agent.RiskLow, true
	return s
}

func (t listFiles) Run(_ context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ Path string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	if args.Path == "" {
		args.Path = "."
	}
	root, name, err := t.spaces.reach(in.ConversationID, args.Path)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	defer func() { _ = root.Close() }()
	entries, err := readFolder(root, name)
	if err != nil {
		return fileFailure(args.Path, err)
	}
	if len(entries) == 0 {
		return agent.ToolResult{Content: args.Path + " is empty."}
	}
	return agent.ToolResult{Content: listing(entries)}
}

// readFolder reads a folder's entries up to a bound, sorted by name.
func readFolder(root *os.Root, name string) ([]fs.DirEntry, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("it is not a folder; read it with read_file")
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY, 0) // a file in its place by now stays closed
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(maxFolder + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func listing(entries []fs.DirEntry) string {
	var b strings.Builder
	for _, e := range entries[:min(len(entries), maxEntries)] {
		b.WriteString(entryLine(e))
	}
	switch more := len(entries) - maxEntries; {
	case len(entries) > maxFolder:
		fmt.Fprintf(&b, "[… and more than %d more …]\n", maxFolder-maxEntries)
	case more > 0:
		fmt.Fprintf(&b, "[… and %d more …]\n", more)
	}
	return b.String()
}

// plainName is one line whatever the name is: one with a line feed in it must
// not pass for two files.
func plainName(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

func entryLine(e fs.DirEntry) string {
	name := plainName(e.Name())
	if e.IsDir() {
		return name + "/\n"
	}
	info, err := e.Info()
	if err != nil {
		return name + "\n" // gone since the folder was read
	}
	return fmt.Sprintf("%s\t%d bytes\n", name, info.Size())
}
