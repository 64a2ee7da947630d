package sources_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/sources"
)

const (
	filterID = "p01ARZ3NDEKTSV4RRFFQ69G5FAV"
	pumpID   = "p01ARZ3NDEKTSV4RRFFQ69G5FAW"
)

// library is a branch that has found two passages, [1] and [2], has read a page, [3], and has found
// one that it did not read, [4].
func library(t *testing.T) *sources.Ledger {
	t.Helper()
	result := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	type fields = map[string]any
	passages := fields{"passages": []fields{
		{"id": filterID, "documentId": "d1", "name": "service.md", "place": "Filters", "text": "过滤网每 45 天清洗一次，最多不超过 60 天。\nThe strainer is washed in cold wa-\nter – 1.5 bar, not more."},
		{"id": pumpID, "documentId": "d2", "name": "Pump manual of 2024", "text": "Pump 7 trips at 16 A. Two fuses are in the box."},
	}}
	found := fields{"results": []fields{{"title": "Other", "url": "https://b.example/", "snippet": "…"}}}
	var l sources.Ledger
	l.Read([]agent.Message{
		{ID: "a", Role: agent.FromAssistant, ToolCalls: []agent.CallRequest{{ID: "1", Name: sources.KnowledgeTool}, {ID: "2", Name: sources.FetchTool}, {ID: "3", Name: sources.SearchTool}}},
		{ID: "b", Role: agent.FromTool, ToolCallID: "1", Content: result(passages)},
		{ID: "c", Role: agent.FromTool, ToolCallID: "2", Content: result(fields{"title": "Page", "url": "https://a.example/", "text": "The tariff rises by 4 percent in May."})},
		{ID: "d", Role: agent.FromTool, ToolCallID: "3", Content: result(found)},
	})
	return &l
}

// TestQuotations: what an answer quotes is looked for in the sources behind the quotation.
func TestQuotations(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		said string
		want string // the sources that do not say it
	}{
		"word for word":            {`It says "Pump 7 trips at 16 A" [2].`, ""},
		"invented":                 {`It says "Pump 7 trips at noon" [2].`, "2"},
		"by the passage's id":      {`It says "Pump 7 trips at noon" [` + pumpID + `].`, "2"},
		"another number":           {`It says "Pump 7 trips at 17 A" [2].`, "2"},
		"a part of a number":       {`It says "6 A. Two fuses are in the box" [2].`, "2"},
		"a decimal cut":            {`"washed in cold water – 1" [1]`, "1"},
		"case and spaces":          {"“pump 7  TRIPS\nat 16 A.” [2]", ""},
		"a hyphen at a line's end": {`“washed in cold water” [1]`, ""},
		"a full stop of its own":   {`“Pump 7 trips,” [2] and “trips at 16 A;” [2]`, ""},
		"emphasis":                 {`"**Pump 7** trips at *16 A*" [2]`, ""},
		"words left out":           {`"Pump 7 … are in the box" [2]`, ""},
		"words put in":             {`"[The] Pump 7 trips at [only] 16 A" [2]`, ""},
		"the document's name":      {`As “Pump manual of 2024” [2] says.`, ""},
		"Chinese":                  {`「过滤网每45天清洗一次」[1]`, ""},
		"full width":               {`『过滤网每 ４５ 天清洗一次』【1】`, ""},
		"another number, Chinese":  {`“过滤网每 60 天清洗一次”。[1]`, "1"},
		"the end of a sentence":    {`“最多不超过60天”[1]`, ""},
		"guillemets":               {`«Pump 7 never trips» [2]`, "2"},
		"German":                   {`„Pump 7 never trips“ [2]`, "2"},
		"in another source":        {`"Pump 7 trips at 16 A" [1].`, "1"},
		"in one of two":            {`"Pump 7 trips at 16 A" [1][2]. "Pump 7 trips at 16 A" [1, 2]`, ""},
		"in none of two":           {`"Pump 7 never ever trips" [1], [2]`, "1 2"},
		"short":                    {`It is "never off" [2], 「从不跳闸」[2].`, ""},
		"not beside the mark":      {`"Pump 7 never trips", they say, though it does so at 16 A [2].`, ""},
		"inches":                   {`A pipe of 6" and the one of 8" [2].`, ""},
		"of another paragraph":     {"\"Pump 7 never trips\"\n\n[2] says so.", ""},
		"a page":                   {`"rises by 4 percent" [3] "rises by 5 percent" [3]`, "3"},
		"a page that was not read": {`"anything at all goes" [4] [1]`, ""},
		"the fiftieth":             {strings.Repeat(`"Pump 7 trips at 16 A" [2] `, 49) + `"Pump 7 never trips" [2]`, "2"},
		"beyond fifty":             {strings.Repeat(`"Pump 7 trips at 16 A" [2] `, 50) + `"Pump 7 never trips" [2]`, ""},
		"of nothing known":         {`"anything at all goes" [9]`, ""},
		"in code":                  {"`\"Pump 7 never trips\" [2]`\n```\n\"Pump 7 never trips\" [2]\n```", ""},
		"block":                    {"> Pump 7 trips at 16 A.\n> Two fuses are in the box. [2]", ""},
		"block, invented":          {"They say:\n\n> Pump 7 trips at noon.\n> Two fuses are in the box.\n\n[2]", "2"},
		"block with its source":    {"> Two fuses are in the box.\n>\n> — The manual [2]\n\n> Two fuses are in the box.\n> — The manual [2]", ""},
		"block that is a note":     {"> **Note:** it is better to look at the pump [2]\n\n> [!TIP]\n> Look at the pump [2]", ""},
		"block that goes on":       {"> According to the manual [2] all is well.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := agent.Message{Content: row.said}
			library(t).Sourced(&m, nil)
			var got []string
			for _, c := range m.Citations {
				if c.Misquoted {
					got = append(got, fmt.Sprint(c.N))
				}
			}
			if diff := cmp.Diff(row.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", row.said, diff)
			}
		})
	}
}

// TestQuotationsAreBounded: no text of marks and quotations takes more than linear time.
func TestQuotationsAreBounded(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"[1]", "[1, ", "[1†", "【1】", "\"[1]", "“[1]", "> x [1]\n", "\n\n[1]", "`[1]` ", `"Pump 7 never trips" [2] `, "... [2] \"", "[9] "} {
		read := make(chan struct{})
		l := library(t)
		go func() {
			defer close(read)
			l.Sourced(&agent.Message{Content: strings.Repeat(p, (64<<10)/len(p))}, nil)
		}()
		agenttest.Receive(t, fmt.Sprintf("many of %q", p), read)
	}
}
