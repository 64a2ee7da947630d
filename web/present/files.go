package present

import (
	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
)

// filesAgain is what a card says of the files that decide what a call does if it is run again.
func filesAgain(tr *text.Printer, ev agent.OutcomeEvidence) part.FilesShown {
	return filesShown(tr, agent.ToolEvidence{Files: ev.Files, FilesDecide: ev.FilesDecide, Changed: ev.Changed, Allowed: ev.Allowed})
}

// maxFileNames bounds how many files a card names.
const maxFileNames = 8

// filesShown is what a card says of the files that decide what its call does.
func filesShown(tr *text.Printer, ev agent.ToolEvidence) part.FilesShown {
	f := part.FilesShown{Decide: ev.FilesDecide}
	for _, file := range agent.NamedFiles(ev.Files) {
		f.Names = append(f.Names, invisible.Visible(file.Path))
	}
	f.Names = f.Names[:min(len(f.Names), maxFileNames)]
	f.More = len(ev.Files) - len(f.Names)
	for i, c := range ev.Changed {
		if i == maxFileNames {
			f.Changed = append(f.Changed, tr.T("present.card.more_files", len(ev.Changed)-i))
			break
		}
		f.Changed = append(f.Changed, changeText(tr, c))
	}
	if ev.Allowed != nil {
		f.AllowedBy, f.AllowedAt = ev.Allowed.By, ev.Allowed.At
	}
	return f
}

func changeText(tr *text.Printer, c agent.FileChange) string {
	path := invisible.Visible(c.Path)
	switch c.What {
	case "new":
		return tr.T("present.card.file_new", path)
	case "gone":
		return tr.T("present.card.file_gone", path)
	default:
		return path
	}
}

// earlierCalls are the calls that will have run before the one on a card.
func earlierCalls(tr *text.Printer, before []agent.EarlierCall) []part.EarlierCall {
	var calls []part.EarlierCall
	for _, b := range before {
		calls = append(calls, part.EarlierCall{
			Tool: b.ToolName, Asks: b.Asks, Command: invisible.Visible(b.Command), Diff: DiffLines(tr, b.Diff),
		})
	}
	return calls
}
