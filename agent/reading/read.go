package reading

import (
	"context"
	"errors"
	"io"

	"fusebox/agent"
)

// Options control how a file is read, and how much of it. Zero values mean the defaults.
type Options struct {
	// Choice has what need not be found out.
	Choice agent.ReadingChoice
	// Password opens a file that is locked.
	Password string
	// Unpacked is the number of bytes that may come out of an archive, all entries together:
	// 256 MiB by default.
	Unpacked int64
	// Text is the number of bytes of text that are kept: 16 MiB by default. More is cut, and
	// agent.NoteCut says so.
	Text int
}

type input struct {
	name    string
	file    io.ReaderAt
	size    int64
	options Options
}

// format reads the files of one type into a builder. A problem means that nothing of the file
// can be used: whatever was built is dropped. Where a part can be, it returns "" and notes the rest.
type format func(ctx context.Context, in input, b *builder) agent.DocumentProblem

var formats = map[agent.DocumentType]format{
	agent.TypeText:     readText,
	agent.TypeCode:     readCode,
	agent.TypeMarkdown: readMarkdown,
	agent.TypeHTML:     readHTML,
	agent.TypeCSV:      readCSV,
	agent.TypePDF:      readPDF,
	agent.TypeWord:     archived(readDOCX),
	agent.TypeExcel:    archived(readXLSX),
	agent.TypeSlides:   archived(readPPTX),
	agent.TypeBook:     archived(readEPUB),
}

// Read reads one file. It never fails: a Reading without text says why by its Problem.
func Read(ctx context.Context, name string, file io.ReaderAt, size int64, options Options) agent.Reading {
	if options.Unpacked <= 0 {
		options.Unpacked = 256 << 20
	}
	if options.Text <= 0 {
		options.Text = 16 << 20
	}
	in := input{name, file, size, options}
	b := &builder{options: in.options, notePage: map[noteKey]map[int]bool{}}
	found, problem := detect(in)
	b.reading.Type = found
	if problem == "" {
		if named, known := TypeOfName(name); known && named != found {
			b.note(agent.ReadingNote{Code: agent.NoteType, Name: string(found)})
		}
		problem = agent.ProblemUnsupported
		if read, ok := formats[found]; ok {
			problem = read(ctx, in, b)
		}
	}
	if ctx.Err() != nil {
		problem = agent.ProblemStopped
	}
	return b.finish(problem)
}

// head is the beginning of the file, up to so many bytes.
func (in input) head(most int64) ([]byte, error) {
	raw := make([]byte, max(min(most, in.size), 0))
	n, err := in.file.ReadAt(raw, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return raw[:n], err
}
