package page

import (
	"net/url"
	"slices"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
)

// toolSetRows are the sets of tools as the form offers them.
func toolSetRows(tr *text.Printer, sets []service.ToolSet) []page.ChatToolSet {
	var rows []page.ChatToolSet
	for _, s := range sets {
		rows = append(rows, page.ChatToolSet{Name: s.Name, Label: toolSetLabel(tr, s.Name), Tools: s.Tools, Chosen: s.Chosen})
	}
	return rows
}

// toolSetLabel names a set of built-in tools in the reader's language; others have the
// name of their source.
func toolSetLabel(tr *text.Printer, set string) string {
	switch set {
	case agent.FileTools:
		return tr.T("setup.tools.set.files")
	case agent.ShellTools:
		return tr.T("setup.tools.set.shell")
	case agent.WebTools:
		return tr.T("setup.tools.set.web")
	default:
		return set
	}
}

// typedToolSets are the sets that a form chooses: all where none is left out, so that
// those of later sources are among them, and the core alone where each is. It is nil where the
// form offered none.
func typedToolSets(form url.Values, sets []service.ToolSet) *[]string {
	if !form.Has("toolSetsOffered") {
		return nil
	}
	chosen := []string{agent.CoreTools}
	for _, s := range sets {
		if slices.Contains(form["toolSets"], s.Name) {
			chosen = append(chosen, s.Name)
		}
	}
	if len(chosen) == len(sets)+1 {
		chosen = []string{}
	}
	return &chosen
}
