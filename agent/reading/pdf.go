package reading

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"

	"fusebox/agent"
)

// readPDF reads a PDF with the programs of poppler, which run as children of this process.
func readPDF(ctx context.Context, in input, b *builder) agent.DocumentProblem {
	path, err := spool(in)
	if err != nil {
		return agent.ProblemStopped
	}
	defer func() { _ = os.Remove(path) }()
	ctx, cancel := context.WithTimeout(ctx, popplerTime)
	defer cancel()
	p, err := startPoppler(ctx, in.options.Password, "pdftotext", "-bbox-layout", "-cropbox", "-enc", "UTF-8", path, "-")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return agent.ProblemNoReader
	case err != nil:
		return agent.ProblemStopped
	}
	checking, done := context.WithTimeout(ctx, checkTime)
	defer done()
	start := func(program string, args ...string) (*poppler, error) {
		return startPoppler(checking, in.options.Password, program, args...)
	}
	pdf := pdfReading{pages: pdfPages{poppler: p}, sight: newSight(start, path), builder: b}
	defer pdf.sight.stop()
	return pdf.read(ctx)
}

// spool copies a file to where a program finds it.
func spool(in input) (path string, err error) {
	file, err := os.CreateTemp("", "*.pdf")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, io.NewSectionReader(in.file, 0, in.size))
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name())
	}
	return file.Name(), err
}

// pdfReading is a PDF that is being read.
type pdfReading struct {
	*builder
	pages    pdfPages
	sight    *sight
	textless []int // pages
	words    int   // pages that have some
}

func (r *pdfReading) read(ctx context.Context) agent.DocumentProblem {
	for page := r.pages.next(); page != nil; page = r.pages.next() {
		r.reading.Title = r.pages.title
		r.page(page.number, "")
		if r.isFull {
			r.pages.stop()
			return ""
		}
		hidden, sure := r.sight.check(page)
		if hidden > 0 {
			r.noteHere(agent.NoteHidden, hidden)
		}
		if len(page.words) == 0 {
			r.textless = append(r.textless, page.number)
			continue
		}
		r.words++
		if !sure {
			r.noteHere(agent.NoteUnchecked, 0)
		}
		r.write(page.text())
	}
	says, err := r.pages.wait()
	if ctx.Err() != nil && r.words > 0 {
		r.note(agent.ReadingNote{Code: agent.NoteCut})
		err = nil
	}
	return r.problem(says, err)
}

// problem says what came of it, by what pdftotext said of the file.
func (r *pdfReading) problem(says string, err error) agent.DocumentProblem {
	faulty := err != nil || strings.Contains(says, "Syntax Error")
	switch {
	case strings.Contains(says, "Incorrect password"):
		if r.options.Password != "" {
			r.note(agent.ReadingNote{Code: agent.NotePassword})
		}
		return agent.ProblemLocked
	case strings.Contains(says, "Missing language pack"):
		return agent.ProblemUnreadable
	case r.pages.count == 0, r.words == 0 && faulty:
		return agent.ProblemBroken
	case r.words == 0:
		return agent.ProblemScan
	case faulty:
		r.note(agent.ReadingNote{Code: agent.NoteBroken, Pages: r.textless})
	case len(r.textless) > 0:
		r.note(agent.ReadingNote{Code: agent.NoteNoText, Pages: r.textless})
	}
	return ""
}
