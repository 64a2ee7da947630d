package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/documents"
	"fusebox/agent/ranking"
	"fusebox/agent/retrieval"
	"fusebox/agent/service"
	"fusebox/agent/vectors"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// measuredLibrary is the documents of one person, in a folder of its own.
type measuredLibrary struct {
	db        *store.Store
	database  string
	user      string
	documents *service.Documents
	ids       map[string]string // of documents, by their names
	names     map[string]string // by their ids
	later     []func() error    // versions that are added once the first ones have been read
	passages  int
	work      sync.WaitGroup
}

type opener func() (io.ReadCloser, error)

func (p process) newMeasuredLibrary(ctx context.Context, c config.Config, reader documents.Reader) (*measuredLibrary, error) {
	db, err := p.openStore(ctx, c)
	if err != nil {
		return nil, err
	}
	l := &measuredLibrary{db: db, database: c.Database, user: newID(), ids: map[string]string{}, names: map[string]string{}}
	if err := db.CreateUser(agent.WithViewer(ctx, shell()), agent.User{ID: l.user, Email: "measure@example.org", Role: agent.RoleUser, CreatedAt: time.Now()}, ""); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	shelf, err := documents.OpenShelf(c.Data)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	log := slog.New(slog.DiscardHandler)
	// One after the other: what answers as well comes in their order, the same each time.
	queue := &documents.Queue{Store: db, Shelf: shelf, Reader: reader, Parallel: 1, Clock: agent.SystemClock{}, Log: log}
	l.documents = &service.Documents{Store: db, Shelf: shelf, Queue: queue, Clock: agent.SystemClock{}, NewID: newID, Log: log}
	l.work.Go(func() { queue.Run(ctx) })
	return l, nil
}

func (l *measuredLibrary) close(end func()) error {
	end()
	l.work.Wait()
	return l.db.Close()
}

// add adds a file; another version of one takes its place once that has been read.
func (l *measuredLibrary) add(ctx context.Context, name string, version int, open opener) error {
	if version > 0 {
		l.later = append(l.later, func() error {
			return within(open, func(content io.Reader) error {
				_, err := l.documents.Replace(ctx, l.user, l.ids[name], content)
				return err
			})
		})
		return nil
	}
	return within(open, func(content io.Reader) error {
		d, err := l.documents.Add(ctx, l.user, "", name, content)
		if err != nil {
			return fmt.Errorf("%s: %w", name, shown(err))
		}
		l.ids[name] = d.ID
		if d.DuplicateOf == "" {
			l.names[d.ID] = name
		} else {
			l.ids[name] = d.DuplicateOf // either of the names answers
		}
		return nil
	})
}

func within(open opener, use func(io.Reader) error) error {
	content, err := open()
	if err != nil {
		return err
	}
	return errors.Join(use(content), content.Close())
}

// readPause is how long is waited before it is looked again whether all has been read.
const readPause = 20 * time.Millisecond

// read waits until all files have been read, adds the later versions, and waits for these. It
// says which files have no text.
func (l *measuredLibrary) read(ctx context.Context, say func(string, ...any)) error {
	if err := l.wait(ctx); err != nil {
		return err
	}
	for _, add := range l.later {
		if err := add(); err != nil {
			return err
		}
	}
	if err := l.wait(ctx); err != nil {
		return err
	}
	for p := (agent.Page{}); ; {
		found, next, err := l.db.Documents(ctx, agent.DocumentFilter{UserID: l.user, In: agent.Everything()}, p)
		if err != nil {
			return err
		}
		for _, d := range found {
			if d.State == agent.DocumentFailed && d.DuplicateOf == "" {
				say("%s has no text: %s", l.names[d.ID], d.Reading.Problem)
			}
		}
		if p.Cursor = next; next == "" {
			break
		}
	}
	counts, err := l.db.CountVectors(ctx, 0, l.user)
	l.passages = int(counts.Passages)
	return err
}

func (l *measuredLibrary) wait(ctx context.Context) error {
	return untilDone(ctx, func() (bool, error) {
		n, err := l.db.CountDocuments(ctx, l.user, agent.Everything())
		return n.Reading == 0, err
	})
}

func untilDone(ctx context.Context, done func() (bool, error)) error {
	again := time.NewTicker(readPause)
	defer again.Stop()
	for {
		if is, err := done(); is || err != nil {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return errors.New("interrupted: nothing was measured to the end")
		}
	}
}

// know checks that the library has the documents that questions name, by their paths or by the
// last part of these, and has the questions name them by their paths.
func (l *measuredLibrary) know(questions []retrieval.Question, file string) error {
	paths := map[string][]string{}
	for name := range l.ids {
		paths[name] = append(paths[name], name)
		if base := path.Base(name); base != name {
			paths[base] = append(paths[base], name)
		}
	}
	for i, q := range questions {
		var names []string
		for _, name := range q.Documents {
			if len(paths[name]) == 0 {
				return usagef("%s: the question %q: field \"document\": there is no file %q", file, q.Text, name)
			}
			for _, p := range paths[name] {
				names = append(names, l.names[l.ids[p]])
			}
		}
		questions[i].Documents = names
	}
	return nil
}

// hits are what was found, as it is compared with the answers.
func (l *measuredLibrary) hits(found []agent.Found, err error) ([]retrieval.Hit, error) {
	var hits []retrieval.Hit
	for _, f := range found {
		hits = append(hits, retrieval.Hit{Document: l.names[f.DocumentID], Text: strings.Join(append(f.Headings, f.Head, f.Text), "\n")})
	}
	return hits, err
}

func (l *measuredLibrary) search(question string) agent.Search {
	return agent.Search{UserID: l.user, In: agent.Everything(), Query: question, Limit: retrieval.Limit}
}

func (l *measuredLibrary) byWords() retrieval.Way {
	return retrieval.Way{Name: "words", Find: func(ctx context.Context, question string) ([]retrieval.Hit, error) {
		return l.hits(l.db.FindPassages(ctx, l.search(question)))
	}}
}

// tokens is about how many it takes to embed everything.
func (l *measuredLibrary) tokens(ctx context.Context, counter agent.TokenCounter, questions []retrieval.Question) (u agent.Usage, err error) {
	all, err := l.db.CountVectors(ctx, 0, l.user)
	u.InputTokens = all.Terms // a term is about a token
	for _, q := range questions {
		u.InputTokens += counter.CountText(q.Text)
	}
	return u, err
}

// questionsAtOnce is how many questions are embedded with one call.
const questionsAtOnce = 32

// byVectors has everything embedded, and finds by vectors alone and with words.
func (l *measuredLibrary) byVectors(ctx context.Context, by interface {
	agent.Embedder
	agent.TokenCounter
}, model string, questions []retrieval.Question) ([]retrieval.Way, error) {
	index, err := vectors.New(ctx, vectors.Options{
		Store: l.db, Embedder: by, Counter: by, Model: model, Price: func(string) (agent.Price, bool) { return agent.Price{}, false },
		Clock: agent.SystemClock{}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	l.work.Go(func() { index.Run(ctx) })
	if err := untilDone(ctx, func() (bool, error) {
		s, err := index.Status(ctx, "")
		if err == nil && s.Problem != "" {
			err = fmt.Errorf("%s embeds nothing: %s", model, s.Problem)
		}
		return s.Embedded == s.Passages, err
	}); err != nil {
		return nil, err
	}
	known, err := l.db.UseVectorModel(ctx, model)
	if err != nil {
		return nil, err
	}
	asked := map[string]ranking.Vector{}
	for some := range slices.Chunk(questions, questionsAtOnce) {
		var texts []string
		for _, q := range some {
			texts = append(texts, q.Text)
		}
		e, err := by.Embed(ctx, agent.EmbeddingRequest{Model: model, Texts: texts})
		if err != nil {
			return nil, fmt.Errorf("embed questions: %w", err)
		}
		for i, v := range e.Vectors {
			if asked[texts[i]], err = ranking.NewVector(v); err != nil {
				return nil, fmt.Errorf("embed %q: %w", texts[i], err)
			}
		}
	}
	return []retrieval.Way{
		{Name: "vectors", Find: func(ctx context.Context, question string) ([]retrieval.Hit, error) {
			return l.hits(l.db.FindNearest(ctx, l.search(question), known, asked[question]))
		}},
		{Name: "both", Find: func(ctx context.Context, question string) ([]retrieval.Hit, error) {
			return l.hits(l.db.FindByMeaning(ctx, l.search(question), known, asked[question]))
		}},
	}, nil
}
