package present

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/sources"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
	"fusebox/web/present/markdown"
)

type delivered struct {
	Name  string
	Value json.RawMessage
}

// outputs are those of the newest run.
type outputs []delivered

// take takes over what a call of emit_value has delivered; a second value of the same
// name replaces the first.
func (o *outputs) take(t *toolCall) {
	if t.name != agent.EmitValueTool || t.errorType != "" {
		return
	}
	value := emitted(t.args)
	if len(value.Value) == 0 {
		return
	}
	*o = append(slices.DeleteFunc(*o, func(d delivered) bool { return d.Name == value.Name }), value)
}

// emitted is what a call of emit_value delivers, without a value where it is unreadable.
func emitted(args string) (d delivered) {
	if json.Unmarshal([]byte(args), &d) != nil {
		return delivered{}
	}
	return d
}

// table lists them with the types and purposes that the conversation declares.
func (o outputs) table(of *audience, id string) part.Outputs {
	var rows []part.Output
	for _, d := range o {
		kind := of.conv.Outputs[d.Name]
		if kind == "" {
			kind = typeOf(d.Value)
		}
		rows = append(rows, part.Output{Name: d.Name, Type: kind, For: of.conv.OutputPurposes[d.Name], Value: outputText(d.Value)})
	}
	slices.SortFunc(rows, func(a, b part.Output) int { return strings.Compare(a.Name, b.Name) }) // calls end in any order
	return outputTable(of.Text, id, rows)
}

// RunOutputs is the table of what a run has to deliver, and has delivered.
func RunOutputs(tr *text.Printer, s agent.RunState) part.Outputs {
	var rows []part.Output
	for _, name := range slices.Sorted(maps.Keys(s.Outputs)) {
		row := part.Output{Name: name, Type: s.Outputs[name], For: s.Purposes[name], Missing: true}
		if value, ok := s.Values[name]; ok {
			row.Value, row.Missing = outputText(value), false
		}
		rows = append(rows, row)
	}
	return outputTable(tr, "outputs", rows)
}

// outputTable shows nothing that is hidden, and is copied as it is.
func outputTable(tr *text.Printer, id string, rows []part.Output) part.Outputs {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = '\t'
	lines := [][]string{{tr.T("outputs.name"), tr.T("outputs.type"), tr.T("outputs.for"), tr.T("outputs.value")}}
	for i, r := range rows {
		lines = append(lines, []string{r.Name, r.Type, r.For, r.Value})
		rows[i].Name, rows[i].For, rows[i].Value = invisible.Visible(r.Name), invisible.Visible(r.For), invisible.Visible(r.Value)
	}
	_ = w.WriteAll(lines) // a builder takes everything
	return part.Outputs{ID: id, Rows: rows, Copy: b.String()}
}

// outputText is a text as it is, and other values as JSON.
func outputText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return jsontext.Compact(value)
}

func typeOf(value json.RawMessage) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return ""
	}
	for _, kind := range []string{"string", "integer", "number", "boolean", "object", "array"} {
		if agent.OutputTypes[kind](v) {
			return kind
		}
	}
	return ""
}

func picturesOf(runID string, images []agent.Image) (list []part.Picture) {
	for _, img := range images {
		list = append(list, part.Picture{
			Href: "/api/v1/runs/" + runID + "/images/" + url.PathEscape(img.Name), Kind: img.Type + ", " + text.Bytes(img.Bytes),
		})
	}
	return list
}

// sources are what the final message may lead to.
func (a *answer) sources() markdown.Sources {
	return markdown.Sources{Anchor: a.id, Citations: a.final.Citations, Unknown: a.final.UnknownCitations, Hosts: a.final.LinkHosts}
}

// cites is the list of what the message cites.
func (a *answer) cites() part.Sources {
	s := part.Sources{ID: a.id + "-s"}
	if a.final == nil {
		return s
	}
	for _, c := range a.final.Citations {
		item := part.Source{ID: markdown.SourceID(a.id, c.N), N: c.N, Name: c.Name, DeletedAt: c.DeletedAt, Replaced: c.Replaced, Misquoted: c.Misquoted, Closed: c.Closed}
		if host := sources.HostOf(c.URL); host != "" {
			item.Href, item.Host = c.URL, host
		} else if c.PassageID != "" && !c.Closed && (c.Name != "" || c.DocumentID != "") { // of others that are deleted nothing is known
			item.Href = "/passages/" + c.PassageID
			if c.DocumentID != "" {
				item.Href += "?document=" + url.QueryEscape(c.DocumentID)
			}
		}
		s.Items = append(s.Items, item)
	}
	return s
}
