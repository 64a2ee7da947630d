package looptest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/sources"
	"fusebox/agent/tools"
)

// shelf are the passages that a search finds, by its words.
var shelf = map[string][]string{
	"boiler": {"Boiler"}, "pump": {"Pump", "Strainer"}, "strainer": {"Strainer", "Valve"}, "valve": {"Valve"}, "seal": {"Pump"}, "roof": nil,
}

// passageOf is the id of a passage, and saidOf what it says.
func passageOf(name string) string {
	return "p" + strings.ToUpper(name) + strings.Repeat("0", 26-len(name))
}

func saidOf(name string) string { return "The " + name + " is looked after by Ada every 45 days." }

// newLibrary is a tree whose agents search documents, and read a page.
func newLibrary(t *testing.T, agents map[string][]agenttest.Turn, turns ...agenttest.Turn) *world {
	t.Helper()
	w := newTree(t, agents, turns...)
	for _, name := range []string{sources.KnowledgeTool, sources.FetchTool} {
		w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: name, Effect: agent.EffectRead, Idempotent: true})
	}
	for _, name := range []string{"Boiler", "Pump", "Strainer", "Valve"} {
		_, err := w.store.AddDocument(t.Context(), agent.Document{ID: "d" + name, AddedBy: ana.UserID, Name: name + ".md", File: name, Hash: name, State: agent.DocumentReading, AddedAt: w.clock.Now()})
		w.must(err)
	}
	type fields = map[string]any
	w.tools.do[sources.KnowledgeTool] = func(_ context.Context, in agent.ToolInput) agent.ToolResult {
		var args struct{ Query string }
		w.must(json.Unmarshal(in.Args, &args))
		found, read := []fields{}, []string{}
		for _, name := range shelf[args.Query] {
			read = append(read, "d"+name)
			found = append(found, fields{"id": passageOf(name), "documentId": "d" + name, "name": name + ".md", "text": saidOf(name)})
		}
		return agent.ToolResult{Content: string(agent.MustJSON(fields{"passages": found})), Documents: read}
	}
	w.tools.do[sources.FetchTool] = func(context.Context, agent.ToolInput) agent.ToolResult {
		return agent.ToolResult{Content: `{"title":"Tariffs","url":"https://a.example/t?a=1&b=2","text":"The tariff rises by 4 percent in May."}`}
	}
	return w
}

// search is the call of a search, and searches a turn with some.
func search(query string) agent.CallRequest {
	return agenttest.Call("s-"+query, sources.KnowledgeTool, `{"query":"`+query+`"}`)
}

func searches(queries ...string) (turn agenttest.Turn) {
	for _, q := range queries {
		turn.Calls = append(turn.Calls, search(q))
	}
	return turn
}

var readsPage = agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("f", sources.FetchTool, `{"url":"https://a.example/t"}`)}}

func handTo(names ...string) (turn agenttest.Turn) {
	for _, name := range names {
		turn.Calls = append(turn.Calls, delegateCall("to-"+name, name, "Do what "+name+" does."))
	}
	return turn
}

// cites is what the newest answer of the chat cites: "3 Valve", with "?" behind a misquotation.
func (w *world) cites() string {
	w.t.Helper()
	history := w.soundHistory()
	var cited []string
	last := history[len(history)-1]
	for _, c := range last.Citations {
		mark := ""
		if c.Misquoted {
			mark = "?"
		}
		name := strings.TrimPrefix(c.DocumentID, "d")
		if c.URL == "" && c.PassageID != passageOf(name) || c.URL != "" && c.URL != "https://a.example/t?a=1&b=2" {
			w.t.Errorf("%+v", c)
		}
		cited = append(cited, fmt.Sprint(c.N, " ", cmp.Or(name, c.Name), mark))
	}
	return strings.Join(append(cited, last.UnknownCitations...), ", ")
}

// TestOneRegisterOfSources: what children cite has numbers of the run that they work for, the same for
// the same source and also after a restart; what they quote is looked up where they have read it.
func TestOneRegisterOfSources(t *testing.T) {
	t.Parallel()
	w := newLibrary(t, map[string][]agenttest.Turn{
		"east": {searches("pump"), readsPage, {Text: "The pump [1], its strainer [1, 2], and the tariff【3†page】. Nobody says so [9]. `a[1]`"}},
		"west": {searches("strainer"), {Text: "The strainer [1] and the valve [^2]."}},
	},
		searches("boiler"), handTo("east", "west"), agenttest.Turn{Text: `"Ada every 45 days" [1, 2, 3]. "rises by 4 percent" [4] "Ada every 60 days" [5] and [9] and [#9]`},
		searches("valve", "roof"), agenttest.Turn{Text: "Ada [5], and “the tariff rises by 5 percent” [4]."})
	w.post("Who looks after all this?")
	if want, got := "1 Boiler, 2 Pump, 3 Strainer, 4 Tariffs, 5 Valve?, 9", w.cites(); got != want {
		t.Errorf("the answer cites %s, want %s", got, want)
	}
	shown := w.shown()[1:]
	for i, want := range []string{
		"The pump [2], its strainer [2][3], and the tariff[4]. Nobody says so [#9]. `a[1]`", "The strainer [3] and the valve [5].",
	} {
		if !strings.Contains(shown[i], `"answer":"`+want+`"`) {
			t.Errorf("the model is shown %s, want %s", shown[i], want)
		}
	}
	if want := "the numbers are in front of it.]\n<untrusted>\n[3] " + passageOf("Strainer") + " Strainer.md\n[5] "; !strings.Contains(shown[1], want) {
		t.Errorf("the model is shown %s", shown[1])
	}
	w.restart()
	w.post("And the tariff?")
	if want, got := "4 Tariffs?, 5 Valve", w.cites(); got != want {
		t.Errorf("the next answer cites %s, want %s", got, want)
	}
	if diff := gocmp.Diff(shown, w.shown()[1:3]); diff != "" {
		t.Errorf("the same branch has other numbers (-before +after):\n%s", diff)
	}
}

// TestSourcesOfGrandchildren: sources come up through all levels.
func TestSourcesOfGrandchildren(t *testing.T) {
	t.Parallel()
	w := newLibrary(t, map[string][]agenttest.Turn{
		"lead": {searches("boiler"), handTo("hand"), {Text: "The boiler [1], the valve [2]."}},
		"hand": {searches("valve"), {Text: "The valve [1]."}},
	},
		searches("pump"), handTo("lead"), agenttest.Turn{Text: `"The Valve is looked after by Ada" [4], "the Valve is looked after by Bob" [3], also [` + passageOf("Valve") + `]`})
	w.post("Who looks after the valve?")
	if want, got := "3 Boiler?, 4 Valve", w.cites(); got != want {
		t.Errorf("the answer cites %s, want %s", got, want)
	}
}

// TestSourcesOfValues: values name the sources of the answer, also where they are read by themselves.
func TestSourcesOfValues(t *testing.T) {
	t.Parallel()
	real := realTools(t)
	delivers := agenttest.Call("v", agent.EmitValueTool, `{"name":"n","value":["Valve [1, 9] and [7], a < b",[1],0.10]}`)
	delegated := agenttest.Call("l", agent.DelegateTool, `{"agent":"hand","task":"Look.","outputs":{"n":"array"}}`)
	w := newLibrary(t, map[string][]agenttest.Turn{"hand": {searches("valve"), {Calls: []agent.CallRequest{delivers}}, {Text: "As delivered [1]."}}},
		searches("pump"), agenttest.Turn{Calls: []agent.CallRequest{delegated}},
		agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("r", agent.ReadResultTool, `{"runId":"the hand's","value":"n"}`)}}, agenttest.Turn{Text: "The valve [3]."})
	w.tools.specs = append(w.tools.specs, agent.ToolSpec{Name: agent.EmitValueTool, Effect: agent.EffectRead})
	w.tools.do[agent.EmitValueTool] = func(ctx context.Context, in agent.ToolInput) agent.ToolResult {
		return real.Execute(ctx, agent.EmitValueTool, in)
	}
	w.tools.do[agent.ReadResultTool] = w.readsResult(real, 1)
	w.post("Which one?")
	shown := w.shown()
	if want := `"values":{"n":["Valve [3][9] and [7], a \u003c b",[1],0.10]}`; !strings.Contains(shown[1], want) {
		t.Errorf("the model is shown %s, want %s", shown[1], want)
	}
	if want := `[\"Valve [3]`; !strings.Contains(shown[2], want) {
		t.Errorf("the model is shown %s, want %s", shown[2], want)
	}
	if want, got := "3 Valve", w.cites(); got != want {
		t.Errorf("the answer cites %s, want %s", got, want)
	}
}

// readsResult has the result read of the run that a result of the root's names.
func (w *world) readsResult(real *tools.Registry, result int) func(context.Context, agent.ToolInput) agent.ToolResult {
	return func(ctx context.Context, in agent.ToolInput) agent.ToolResult {
		run := regexp.MustCompile(`"runId":"([^"]+)"`).FindStringSubmatch(w.shown()[result])[1]
		in.Args = json.RawMessage(strings.Replace(string(in.Args), "the hand's", run, 1))
		return real.Execute(ctx, agent.ReadResultTool, in)
	}
}

// TestBracketsOfAgentsWithoutSources: where an agent has found nothing its brackets are text, and
// invented ids stay what they are.
func TestBracketsOfAgentsWithoutSources(t *testing.T) {
	t.Parallel()
	invented := passageOf("Invented")
	w := newLibrary(t, map[string][]agenttest.Turn{
		"bare":  {searches("roof"), {Text: "It is changed yearly [1]."}},
		"liar":  {searches("pump"), {Text: "It is changed yearly [" + invented + "], [0], [7]."}},
		"quiet": {{Text: "list[1]"}},
	}, handTo("bare", "liar", "quiet"), agenttest.Turn{Text: "Yearly [1] [" + invented + "]."})
	w.post("When is it changed?")
	for i, want := range []string{"yearly [1].", "yearly [" + invented + "], [0], [#7].", "list[1]"} {
		if shown := w.shown()[i]; !strings.Contains(shown, want) || strings.Contains(shown, "sources") {
			t.Errorf("the model is shown %s, want %s", shown, want)
		}
	}
	if got := w.cites(); got != "" {
		t.Errorf("the answer cites %s", got)
	}
}

// TestSourcesOfLongAnswers: a long answer has the sources of the part that is read, and no mark
// is in two parts.
func TestSourcesOfLongAnswers(t *testing.T) {
	t.Parallel()
	real := realTools(t)
	var long strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&long, "Day %d: %x [1]. ", i, i*i*i)
	}
	long.WriteString("The pump [2].")
	reads := func(part int) agenttest.Turn {
		return agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call(fmt.Sprint("r", part), agent.ReadResultTool, fmt.Sprintf(`{"runId":"the hand's","part":%d}`, part))}}
	}
	w := newLibrary(t, map[string][]agenttest.Turn{"hand": {searches("boiler", "pump"), {Text: long.String()}}},
		searches("valve"), handTo("hand"), reads(1), reads(9), agenttest.Turn{Text: `The boiler [2], "The Pump is looked after by Bob" [3].`})
	w.tools.do[agent.ReadResultTool] = w.readsResult(real, 1)
	w.post("What is long?")
	shown := w.shown()
	for i, want := range []string{"Day 0: 0 [2].", "Day 0: 0 [2].", "The pump [3]."} {
		if text := shown[i+1]; !strings.Contains(text, want) || strings.Contains(text, "["+passageOf("")[:2]) || len(text) > 16<<10 {
			t.Errorf("result %d is %s", i, text)
		}
	}
	if strings.Contains(shown[1], "Pump.md") || strings.Contains(shown[3], "Valve.md") {
		t.Errorf("a part has other sources: %s", shown[3])
	}
	if want, got := "2 Boiler, 3 Pump?", w.cites(); got != want {
		t.Errorf("the answer cites %s, want %s", got, want)
	}
}
