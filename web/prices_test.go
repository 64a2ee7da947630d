package web_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/loop"
)

// TestPriceOfAModel: a model without a price says so, gets one on its page, and
// loses it again; it is never shown as free.
func TestPriceOfAModel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	const model, at = "local/<small>", "/admin/models/price?model=local%2F%3Csmall%3E"
	today := agent.Day(s.clock.Now()).Format(time.DateOnly)
	b.get(at).check(t, want{status: 200, has: []string{"Price of local/&lt;small&gt;", "no price", "hard spending budgets block it", "Set a price", `value="` + today + `"`}, hasNot: []string{"$0", "<small>"}})

	b.post("/admin/models/price", form("model", model, "input", "", "cached", "x", "output", "-1", "validFrom", "soon")).check(t, want{status: 422, has: []string{
		"The price wasn’t saved.", "Enter a price. Use 0 only", "Enter an amount from 0 to 10000 USD", `value="-1"`,
	}})
	b.post("/admin/models/price", form("model", model, "input", "1", "output", "2", "validFrom", "soon")).check(t, want{status: 422, has: []string{"is not a date; allowed: one such as 2026-01-31"}})
	b.post("/admin/models/price", form("model", model, "input", "$2.50", "cached", "0.0000005", "output", "10", "reasoning", "12", "source", "https://example.org/p?a=1")).
		check(t, want{status: 303, location: at})
	b.get("/admin/models").check(t, want{status: 200, has: []string{
		`<td data-label="Input">$2.50</td><td data-label="Cached">$0.000001</td><td data-label="Output">$10.00</td><td data-label="Reasoning">$12.00</td>`, `<a href="https://example.org/p?a=1" rel="noreferrer">example.org</a> · since ` + agent.Day(s.clock.Now()).Format("2 Jan 2006"),
	}, hasNot: []string{"no price"}})
	b.get(at).check(t, want{status: 200, has: []string{`value="2.50"`, "Prices set by admins", "ada@example.org"}})

	b.post("/admin/models/price/remove", form("model", model, "validFrom", today)).check(t, want{status: 303, location: at})
	b.get("/admin/models").check(t, want{status: 200, has: []string{"no price", "removed by ada@example.org"}, hasNot: []string{"$2.5"}})
	b.post("/admin/models/price/remove", form("model", "")).check(t, want{status: 422, has: []string{"model: is missing"}})
}

// TestPriceFromADayOn: a price to come is in the history and does not hold yet.
func TestPriceFromADayOn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	tomorrow := agent.Day(s.clock.Now()).AddDate(0, 0, 1)
	b.post("/admin/models/price", form("model", "demo", "input", "7", "output", "7", "validFrom", tomorrow.Format(time.DateOnly))).check(t, want{status: 303, location: "/admin/models/price?model=demo"})
	b.get("/admin/models/price?model=demo").check(t, want{status: 200, has: []string{"<dd>$1.00</dd>", `badge">upcoming`, `<td data-label="Input">$7.00</td>`}})
	b.post("/admin/models/price/remove", form("model", "local/<small>")).check(t, want{status: 303, location: "/admin/models/price?model=local%2F%3Csmall%3E"})
	s.clock.Advance(tomorrow.Sub(s.clock.Now()))
	b.get("/admin/models/price?model=demo").check(t, want{status: 200, has: []string{"<dd>$7.00</dd>"}, hasNot: []string{`badge">upcoming`}})
}

// TestPricesAPI: null for a model without a price, whole micro-USD for others.
func TestPricesAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("ada@example.org", agent.RoleAdmin))
	price := func() map[string]any {
		t.Helper()
		var got struct {
			Items []struct {
				ID    string
				Price map[string]any
			}
		}
		s.ok(json.Unmarshal([]byte(c.call(http.MethodGet, "/api/v1/models", "").body), &got))
		for _, m := range got.Items {
			if m.ID == "local/<small>" {
				return m.Price
			}
		}
		t.Fatal("the model is not listed")
		return nil
	}
	if got := c.call(http.MethodGet, "/api/v1/models", ""); !strings.Contains(got.body, `"price":null`) || strings.Contains(got.body, `"input":0`) {
		t.Errorf("without a price: %s", got.body)
	}
	put := func(body string) answer { return c.call(http.MethodPut, "/api/v1/prices", body) }
	put(`{"model":"local/<small>","input":250000,"output":1000000,"validFrom":"2026-01-31","source":"a list"}`).check(t, want{status: 200, has: []string{
		`"provider":"local"`, `"cached":250000`, `"validFrom":"2026-01-31T00:00:00.000Z"`, `"createdBy":"ada@example.org"`,
	}})
	wanted := map[string]any{"input": 250000.0, "cached": 250000.0, "output": 1000000.0, "reasoning": 1000000.0, "source": "a list", "validFrom": "2026-01-31T00:00:00.000Z"}
	if diff := cmp.Diff(wanted, price()); diff != "" {
		t.Error(diff)
	}
	put(`{"model":"local/<small>","input":1}`).check(t, want{status: 422, has: []string{`"field":"output"`}})
	put(`{"model":"m","input":1,"output":10000000001}`).check(t, want{status: 422, has: []string{`"field":"output"`, "10000 USD"}})
	put(`{"model":"a\u0000b","input":1,"output":1}`).check(t, want{status: 422, has: []string{`"field":"model"`}})
	put(`{"model":"m","input":1,"output":1}`).check(t, want{status: 200, has: []string{`"provider":""`}})

	first := c.call(http.MethodGet, "/api/v1/prices?limit=1", "")
	var page struct{ NextCursor string }
	s.ok(json.Unmarshal([]byte(first.body), &page))
	first.check(t, want{status: 200, has: []string{`"model":"m"`}, hasNot: []string{"small"}})
	c.call(http.MethodGet, "/api/v1/prices?cursor="+page.NextCursor, "").check(t, want{status: 200, has: []string{"small"}, hasNot: []string{`"model":"m"`, "nextCursor"}})
	c.call(http.MethodGet, "/api/v1/prices?cursor=!", "").check(t, want{status: 400, has: []string{"cursor"}})

	c.call(http.MethodDelete, "/api/v1/prices?model="+url.QueryEscape("local/<small>"), "").check(t, want{status: 204})
	if got := price(); got != nil {
		t.Errorf("after it was taken back: %v", got)
	}
	c.call(http.MethodDelete, "/api/v1/prices", "").check(t, want{status: 422, has: []string{`"field":"model"`}})

	audit := c.call(http.MethodGet, "/api/v1/audit?action=price.", "").body
	if strings.Count(audit, `"action":"price.set"`) != 2 || strings.Count(audit, `"action":"price.remove"`) != 1 {
		t.Errorf("audited: %s", audit)
	}
}

const priceFile = `{"sample_spec":{"mode":"x"},
"demo":{"mode":"chat","input_cost_per_token":2e-06,"output_cost_per_token":4e-06},
"local/<small>":{"mode":"chat","input_cost_per_token":"3e-7","output_cost_per_token":5e-7,"cache_read_input_token_cost":1e-8},
"elsewhere":{"mode":"chat","input_cost_per_token":1e-06,"output_cost_per_token":1e-06},
"pictures":{"mode":"image_generation"}}`

// upload sends the form of an import.
func (b *browser) upload(file, text string) answer {
	b.s.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	b.s.ok(w.WriteField("csrf_token", b.csrf))
	b.s.ok(w.WriteField("text", text))
	part, err := w.CreateFormFile("file", "list.json")
	b.s.ok(err)
	_, err = part.Write([]byte(file))
	b.s.ok(err)
	b.s.ok(w.Close())
	req, err := http.NewRequestWithContext(b.s.t.Context(), http.MethodPost, b.s.url+"/admin/models/import", &body)
	b.s.ok(err)
	req.Header.Set("Content-Type", w.FormDataContentType())
	return b.do(req)
}

// TestPriceImport: what a list would change is shown before it does, for the
// models that are offered or for all, and is imported once.
func TestPriceImport(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ada@example.org", agent.RoleAdmin))
	b.get("/admin/models/import").check(t, want{status: 200, has: []string{`enctype="multipart/form-data"`}})
	b.upload("", "").check(t, want{status: 422, has: []string{"is missing; choose a file or paste its text"}})
	b.upload("<html>", "").check(t, want{status: 422, has: []string{"is not valid JSON", "use the raw file"}})

	got := b.upload(priceFile, "")
	at := got.header.Get("Location")
	if got.status != http.StatusSeeOther || !strings.HasPrefix(at, "/admin/models/import?list=") {
		t.Fatalf("upload: %d %q\n%s", got.status, at, got.body)
	}
	list := strings.TrimPrefix(at, "/admin/models/import?list=")
	b.get(at).check(t, want{status: 200, has: []string{
		"list.json", "<strong>1</strong> new,", "<strong>1</strong> changed,", "<strong>3</strong> skipped", "Import 2 prices, effective today",
		"<del>$1.00</del> $2.00", `<td data-label="Input">$0.30</td><td data-label="Cached">$0.01</td><td data-label="Output">$0.50</td>`, "is not available here", "is not a text model", "local/&lt;small&gt;",
	}, hasNot: []string{"<small>"}})
	b.get(at+"&models=all").check(t, want{status: 200, has: []string{"<strong>2</strong> new,", "Import 3 prices, effective today"}, hasNot: []string{"is not available here"}})
	if rows, err := s.db.Prices(t.Context()); err != nil || len(rows) != 0 {
		t.Errorf("showing changed something: %v %v", rows, err)
	}

	// A form that breaks off is the sender's fault.
	for kind, body := range map[string]string{"multipart/form-data": "x", "multipart/form-data; boundary=x": "--x"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/admin/models/import", strings.NewReader(body))
		s.ok(err)
		req.Header.Set("Content-Type", kind)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		b.do(req).check(t, want{status: 422, has: []string{"was not uploaded completely"}})
	}

	// Nobody else confirms it.
	other := s.as(s.user("eve@example.org", agent.RoleAdmin))
	other.get(at).check(t, want{status: 409, has: []string{"This list is gone"}})
	other.post("/admin/models/import/confirm", form("list", list)).check(t, want{status: 409, has: []string{"Upload it again"}})

	b.post("/admin/models/import/confirm", form("list", list)).check(t, want{status: 303, location: "/admin/models"})
	b.get("/admin/models").check(t, want{status: 200, has: []string{"Imported 2 prices", `<td data-label="Input">$0.30</td>`, "list.json"}, hasNot: []string{"no price"}})
	b.post("/admin/models/import/confirm", form("list", list)).check(t, want{status: 409, has: []string{"it was imported"}})
	again := b.upload("", priceFile).header.Get("Location")
	b.get(again).check(t, want{status: 200, has: []string{"<strong>2</strong> unchanged,", "Nothing to import."}})
}

// TestPriceImportAPI: the same by program, and nothing but looking with preview.
func TestPriceImportAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.client(s.user("ada@example.org", agent.RoleAdmin))
	send := func(query string) answer { return c.call(http.MethodPost, "/api/v1/prices/import"+query, priceFile) }
	send("?models=some").check(t, want{status: 422, has: []string{"allowed: offered, all"}})
	send("?preview=1").check(t, want{status: 422, has: []string{"allowed: true, false"}})
	c.call(http.MethodPost, "/api/v1/prices/import?preview=true&models=all", `{"m":{"mode":"chat","input_cost_per_token":1e-6,"output_cost_per_token":1e-6,"output_cost_per_reasoning_token":2e-6}}`).
		check(t, want{status: 200, has: []string{`"skippedItems":[]`, `"reasoning":2000000`}})
	send("?preview=true").check(t, want{status: 200, has: []string{`"imported":false,"new":1,"changed":1,"same":0,"skipped":3`, `"before":null`}})
	if rows, err := s.db.Prices(t.Context()); err != nil || len(rows) != 0 {
		t.Errorf("looking changed something: %v %v", rows, err)
	}
	send("?models=all&source=the%20list").check(t, want{status: 200, has: []string{`"imported":true,"new":2,"changed":1`}})
	send("?models=all").check(t, want{status: 200, has: []string{`"new":0,"changed":0,"same":3,"skipped":2`}})
	c.call(http.MethodGet, "/api/v1/prices", "").check(t, want{status: 200, has: []string{`"source":"the list"`, `"input":300000,"cached":10000,"output":500000`}})
	audit := c.call(http.MethodGet, "/api/v1/audit?action=price.", "").body
	if n := len(regexp.MustCompile(`"action":"price\.`).FindAllString(audit, -1)); n != 1 {
		t.Errorf("%d audit rows, want 1: %s", n, audit)
	}
}

// TestPriceListSize: a list may be larger than other requests, for admins only,
// and there alone.
func TestPriceListSize(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, user := s.client(s.user("ada@example.org", agent.RoleAdmin)), s.client(s.user("bob@example.org", agent.RoleUser))
	padded := func(size int) string { return strings.Repeat(" ", size) + priceFile }
	admin.call(http.MethodPost, "/api/v1/prices/import?preview=true", padded(3<<20)).check(t, want{status: 200})
	admin.call(http.MethodPost, "/api/v1/prices/import?preview=true", padded(17<<20)).check(t, want{status: http.StatusRequestEntityTooLarge})
	admin.call(http.MethodPut, "/api/v1/prices", padded(3<<20)).check(t, want{status: http.StatusRequestEntityTooLarge})
	user.call(http.MethodPost, "/api/v1/prices/import", priceFile).check(t, want{status: http.StatusForbidden})
	user.call(http.MethodPost, "/api/v1/prices/import", padded(3<<20)).check(t, want{status: http.StatusRequestEntityTooLarge})
}

// TestUnpricedRun: a run of a model without a price says so on its page and in
// its chat, and is never shown as one that cost nothing.
func TestUnpricedRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	u := s.user("bob@example.org", agent.RoleUser)
	c, b := s.client(u), s.as(u)
	var posted agent.Enqueued
	s.ok(json.Unmarshal([]byte(c.call(http.MethodPost, "/api/v1/conversations/"+c.conversation()+"/messages", `{"content":"hi"}`).body), &posted))
	run := s.advance(posted.RunID, agenttest.Script(agenttest.Turn{Text: "done", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 100, OutputTokens: 20}}}),
		func(settings *loop.Settings) {
			settings.Price = func(string) (agent.Price, bool) { return agent.Price{}, false }
		})
	b.get("/runs/"+run.ID).check(t, want{status: 200, has: []string{"no price"}, hasNot: []string{"$0.00"}})
}
