package web_test

import (
	"context"
	"testing"

	"fusebox/agent"
	"fusebox/web"
)

// halfEmbedded finds nothing by meaning, and says why.
type halfEmbedded struct {
	status  agent.VectorStatus
	retried bool
}

func (f *halfEmbedded) Find(context.Context, agent.Search) (agent.Finding, error) {
	return agent.Finding{Passages: []agent.Found{{DocumentID: "d", PassageID: "p", Name: "pump.txt", Text: "pump 7"}}, WordsOnly: true}, nil
}

func (f *halfEmbedded) Status(context.Context, string) (agent.VectorStatus, error) {
	return f.status, nil
}

func (f *halfEmbedded) Retry(context.Context) error {
	f.retried = true
	f.status.Problem = ""
	return nil
}

// TestVectorsAreTold: people see how far their documents have been embedded and what that
// means for a search, admins why it has stopped, what is left, and what helps.
func TestVectorsAreTold(t *testing.T) {
	t.Parallel()
	finder := &halfEmbedded{status: agent.VectorStatus{
		Model: "embed<1>", VectorCounts: agent.VectorCounts{Passages: 1000, Embedded: 400}, Tokens: 200_000, CostMicros: 4000, Priced: true,
		Problem: "The model server rejected the API key (401): <b>no</b>.",
	}}
	s := newSite(t, func(o *web.Options) { o.Finder = finder })
	admin := s.as(s.user("first@example.org", agent.RoleAdmin))
	user := s.user("ana@example.org", agent.RoleUser)
	ana := s.as(user)
	s.passage(user, "pump")
	ana.get("/documents?find=pump").check(t, want{status: 200, has: []string{
		"400 of 1000 passages are embedded with embed&lt;1&gt;.", "Embedding has stopped; the others are found by their words.", "Meanings couldn’t be compared this time",
	}, hasNot: []string{"API key"}})
	ana.get("/api/v1/search?q=pump").check(t, want{status: 200, has: []string{`"name":"pump.txt"`, `"wordsOnly":true`}})
	admin.get("/admin/models").check(t, want{status: 200, has: []string{
		"400 of 1000 passages", "about 200000 tokens, $0.0040", "rejected the API key (401): &lt;b&gt;no&lt;/b&gt;.", "Check that the endpoint offers embed&lt;1&gt;", `action="/admin/models/vectors"`,
	}})
	ana.post("/admin/models/vectors", nil).check(t, want{status: 403})
	if finder.retried {
		t.Error("anybody can have it tried again")
	}
	admin.post("/admin/models/vectors", nil).check(t, want{status: 303, location: "/admin/models"})
	finder.status.OverBudget, finder.status.Priced = true, false
	admin.get("/admin/models").check(t, want{status: 200, has: []string{"The model has no price", "Some people’s budgets have no room"}, hasNot: []string{"/admin/models/vectors"}})
	ana.get("/documents").check(t, want{status: 200, has: []string{"The budget has no room for the others now"}})
	if !finder.retried {
		t.Error("nothing was tried again")
	}
}
