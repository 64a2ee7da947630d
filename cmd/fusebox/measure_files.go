package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"fusebox/agent"
	"fusebox/agent/reading"
	"fusebox/agent/retrieval"
)

// plainReader reads files that come with the program in this process.
type plainReader struct{}

func (plainReader) Read(ctx context.Context, d agent.Document, _ string, file *os.File) (agent.Reading, error) {
	return reading.Read(ctx, d.Name, file, d.Bytes, reading.Options{}), nil
}

// toMeasure is what is asked, and what hands over the files that it is asked about: a name, the
// version from 0, and the content.
func (p process) toMeasure(f measureFlags) (questions []retrieval.Question, each func(add func(string, int, opener) error) error, err error) {
	if f.documents == "" {
		part := 1
		if f.quick {
			part = quickPart
		}
		corpus, err := retrieval.New(part)
		return corpus.Questions, func(add func(string, int, opener) error) error {
			for _, d := range corpus.Documents {
				for i, text := range d.Versions {
					if err := add(d.Name, i, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }); err != nil {
						return err
					}
				}
			}
			return nil
		}, err
	}
	file, err := os.Open(f.questions)
	if err != nil {
		return nil, nil, usagef("flag --questions: %v", err)
	}
	defer func() { _ = file.Close() }()
	if questions, err = retrieval.ReadQuestions(file); err != nil {
		return nil, nil, usagef("%s: %v", f.questions, err)
	}
	root, err := os.OpenRoot(f.documents)
	if err != nil {
		return nil, nil, usagef("flag --documents: %v", err)
	}
	return questions, func(add func(string, int, opener) error) error {
		return errors.Join(eachFile(root, add), root.Close())
	}, nil
}

// eachFile hands over the files of a folder and of those in it, without hidden ones.
func eachFile(root *os.Root, add func(string, int, opener) error) error {
	n := 0
	return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(e.Name(), ".") && e.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular():
			return nil
		}
		if n++; n > agent.MaxDocuments {
			return usagef("flag --documents: there are more than %d files", agent.MaxDocuments)
		}
		return add(name, 0, func() (io.ReadCloser, error) { return root.Open(name) })
	})
}
