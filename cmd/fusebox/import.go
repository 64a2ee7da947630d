package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"fusebox/agent"
	"fusebox/agent/imports"
	"fusebox/agent/service"
)

// importFiles hands a folder, an archive, or bookmarks over to the server, which unpacks it.
func (p process) importFiles(ctx context.Context, args []string) error {
	var email string
	var said service.NewImport
	rest, err := split(args, map[string]func(string){"user": once(&email), "name": once(&said.Name)}, map[string]*bool{"fetch": &said.Fetch})
	if err != nil {
		return err
	}
	from, c, err := p.loadWithFile("import", rest)
	if err != nil {
		return err
	}
	if email == "" {
		return usagef("flag --user: is missing; say whose documents they will be")
	}
	each, err := filesOf(from)
	if err != nil {
		return err
	}
	var in agent.Import
	err = p.withAccount(ctx, c, email, func(ctx context.Context, users *service.Users, id string) (err error) {
		in, err = users.Documents.Import(ctx, id, each, func() service.NewImport { return said })
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s has arrived: %d bytes. A running server imports it within seconds; /documents/import says what becomes of it.\n", in.Name, in.Bytes)
	return err
}

// filesOf hands over what is at a path: a file, or the files of a folder without what is linked into it.
func filesOf(from string) (imports.Each, error) {
	full, err := filepath.Abs(from)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(full)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return func(take func(string, io.Reader) error) error {
			return withFile(os.DirFS(filepath.Dir(full)), filepath.Base(full), filepath.Base(full), take)
		}, nil
	}
	return func(take func(string, io.Reader) error) error {
		folder, err := os.OpenRoot(full)
		if err != nil {
			return err
		}
		walked := fs.WalkDir(folder.FS(), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			return withFile(folder.FS(), name, path.Join(filepath.Base(full), name), take)
		})
		return errors.Join(walked, folder.Close())
	}, nil
}

func withFile(in fs.FS, name, called string, take func(string, io.Reader) error) error {
	f, err := in.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(take(called, f), f.Close())
}
