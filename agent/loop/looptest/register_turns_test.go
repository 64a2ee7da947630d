package looptest

import (
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
	"fusebox/agent/sources"
)

// TestNumbersGoOn: searches side by side, of documents and of the web, number their sources in the
// order of the calls, a source once; later messages and other branches go on from there.
func TestNumbersGoOn(t *testing.T) {
	t.Parallel()
	both := searches("pump", "strainer")
	both.Calls = append(both.Calls, readsPage.Calls...)
	again := agenttest.Turn{Calls: []agent.CallRequest{agenttest.Call("again", sources.FetchTool, `{"url":"https://a.example/t"}`)}}
	w := newLibrary(t, nil,
		both, agenttest.Turn{Text: "It is old [1]. 每月清洗【3】。 Both say so [^1, 2][4]. Nobody does [9]. `a[0]`, and a[0]\n```\n[3]\n```"},
		searches("boiler", "seal"), agenttest.Turn{Text: "As said [2], and the boiler [5]."},
		searches("roof", "valve"), again, agenttest.Turn{Text: "As said [2] and [3]; there is no boiler [5]. The page [4]."})
	first := w.post("What about the pump?")
	if want, got := "1 Pump, 2 Strainer, 3 Valve, 4 Tariffs, 9, 0", w.cites(); got != want {
		t.Errorf("the answer cites %s, want %s", got, want)
	}
	history := w.soundHistory()
	w.post("And the boiler?")
	if want, got := "2 Strainer, 5 Boiler", w.cites(); got != want {
		t.Errorf("the next answer cites %s, want %s", got, want)
	}
	w.restart()
	other, err := w.service.Post(t.Context(), ana, service.Post{ConversationID: "c", Content: "And the roof?", ParentID: history[len(history)-1].ID})
	w.must(err)
	if run := w.advance(other.RunID); run.ID == first.ID || run.Status != agent.StatusFinished {
		t.Errorf("the other branch is %+v", run)
	}
	if want, got := "2 Strainer, 3 Valve, 4 Tariffs, 5", w.cites(); got != want {
		t.Errorf("the answer of the other branch cites %s, want %s", got, want)
	}
}
