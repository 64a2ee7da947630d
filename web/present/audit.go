package present

import (
	"encoding/json"
	"net/url"
	"sort"
	"strings"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
)

// AuditLine is a row of the log as the page shows it.
func AuditLine(tr *text.Printer, r agent.AuditRow) page.AuditLine {
	line := page.AuditLine{
		Seq: r.Seq, ID: r.ID, At: r.At, Actor: r.Actor, Role: string(r.Role), Action: r.Action, Target: r.Target,
		Place: r.Place, Shown: r.Shown, Before: r.Before, Hash: r.Hash,
	}
	var detail map[string]json.RawMessage
	if json.Unmarshal([]byte(r.Detail), &detail) != nil {
		line.Detail = []page.Pair{{Name: "detail", Value: r.Detail}}
	}
	for name, value := range detail {
		if text := detailText(value); text != "" {
			line.Detail = append(line.Detail, page.Pair{Name: name, Value: text})
		}
	}
	sort.Slice(line.Detail, func(i, j int) bool { return line.Detail[i].Name < line.Detail[j].Name })
	line.Gist = auditGist(detail)
	line.Links = auditLinks(tr, r, detail)
	return line
}

// auditGist is the part of a detail that a folded row shows.
func auditGist(detail map[string]json.RawMessage) string {
	var parts []string
	for _, name := range []string{"decision", "tool", "name", "email", "comment"} {
		if text := detailText(detail[name]); text != "" {
			parts = append(parts, agent.Clip(text, 60))
		}
	}
	return strings.Join(parts, " · ")
}

// detailText is a text as it reads, anything else as JSON, and nothing for what is empty.
func detailText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// auditPlaces are the pages of what rows are about, by the name of the detail that
// holds its id, in the order of their links.
var auditPlaces = []struct{ name, path string }{
	{"approval", "/approvals/"}, {"run", "/runs/"}, {"conversation", "/c/"},
}

// auditLinks lead to what a row is about, as far as that has a page. What was
// deleted since answers that it is not there.
func auditLinks(tr *text.Printer, r agent.AuditRow, detail map[string]json.RawMessage) []page.Preset {
	ids := map[string]string{}
	for _, p := range auditPlaces {
		ids[p.name] = detailText(detail[p.name])
	}
	kind, _, _ := strings.Cut(r.Action, ".")
	switch {
	case kind == "approval" || r.Action == "guard.propose":
		ids["approval"] = r.Target
	case kind == "run":
		ids["run"] = r.Target
	case kind == "call":
		ids["run"], _, _ = strings.Cut(r.Target, "/")
	case kind == "conversation" && r.Action != "conversation.delete":
		ids["conversation"] = r.Target
	}
	var links []page.Preset
	for _, p := range auditPlaces {
		if id := ids[p.name]; id != "" {
			links = append(links, page.Preset{Label: auditPlace(tr, p.name), Href: p.path + url.PathEscape(id)})
		}
	}
	return links
}

func auditPlace(tr *text.Printer, name string) string {
	switch name {
	case "approval":
		return tr.T("present.audit.approval")
	case "run":
		return tr.T("present.audit.run")
	default:
		return tr.T("present.audit.chat")
	}
}
