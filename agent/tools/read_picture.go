package tools

import (
	"errors"
	"io"
	"os"

	"fusebox/agent"
	"fusebox/agent/tools/picture"
)

// sniffed is how many bytes say what a file is.
const sniffed = 512

// picture is a file of a workspace as a result, if it is a picture that can be shown.
func (w workspaces) picture(root *os.Root, name string) (res agent.ToolResult, ok bool) {
	f, err := w.openFile(root, name)
	if err != nil {
		return res, false
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Size() > agent.MaxImageBytes {
		return res, false
	}
	start := make([]byte, sniffed)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || picture.TypeOf(start[:n]) == "" {
		return res, false
	}
	rest, err := io.ReadAll(io.LimitReader(f, agent.MaxImageBytes))
	if err != nil {
		return res, false
	}
	var roll picture.Roll
	res.Content = roll.Add(append(start[:n], rest...))
	res.Images = roll.Images
	return res, res.Content != ""
}
