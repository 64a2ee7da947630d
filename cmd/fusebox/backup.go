package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"fusebox/agent"
	"fusebox/agent/documents"
	"fusebox/agent/tools"
	"fusebox/cmd/fusebox/config"
	"fusebox/store/backup"
)

func (p process) backup(ctx context.Context, args []string) error {
	file, c, err := p.loadWithFile("backup", args)
	if err != nil {
		return err
	}
	made, err := backUp(ctx, c, file)
	if err != nil {
		return err
	}
	for _, l := range append(made.Missing, made.Empty...) {
		p.say("left out: %s: %s", l.Name, cmp.Or(l.Detail, reasons[l.Why]))
	}
	if made.More > 0 {
		p.say("left out: %d more files", made.More)
	}
	if err := backup.Note(ctx, c.Database, made); err != nil {
		p.say("the page Storage does not know of this backup: %v", err)
	}
	if _, err := fmt.Fprintf(p.stdout, "%s: %d bytes\n", file, made.Bytes); err != nil {
		return err
	}
	if n := made.MissingCount(); n > 0 {
		p.say("files that the backup lacks: %d", n)
		return errTripped
	}
	return nil
}

// reasons say why a backup lacks a file, where the system has said nothing.
var reasons = map[agent.MissingReason]string{
	agent.MissingTooLarge: "it is larger than 512 MB",
	agent.MissingTooDeep:  "it is more than 256 folders deep",
	agent.MissingNoFile:   "it is a socket, a pipe, or a device",
}

// backUp writes a backup with the files of the data folder, where there is one: a
// database may be elsewhere.
func backUp(ctx context.Context, c config.Config, file string) (made agent.Backup, err error) {
	data, err := os.OpenRoot(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return backup.Create(ctx, c.Database, file, backup.Files{})
	}
	if err != nil {
		return made, fmt.Errorf("open the data folder: %w", err)
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	return backup.Create(ctx, c.Database, file, backup.Files{Root: data, Folders: append(tools.Folders(), documents.Folder)})
}

// restore is fusebox restore. It needs a data folder without a database and without a
// server.
func (p process) restore(ctx context.Context, args []string) (err error) {
	file, c, err := p.loadWithFile("restore", args)
	if err != nil {
		return err
	}
	release, err := lockData(c.Data, c.Database)
	if err != nil {
		return err
	}
	defer release()
	data, err := os.OpenRoot(c.Data)
	if err != nil {
		return fmt.Errorf("open the data folder: %w", err)
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	n, err := backup.Restore(ctx, file, c.Database, data)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s: restored, files of workspaces, outputs, and documents: %d\n", c.Database, n)
	return err
}

// loadWithFile reads the settings of a command that takes one file.
func (p process) loadWithFile(name string, args []string) (file string, c config.Config, err error) {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		file, args = args[0], args[1:]
	}
	c, rest, err := p.loadConfig(name, args)
	if err == nil && file == "" && len(rest) == 1 {
		file, rest = rest[0], nil
	}
	if err == nil && (file == "" || len(rest) > 0) {
		err = usagef("usage: fusebox %s FILE", name)
	}
	return file, c, err
}
