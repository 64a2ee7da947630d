package page

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
	"fusebox/views/text"
)

// documentFile is where the bytes of a version are.
func documentFile(d agent.Document) string {
	return "/api/v1/documents/" + d.ID + "/file?version=" + strconv.Itoa(d.Version)
}

// documentFacts are the type, the size, and the number of pages.
func documentFacts(ctx context.Context, d agent.Document) []string {
	var facts []string
	if kind := typeWord(ctx, d.Reading.Type); kind != "" {
		facts = append(facts, kind)
	}
	facts = append(facts, text.Bytes(d.Bytes))
	if d.Reading.Pages > 0 {
		facts = append(facts, pagesWord(ctx, d.Reading))
	}
	if d.Version > 1 {
		facts = append(facts, text.T(ctx, "document.version", d.Version))
	}
	return facts
}

func pagesWord(ctx context.Context, r agent.Reading) string {
	switch r.Type {
	case agent.TypeExcel:
		return text.T(ctx, "document.sheets", r.Pages)
	case agent.TypeSlides:
		return text.T(ctx, "document.slides", r.Pages)
	case agent.TypeBook:
		return text.T(ctx, "document.chapters", r.Pages)
	default:
		return text.T(ctx, "document.pages", r.Pages)
	}
}

// typeWord names a type, "" for one that is not known.
func typeWord(ctx context.Context, t agent.DocumentType) string {
	switch t {
	case agent.TypeText:
		return text.T(ctx, "document.type.text")
	case agent.TypeCode:
		return text.T(ctx, "document.type.code")
	case agent.TypeMarkdown:
		return "Markdown"
	case agent.TypeHTML:
		return "HTML"
	case agent.TypeCSV:
		return "CSV"
	case agent.TypePDF:
		return "PDF"
	case agent.TypeWord:
		return "Word"
	case agent.TypeExcel:
		return "Excel"
	case agent.TypeSlides:
		return "PowerPoint"
	case agent.TypeBook:
		return "EPUB"
	}
	return ""
}

// pagesWithoutText lists them, "" where all have some.
func pagesWithoutText(r agent.Reading) string {
	for _, n := range r.Notes {
		if n.Code == agent.NoteNoText {
			return pageList(n.Pages)
		}
	}
	return ""
}

// mostPages is how many numbers of pages are listed.
const mostPages = 12

func pageList(pages []int) string {
	var all []string
	for _, n := range pages[:min(len(pages), mostPages)] {
		all = append(all, strconv.Itoa(n))
	}
	if len(pages) > mostPages {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

// problemWord says in a few words why a file has no text.
func problemWord(ctx context.Context, p agent.DocumentProblem) string {
	switch p {
	case agent.ProblemEmpty:
		return text.T(ctx, "document.problem.empty")
	case agent.ProblemScan:
		return text.T(ctx, "document.problem.scan")
	case agent.ProblemLocked:
		return text.T(ctx, "document.problem.locked")
	case agent.ProblemBroken:
		return text.T(ctx, "document.problem.broken")
	case agent.ProblemUnreadable:
		return text.T(ctx, "document.problem.unreadable")
	case agent.ProblemTooLarge:
		return text.T(ctx, "document.problem.too_large")
	case agent.ProblemUnsupported:
		return text.T(ctx, "document.problem.unsupported")
	case agent.ProblemStopped:
		return text.T(ctx, "document.problem.stopped")
	case agent.ProblemNoReader:
		return text.T(ctx, "document.problem.no_reader")
	case agent.ProblemDuplicate:
		return text.T(ctx, "document.problem.twin")
	default:
		return text.T(ctx, "document.problem.lost")
	}
}

// problemRemedy says what to do about it.
func problemRemedy(ctx context.Context, p agent.DocumentProblem) string {
	switch p {
	case agent.ProblemEmpty:
		return text.T(ctx, "document.remedy.empty")
	case agent.ProblemScan:
		return text.T(ctx, "document.remedy.scan")
	case agent.ProblemLocked:
		return text.T(ctx, "document.remedy.locked")
	case agent.ProblemBroken:
		return text.T(ctx, "document.remedy.broken")
	case agent.ProblemUnreadable:
		return text.T(ctx, "document.remedy.unreadable")
	case agent.ProblemTooLarge:
		return text.T(ctx, "document.remedy.too_large")
	case agent.ProblemUnsupported:
		return text.T(ctx, "document.remedy.unsupported")
	case agent.ProblemStopped:
		return text.T(ctx, "document.remedy.stopped")
	case agent.ProblemNoReader:
		return text.T(ctx, "document.remedy.no_reader")
	case agent.ProblemDuplicate:
		return text.T(ctx, "document.remedy.twin")
	default:
		return text.T(ctx, "document.remedy.lost")
	}
}

// readingNotes are the notes of a reading in sentences.
func readingNotes(ctx context.Context, r agent.Reading) []string {
	var lines []string
	if r.Encoding != "" {
		lines = append(lines, text.T(ctx, "document.note.encoding", r.Encoding))
	}
	if r.Separator != "" {
		lines = append(lines, text.T(ctx, "document.note.separator", strings.ReplaceAll(r.Separator, "\t", "Tab")))
	}
	for _, n := range r.Notes {
		lines = append(lines, readingNote(ctx, n))
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

func readingNote(ctx context.Context, n agent.ReadingNote) string {
	pages := pageList(n.Pages)
	switch n.Code {
	case agent.NoteNoText:
		return text.T(ctx, "document.note.no_text", pages)
	case agent.NoteType:
		return text.T(ctx, "document.note.type", typeWord(ctx, agent.DocumentType(n.Name)))
	case agent.NoteHidden:
		return text.T(ctx, "document.note.hidden", n.Count)
	case agent.NoteUnchecked:
		return text.T(ctx, "document.note.unchecked")
	case agent.NoteCut:
		return text.T(ctx, "document.note.cut")
	case agent.NotePassword: // it is said at the field
		return ""
	case agent.NoteBroken:
		if n.Name != "" {
			return text.T(ctx, "document.note.broken_part", n.Name)
		}
		return text.T(ctx, "document.note.broken", pages)
	case agent.NoteUnclear:
		return text.T(ctx, "document.note.unclear", n.Count)
	}
	return ""
}

// sectionPlace says what kind of section it is, and where.
func sectionPlace(ctx context.Context, s agent.Section) string {
	var said []string
	switch s.Kind {
	case agent.KindNote:
		said = append(said, text.T(ctx, "document.kind.note"))
	case agent.KindComment:
		said = append(said, text.T(ctx, "document.kind.comment"))
	case agent.KindMargin:
		said = append(said, text.T(ctx, "document.kind.margin"))
	case agent.KindProperty:
		said = append(said, text.T(ctx, "document.kind.property"))
	case agent.KindHidden:
		said = append(said, text.T(ctx, "document.kind.hidden"))
	case agent.KindTable, agent.KindCode: // they look like what they are
	}
	switch {
	case s.Label != "":
		said = append(said, s.Label)
	case s.Page > 0:
		said = append(said, text.T(ctx, "document.page", s.Page))
	}
	return strings.Join(said, " · ")
}
