package reading

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"fusebox/agent"
)

// archiveTypes tell documents by the names of their entries.
var archiveTypes = []struct {
	pattern string
	is      agent.DocumentType
}{
	{"word/document*.xml", agent.TypeWord},
	{"xl/workbook.xml", agent.TypeExcel},
	{"xl/worksheets/*.xml", agent.TypeExcel},
	{"ppt/presentation.xml", agent.TypeSlides},
	{"ppt/slides/*.xml", agent.TypeSlides},
}

// typeOfArchive says what document a ZIP archive is. One that only its name calls a document
// is not what the format demands.
func typeOfArchive(in input) (agent.DocumentType, agent.DocumentProblem) {
	named, _ := TypeOfName(in.name)
	a, err := openArchive(context.Background(), in)
	if whole, ok := errors.AsType[failure](err); ok {
		return named, agent.DocumentProblem(whole)
	}
	if a.isBook() {
		return agent.TypeBook, ""
	}
	for _, t := range archiveTypes {
		for name := range a.entries {
			if found, _ := path.Match(t.pattern, name); found {
				return t.is, ""
			}
		}
	}
	switch named {
	case agent.TypeWord, agent.TypeExcel, agent.TypeSlides, agent.TypeBook:
		if a.saysTooLarge(in.options.Unpacked) {
			return named, agent.ProblemTooLarge
		}
		return named, agent.ProblemBroken
	default:
		return "", agent.ProblemUnsupported
	}
}

// isBook reports whether an archive says that it is a book; some only have what a book needs.
func (a *archive) isBook() bool {
	const mimetype, book = "mimetype", "application/epub+zip"
	if !a.has(mimetype) {
		return a.has("META-INF/container.xml")
	}
	source, err := a.open(mimetype)
	if err != nil {
		return false
	}
	raw, _ := io.ReadAll(io.LimitReader(source, 2*int64(len(book))))
	return strings.TrimSpace(string(raw)) == book
}
