package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/safehttp"
)

// userAgent names the program to sites, and in their robots.txt.
const userAgent = "Fusebox"

// The bounds of an exchange.
const (
	searchTime = 15 * time.Second
	fetchTime  = 25 * time.Second
)

// Options configure how the web is searched, and which hosts may be reached.
type Options struct {
	// Provider is one of Providers; "" offers no search. The sample pages of Demo are
	// reached in the place of their addresses.
	Provider string
	// URL is where the service answers, "" where it has a place of its own.
	URL string
	// Key is what the service asks for, and KeyEnv the environment variable that has it.
	Key, KeyEnv string
	// Allow lists the origins that may be reached although they are private.
	Allow  []string
	Clock  agent.Clock
	Logger *slog.Logger
}

// Web is the way out for the tools of this package, and for what people fetch.
type Web struct {
	search    *Search
	fetch     *Fetch
	downloads *http.Client
	clock     agent.Clock
}

// Check says what of the options cannot be, by the names of the keys that people set.
func Check(o Options) error {
	if o.Provider == "" || o.Provider == Demo {
		return nil
	}
	_, err := newService(o)
	return err
}

// New makes the tools. An error says what of the options cannot be.
func New(o Options) (*Web, error) {
	pages := &http.Client{}
	*pages = *safehttp.New(safehttp.Options{Allow: o.Allow, Timeout: fetchTime})
	w := &Web{clock: o.Clock}
	if o.Provider == Demo {
		corpus := samplePages()
		pages.Transport = sampleTransport{corpus, pages.Transport}
		w.search = &Search{ask: corpus.ask, log: o.Logger}
	} else if o.Provider != "" {
		s, err := newService(o)
		if err != nil {
			return nil, err
		}
		w.search = &Search{ask: s.ask, log: o.Logger}
	}
	w.fetch, w.downloads = newFetch(pages, o.Clock), newDownloads(pages)
	return w, nil
}

// Search is the tool that searches, nil where no service is configured.
func (w *Web) Search() *Search { return w.search }

// Fetch is the tool that reads pages.
func (w *Web) Fetch() *Fetch { return w.fetch }

// spec is what both tools declare.
func spec(name, description, parameters string) agent.ToolSpec {
	return agent.ToolSpec{
		Name: name, Description: strings.TrimSpace(description), Parameters: json.RawMessage(parameters), Source: "builtin",
		Set: agent.WebTools, Effect: agent.EffectNetwork, Idempotent: true,
	}
}

// failed is the result of a call that did not work.
func failed(kind agent.ErrorType, format string, args ...any) agent.ToolResult {
	return agent.ToolResult{ErrorType: kind, Content: fmt.Sprintf(format, args...)}
}

// encode writes a result, with addresses as they are.
func encode(v any) agent.ToolResult {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return failed(agent.ErrExecution, "The result cannot be written: %v", err)
	}
	return agent.ToolResult{Content: strings.TrimSpace(b.String())}
}

func isRefused(err error) bool {
	for err != nil {
		if r, ok := err.(interface{ Refused() bool }); ok && r.Refused() {
			return true
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return false
		}
		err = u.Unwrap()
	}
	return false
}
