package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"fusebox/agent/demo"
	"fusebox/agent/documents"
	"fusebox/agent/documents/child"
	"fusebox/agent/retrieval"
	"fusebox/cmd/fusebox/config"
)

const measureUsage = "usage: fusebox measure [--documents DIR --questions FILE] [--yes] [--quick] [--json] [flags]"

// quickPart is the part of the corpus that --quick measures: one in so many.
const quickPart = 12

// maxMissed is how many questions that are not answered are printed.
const maxMissed = 50

type measureFlags struct {
	documents, questions string
	yes, quick, json     bool
}

// measured is what fusebox measure prints as JSON.
type measured struct {
	Documents int `json:"documents"`
	Passages  int `json:"passages"`
	Questions int `json:"questions"`
	// Model is the one that embeds, "" where words alone were compared.
	Model   string              `json:"model,omitempty"`
	Figures []retrieval.Figures `json:"figures"`
	Missed  []missed            `json:"missed"`
}

// missed is a question that is not answered right, with the documents that were found.
type missed struct {
	Way      string   `json:"way"`
	Kind     string   `json:"kind,omitempty"`
	Question string   `json:"question"`
	Want     []string `json:"want"`
	Found    []string `json:"found"`
}

// measure is fusebox measure: how well questions about documents are answered, those that come
// with the program or somebody's own.
func (p process) measure(ctx context.Context, args []string) error {
	var f measureFlags
	rest, err := split(args, map[string]func(string){"documents": once(&f.documents), "questions": once(&f.questions)},
		map[string]*bool{"yes": &f.yes, "quick": &f.quick, "json": &f.json})
	if err != nil {
		return err
	}
	c, rest, err := p.loadConfig("measure", rest)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return usagef("unexpected argument %q\n%s", rest[0], measureUsage)
	case (f.documents == "") != (f.questions == ""):
		return usagef("flags --documents and --questions belong together\n%s", measureUsage)
	case f.documents != "" && f.quick:
		return usagef("flag --quick: it is for the documents that come with the program")
	}
	dir, err := os.MkdirTemp("", "fusebox-measure-")
	if err != nil {
		return fmt.Errorf("make a temporary folder: %w", err)
	}
	result, ways, err := p.measureIn(ctx, dir, c, f)
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		return err
	}
	return p.printMeasured(result, ways, f)
}

func (p process) measureIn(ctx context.Context, dir string, c config.Config, f measureFlags) (m measured, ways []retrieval.Way, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	own, demonstrated := f.documents == "", f.documents == "" && (!f.yes || c.EmbeddingModel == "")
	questions, files, err := p.toMeasure(f)
	if err != nil {
		return m, nil, err
	}
	var reader documents.Reader = plainReader{}
	inside := c // the same settings on data of its own
	inside.Data, inside.Database = dir, filepath.Join(dir, "fusebox.db")
	if demonstrated {
		inside.EmbeddingModel, inside.BaseURL, inside.APIKey, inside.Providers = demo.EmbeddingModel, "", "", nil
	}
	if !own {
		if reader, err = childReader(&inside); err != nil {
			return m, nil, err
		}
	}
	l, err := p.newMeasuredLibrary(ctx, inside, reader)
	if err != nil {
		return m, nil, err
	}
	defer func() { err = errors.Join(err, l.close(cancel)) }()
	if err := files(func(name string, version int, content opener) error { return l.add(ctx, name, version, content) }); err != nil {
		return m, nil, err
	}
	if err := l.read(ctx, p.say); err != nil {
		return m, nil, err
	}
	if err := l.know(questions, f.questions); err != nil {
		return m, nil, err
	}
	ways = []retrieval.Way{l.byWords()}
	if own {
		ways = append(ways, l.byWords().Again())
	}
	if inside.EmbeddingModel != "" {
		from := c
		if demonstrated {
			from = inside
		}
		more, err := p.measureVectors(ctx, l, from, questions, demonstrated || f.yes)
		if err != nil {
			return m, nil, err
		}
		if ways = append(ways, more...); len(more) > 0 {
			m.Model = inside.EmbeddingModel
		}
	}
	m.Documents, m.Passages, m.Questions, m.Missed = len(l.ids), l.passages, len(questions), []missed{}
	m.Figures, err = retrieval.Measure(ctx, questions, ways, func(way string, q retrieval.Question, found []retrieval.Hit) {
		one := missed{Way: way, Kind: q.Kind, Question: q.Text, Want: append([]string{}, q.Documents...), Found: []string{}}
		for _, h := range found[:min(len(found), 3)] {
			one.Found = append(one.Found, h.Document)
		}
		m.Missed = append(m.Missed, one)
	})
	return m, ways, err
}

// measureVectors has passages and questions embedded by the model of the configuration, once
// it is agreed to what that takes.
func (p process) measureVectors(ctx context.Context, l *measuredLibrary, c config.Config, questions []retrieval.Question, agreed bool) ([]retrieval.Way, error) {
	db := l.db
	if c.Database != l.database { // connected endpoints are in the server's database
		var err error
		if db, err = p.openStore(ctx, c); err != nil {
			return nil, err
		}
		defer func() { _ = db.Close() }()
	}
	models, err := embedders(ctx, &c, db)
	if err != nil {
		return nil, err
	}
	book := newBook(c, db, models.Names)
	if err := book.Load(ctx); err != nil {
		return nil, err
	}
	price, priced := book.Price(c.EmbeddingModel, time.Now())
	tokens, err := l.tokens(ctx, models.router, questions)
	if err != nil {
		return nil, err
	}
	if !agreed {
		costs := "an unknown price"
		if priced {
			costs = "$" + strconv.FormatFloat(float64(price.Cost(tokens))/1e6, 'f', 4, 64)
		}
		p.say("words alone are measured: with %s, about %d tokens would be sent, for about %s; --yes measures with it as well", c.EmbeddingModel, tokens.InputTokens, costs)
		return nil, nil
	}
	return l.byVectors(ctx, models.router, c.EmbeddingModel, questions)
}

// childReader reads files as a server does, behind walls.
func childReader(c *config.Config) (documents.Reader, error) {
	box, err := newSandbox(c, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program itself: %w", err)
	}
	return child.Child{Box: box, Program: program, Path: c.Path}, nil
}

func (p process) printMeasured(m measured, ways []retrieval.Way, f measureFlags) error {
	if f.json {
		return p.encoder("  ").Encode(m)
	}
	with := ""
	if m.Model != "" {
		with = ", embedded by " + m.Model
	}
	if _, err := fmt.Fprintf(p.stdout, "%d questions about %d documents in %d passages%s\n\n", m.Questions, m.Documents, m.Passages, with); err != nil {
		return err
	}
	if err := retrieval.Print(p.stdout, m.Figures, ways); err != nil || f.documents == "" {
		return err
	}
	for _, q := range m.Missed[:min(len(m.Missed), maxMissed)] {
		if _, err := fmt.Fprintf(p.stdout, "\n%s: %s\n  want  %q\n  found %q\n", q.Way, q.Question, q.Want, q.Found); err != nil {
			return err
		}
	}
	if more := len(m.Missed) - maxMissed; more > 0 {
		p.say("%d more are not answered right; --json lists all", more)
	}
	return nil
}
