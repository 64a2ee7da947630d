package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"fusebox/agent/tools"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// backup is fusebox backup.
func (p process) backup(ctx context.Context, args []string) error {
	file, c, err := p.loadWithFile("backup", args)
	if err != nil {
		return err
	}
	left, err := backUp(ctx, c, file)
	if err != nil {
		return err
	}
	for _, name := range left {
		p.say("left out, because it is too large: %s", name)
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("check the backup: %w", err)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %d bytes\n", file, info.Size())
	return err
}

// backUp writes a backup with the files of the data folder, where there is one: a
// database may be elsewhere.
func backUp(ctx context.Context, c config.Config, file string) (left []string, err error) {
	data, err := os.OpenRoot(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return store.Backup(ctx, c.Database, file, store.Files{})
	}
	if err != nil {
		return nil, fmt.Errorf("open the data folder: %w", err)
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	return store.Backup(ctx, c.Database, file, store.Files{FS: data.FS(), Folders: tools.Folders()})
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
	n, err := store.Restore(ctx, file, c.Database, data)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s: restored, files of workspaces and outputs: %d\n", c.Database, n)
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
