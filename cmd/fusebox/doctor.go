package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"fusebox/agent/sandbox"
)

// doctor says what this machine allows a server of this configuration, by trying it.
func (p process) doctor(_ context.Context, args []string) error {
	c, rest, err := p.loadConfig("doctor", args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usagef("unexpected argument %q", rest[0])
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return fmt.Errorf("data folder %s cannot be created: %w", c.Data, err)
	}
	box, err := newSandbox(&c, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if err := tellWalls(p.stdout, c.Tool.Sandbox, box.Walls()); err != nil {
		return err
	}
	if !box.Walls().Hold() {
		return errTripped
	}
	return nil
}

// tellWalls lists what is kept from commands, and what follows.
func tellWalls(out io.Writer, mode string, walls sandbox.Walls) error {
	var b strings.Builder
	fmt.Fprintf(&b, "sandbox\ttool.sandbox = %s\n", mode)
	for _, wall := range sandbox.AllWalls {
		state := "not kept from commands"
		if walls.Has(wall) {
			state = "kept from commands"
		}
		fmt.Fprintf(&b, "  %s\t%s\n", wall, state)
	}
	by := "nothing"
	if len(walls.By) > 0 {
		by = strings.Join(walls.By, ", ")
	}
	fmt.Fprintf(&b, "  made of\t%s\n", by)
	switch {
	case walls.Hold():
		fmt.Fprintln(&b, "  so\tcommands reach nothing that is not theirs")
	case mode == string(sandbox.Required):
		fmt.Fprintln(&b, "  so\tevery command is refused")
	default:
		fmt.Fprintln(&b, "  so\tevery command asks, in every mode")
	}
	_, err := io.WriteString(out, b.String())
	return err
}
