package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"fusebox/agent"
	"fusebox/agent/sandbox"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// doctor says what this machine allows a server of this configuration, by trying it.
func (p process) doctor(ctx context.Context, args []string) error {
	c, err := p.loadAlone("doctor", "", args)
	if err != nil {
		return err
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
	searches, err := p.tellSearch(ctx, &c)
	if err != nil {
		return err
	}
	embeds, err := p.tellEmbedding(ctx, c)
	if err != nil {
		return err
	}
	if !box.Walls().Hold() || !searches || !embeds {
		return errTripped
	}
	return nil
}

// tellSearch tries the service that searches the web, and reports whether it answers
// where there is one.
func (p process) tellSearch(ctx context.Context, c *config.Config) (ok bool, err error) {
	w, err := newWeb(c, slog.New(slog.DiscardHandler))
	if err != nil {
		return false, err
	}
	so, ok := "nothing is searched", true
	if w.Search() != nil {
		so = "searches are answered"
		if err := w.Search().Check(ctx); err != nil {
			so, ok = err.Error(), false
		}
	}
	_, err = fmt.Fprintf(p.stdout, "web\tweb.search_provider = %s\n  so\t%s\n", c.Web.Provider, so)
	return ok, err
}

// tellEmbedding tries the model that embeds documents, and reports whether it answers where
// there is one.
func (p process) tellEmbedding(ctx context.Context, c config.Config) (ok bool, err error) {
	if c.EmbeddingModel == "" {
		return true, nil
	}
	db, err := p.openStore(ctx, c)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	models, err := embedders(ctx, &c, db)
	if err != nil {
		return false, err
	}
	e, failed := models.router.Embed(ctx, agent.EmbeddingRequest{Model: c.EmbeddingModel, Texts: []string{"pump"}, Once: true})
	all, err := db.CountVectors(ctx, 0, "")
	if err != nil {
		return false, err
	}
	var so string
	if failed != nil {
		so = failed.Error()
	} else {
		so = fmt.Sprintf("documents are found by meaning, too, with vectors of %d dimensions", len(e.Vectors[0]))
	}
	_, err = fmt.Fprintf(p.stdout, "documents\tknowledge.embedding_model = %s\n  passages\t%d, about %d tokens in all\n  so\t%s\n", c.EmbeddingModel, all.Passages, all.Terms, so)
	return failed == nil, err
}

// embedders are the endpoints that embed, the demo model's among them until ctx ends.
func embedders(ctx context.Context, c *config.Config, db *store.Store) (*outlet, error) {
	connections, err := db.Connections(ctx)
	if err != nil {
		return nil, err
	}
	if c.UsesDemo() {
		if err := startDemo(ctx, c); err != nil {
			return nil, err
		}
	}
	return newOutlet(ctx, *c, slog.New(slog.DiscardHandler), connections, nil)
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
