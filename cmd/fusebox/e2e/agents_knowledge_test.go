package e2e

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// TestWhatAgentsSearch: a chat searches the collections that it names, an agent those that it
// names of what is open to the person, and an agent that names none those of whoever calls it.
func TestWhatAgentsSearch(t *testing.T) {
	t.Parallel()
	search := does(asked{"knowledge_search", `{"query":"which boiler","top_k":10}`})
	agents := []string{"steward", "helper", "blind"}
	c := startTrees(t, func(c cue) reply {
		switch {
		case c.turn == 0 && (c.agent == "" || c.agent == "nested"):
			calls := search.calls
			for _, name := range agents {
				if c.agent == "" || name != "steward" {
					calls = append(calls, delegates(name, "Which boiler, "+c.agent+name+"?", nil))
				}
			}
			if c.agent == "" {
				calls = append(calls, delegates("nested", "Which boiler, nested?", nil))
			}
			return does(calls...)
		case c.turn == 0:
			return search
		default:
			return says("Done with " + c.task)
		}
	}, nil)
	house := c.root.must("POST", "/api/v1/collections", `{"name":"House","visibility":"everybody"}`)["id"].(string)
	diary := c.ana.must("POST", "/api/v1/collections", `{"name":"Diary"}`)["id"].(string)
	note := func(by api, collection, text string) {
		by.must("POST", "/api/v1/documents", fmt.Sprintf(`{"name":%q,"text":%q,"collectionId":%q}`, text, text, collection))
	}
	note(c.root, house, "The boiler of the house is red.")
	note(c.root, "own", "The boiler of root is secret.")
	note(c.ana, diary, "The boiler of the diary is green.")
	note(c.ana, "own", "The boiler of Ana is blue.")
	agenttest.Eventually(t, "the documents", func() bool { return c.ana.countDocuments("ready") == 3 })
	for name, knowledge := range map[string]string{"steward": fmt.Sprintf(`,"knowledge":[%q,"unknown"]`, house), "helper": "", "blind": `,"knowledge":[]`, "nested": fmt.Sprintf(`,"knowledge":[%q]`, diary)} {
		c.root.must("POST", "/api/v1/agents", fmt.Sprintf(`{"name":%q,"purpose":"Is there for a test.","instructions":"My name is %s.","tools":["knowledge_search","delegate"]%s}`, name, name, knowledge))
	}
	chat, run := c.begins(c.ana, "Which boiler is it?", `{"collections":["own"]}`)
	c.ended(run)
	c.settled(chat)
	for _, tc := range []struct{ agent, task, found string }{
		{"", "Which boiler is it?", "Ana"},
		{"steward", "Which boiler, steward?", "the house"},
		{"helper", "Which boiler, helper?", "Ana"},
		{"blind", "Which boiler, blind?", ""},
		{"nested", "Which boiler, nested?", "the diary"},
		{"helper", "Which boiler, nestedhelper?", "the diary"},
		{"blind", "Which boiler, nestedblind?", ""},
	} {
		requests := c.model.requests(tc.agent, tc.task)
		if len(requests) < 2 {
			t.Errorf("%s was asked %d times about %q", tc.agent, len(requests), tc.task)
			continue
		}
		result := requests[1].results[0]
		for _, owner := range []string{"Ana", "the house", "the diary", "root"} {
			if has := strings.Contains(result, "boiler of "+owner); has != (owner == tc.found) {
				t.Errorf("%q: that of %s is found: %t, in %s", tc.task, owner, has, result)
			}
		}
	}
}
