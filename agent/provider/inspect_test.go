package provider

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
)

// closedAddress is one at which nothing listens.
func closedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return "http://" + l.Addr().String()
}

const twoModels = `{"data":[{"id":"text-embedding-1"},{"id":"big"},{"id":"small"}]}`

// lists answers with a list of models, and with an answer, or what is said, to a question.
func lists(list string, status int, said string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			_, _ = io.WriteString(w, list)
			return
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, said)
	}
}

func refuses(status int, said string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, said)
	}
}

const pong = `{"choices":[{"index":0,"message":{"role":"assistant","content":"pong"},"finish_reason":"stop"}],"usage":{"prompt_tokens":2,"completion_tokens":1}}`

// TestInspectSaysWhatIsWrong: what an admin can do about it is known by the fault.
func TestInspectSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		serve   http.HandlerFunc
		secure  bool
		address func(string) string
		want    agent.EndpointFault
	}{
		"works":                  {serve: lists(twoModels, 200, pong)},
		"one model is at fault":  {serve: lists(twoModels, 404, `{"error":{"message":"small is no chat model"}}`)},
		"its model is too busy":  {serve: lists(twoModels, 503, "loading")},
		"key refused":            {serve: refuses(401, `{"error":{"message":"Incorrect API key"}}`), want: agent.FaultKey},
		"lists to anybody":       {serve: lists(twoModels, 401, `{"error":{"message":"No auth credentials found"}}`), want: agent.FaultKey},
		"may not chat":           {serve: lists(twoModels, 403, `{"error":"no rights"}`), want: agent.FaultForbidden},
		"forbidden":              {serve: refuses(403, ""), want: agent.FaultForbidden},
		"nothing is paid":        {serve: lists(twoModels, 402, `{"error":{"message":"Insufficient Balance"}}`), want: agent.FaultCredit},
		"quota is used up":       {serve: lists(twoModels, 429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}`), want: agent.FaultCredit},
		"another path":           {serve: http.NotFound, want: agent.FaultAddress},
		"another method":         {serve: refuses(405, ""), want: agent.FaultAddress},
		"too busy":               {serve: refuses(429, "slow down"), want: agent.FaultBusy},
		"out of order":           {serve: refuses(502, "<html>bad gateway"), want: agent.FaultFailing},
		"a refusal":              {serve: refuses(418, "I am a teapot"), want: agent.FaultRejected},
		"a web page":             {serve: refuses(200, "<!doctype html><p>Welcome"), want: agent.FaultNotModels},
		"something else in JSON": {serve: refuses(200, `"hello"`), want: agent.FaultNotModels},
		"an empty list":          {serve: refuses(200, `{"data":[]}`), want: agent.FaultNoModels},
		"none that chats":        {serve: refuses(200, `{"data":[{"id":"text-embedding-1"}]}`), want: agent.FaultNoModels},
		"redirected": {serve: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://localhost:1/", http.StatusFound)
		}, want: agent.FaultRedirect},
		"a strange certificate": {serve: lists(twoModels, 200, pong), secure: true, want: agent.FaultCertificate},
		"http to TLS":           {serve: lists(twoModels, 200, pong), secure: true, address: func(u string) string { return strings.Replace(u, "https", "http", 1) }, want: agent.FaultTLSOnly},
		"TLS to http":           {serve: lists(twoModels, 200, pong), address: func(u string) string { return strings.Replace(u, "http", "https", 1) }, want: agent.FaultNoTLS},
		"nothing there":         {serve: http.NotFound, address: func(string) string { return closedAddress(t) }, want: agent.FaultRefused},
		"no such host":          {serve: http.NotFound, address: func(string) string { return "http://nowhere.invalid" }, want: agent.FaultHost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewUnstartedServer(row.serve)
			srv.Config.ErrorLog = nil
			if row.secure {
				srv.StartTLS()
			} else {
				srv.Start()
			}
			t.Cleanup(srv.Close)
			url := srv.URL
			if row.address != nil {
				url = row.address(url)
			}
			p, err := New(Config{BaseURL: url + "/v1", APIKey: "sk-hidden-key", HTTPClient: &http.Client{Transport: &http.Transport{}}})
			if err != nil {
				t.Fatal(err)
			}
			got := p.Inspect(t.Context(), func(models []string) string { return models[len(models)-1] })
			if got.Fault != row.want || got.Fault != "" && got.Fault != agent.FaultNoModels && got.Said == "" {
				t.Errorf("fault %q (%s), want %q", got.Fault, got.Said, row.want)
			}
			if strings.Contains(got.Said+got.Answer.Problem, "sk-hidden-key") {
				t.Errorf("the key is told: %+v", got)
			}
			if got.Fault == "" && (got.Asked != "small" || !slices.Equal(got.Models, []string{"big", "small"})) {
				t.Errorf("asked %q of %q", got.Asked, got.Models)
			}
			if works := name == "works"; got.Answer.OK != works {
				t.Errorf("answer %+v", got.Answer)
			}
		})
	}
}

// TestEndpointsChange: models of what was removed reach no other endpoint, and those of
// what is only kept are answered and not offered.
func TestEndpointsChange(t *testing.T) {
	t.Parallel()
	first := serve(t, jsonList("m"), whole("first"))
	kept := serve(t, whole("kept"))
	later := serve(t, jsonList("m"), whole("later"))
	endpoint := func(name, url string, models ...Model) *Provider {
		p, err := New(Config{Name: name, BaseURL: url, Models: models, HTTPClient: http.DefaultClient, Retry: RetryConfig{Max: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	old := endpoint("", kept.URL, Model{Name: "demo"})
	r, err := NewRouter(Endpoints{Offered: []*Provider{old}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := Unusable("far", "", ErrRemoved, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Serve(Endpoints{Offered: []*Provider{endpoint("near", first.URL)}, Kept: []*Provider{gone, old}})
	r.RefreshNew(t.Context())
	if all := r.Models(); len(all) != 1 || all[0].ID != "near/m" {
		t.Errorf("offered %v", all)
	}
	ask := func(model string) (string, error) {
		comp, err := r.Complete(t.Context(), agent.Request{Model: model, Messages: probing("hi")}, func(agent.Delta) error { return nil })
		return comp.Content, err
	}
	for model, want := range map[string]string{"near/m": "first", "demo": "kept"} {
		if got, err := ask(model); err != nil || got != want {
			t.Errorf("%s: %q %v", model, got, err)
		}
	}
	if _, err := ask("far/m"); err == nil || !strings.Contains(err.Error(), "was removed here; choose another model") {
		t.Errorf("a removed endpoint: %v", err)
	}
	r.Serve(Endpoints{Offered: []*Provider{endpoint("far", later.URL)}})
	r.RefreshNew(t.Context())
	if got, err := ask("far/m"); err != nil || got != "later" {
		t.Errorf("connected again: %q %v", got, err)
	}
	if r.Window("near/m") != 0 || len(r.Endpoints()) != 1 {
		t.Error("what is gone is remembered")
	}
}

// jsonList is a list of one model.
func jsonList(model string) http.HandlerFunc {
	return raw(`{"data":[{"id":"`+model+`","context_length":4096}]}`, "Content-Type: application/json")
}

// whole is an answer in one piece.
func whole(text string) http.HandlerFunc {
	return wholeAnswerOf(`"content":"` + text + `"`)
}
