package tools

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// instructionsSuffix ends the names of files with instructions for a tool; maxInstructions
// bounds one of them in bytes.
const (
	instructionsSuffix = ".jit.md"
	maxInstructions    = 16 << 10
)

// Instructions reads what a folder says of tools, by their names: TOOL.jit.md each.
func Instructions(folder string) (map[string]string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, f := range list {
		name, ok := strings.CutSuffix(f.Name(), instructionsSuffix)
		if !ok || name == "" {
			continue
		}
		if texts[name], err = readInstructions(root, f.Name()); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return texts, nil
}

func readInstructions(root *os.Root, name string) (string, error) {
	info, err := root.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxInstructions {
		return "", fmt.Errorf("it must be a file of at most %d bytes", maxInstructions)
	}
	text, err := root.ReadFile(name)
	if err == nil && !utf8.Valid(text) {
		err = errors.New("it is not UTF-8 text")
	}
	return strings.TrimSpace(string(text)), err
}
