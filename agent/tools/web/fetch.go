package web

import (
	"context"
	_ "embed" // the description is a file
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/lru"
	"fusebox/agent/sources"
)

//go:embed web_fetch.md
var fetchText string

// The limits on pages, and on the cache of pages.
const (
	maxPage   = 5 << 20
	cacheRoom = 16 << 20
	cacheAge  = 10 * time.Minute
)

// Fetch is the tool web_fetch.
type Fetch struct {
	client *http.Client
	clock  agent.Clock
	robots *robots
	pages  *lru.Cache[kept]
}

type kept struct {
	page
	at time.Time
}

type page struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Text  string `json:"text"`
}

func newFetch(client *http.Client, clock agent.Clock) *Fetch {
	f := &Fetch{client: client, clock: clock, pages: lru.New[kept](cacheRoom)}
	f.robots = &robots{client: client, clock: clock, sites: lru.New[site](robotsKept)}
	checked := *client
	checked.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if _, err := pageAddress(req.URL.String()); err != nil {
			return err
		}
		if err := client.CheckRedirect(req, via); err != nil {
			return err
		}
		return f.robots.allow(req.Context(), req.URL)
	}
	f.client = &checked
	return f
}

// Spec declares the tool.
func (*Fetch) Spec() agent.ToolSpec {
	s := spec(sources.FetchTool, fetchText, `{
		"type": "object", "additionalProperties": false, "required": ["url"],
		"properties": {"url": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "The address of a page, with https:// or http://"}}
	}`)
	s.Risk, s.Address, s.Timeout = agent.RiskMedium, "url", fetchTime
	return s
}

// refusal is why a page is not read. It does not repeat the address, which the model chose.
type refusal string

func (r refusal) Error() string { return string(r) }

// Run reads a page.
func (f *Fetch) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ URL string }
	if err := json.Unmarshal(in.Args, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	u, err := pageAddress(args.URL)
	if err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	if k := f.pages.Get(u.String()); k.URL != "" && f.clock.Now().Sub(k.at) < cacheAge {
		return encode(k.page)
	}
	p, err := f.read(ctx, u)
	if err != nil {
		return failure(ctx, err)
	}
	f.pages.Put(u.String(), kept{p, f.clock.Now()}, len(p.Text)+len(p.Title)+2*len(p.URL))
	return encode(p)
}

// failure words why a page could not be had.
func failure(ctx context.Context, err error) agent.ToolResult {
	var why refusal
	var timeout interface{ Timeout() bool }
	switch {
	case ctx.Err() != nil:
		return agent.ToolResult{ErrorType: agent.ErrCancelled}
	case errors.As(err, &why):
		return failed(agent.ErrNetwork, "%s", string(why))
	case isRefused(err):
		return failed(agent.ErrPermission, "The address is not on the public internet, so it is not read. Another try does not help.")
	case errors.As(err, &timeout) && timeout.Timeout():
		return failed(agent.ErrNetwork, "The page did not answer within %s.", fetchTime)
	default:
		return failed(agent.ErrNetwork, "The page could not be reached.")
	}
}

// pageAddress reads the address of a page, without the place in it.
func pageAddress(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || u.Hostname() == "":
		return nil, errors.New("this is not the address of a page; give one that begins with https://")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("pages are read with http or https, not %s", agent.Clip(u.Scheme, 20))
	case u.User != nil:
		return nil, errors.New("an address with a name or a password in it is not read")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func (f *Fetch) read(ctx context.Context, u *url.URL) (page, error) {
	if err := f.robots.allow(ctx, u); err != nil {
		return page{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return page{}, err
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "text/html, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.1")
	res, err := f.client.Do(req)
	if err != nil {
		return page{}, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return page{}, refusal(fmt.Sprintf("The site answered %d %s, without a page.", res.StatusCode, http.StatusText(res.StatusCode)))
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxPage+1))
	if err != nil {
		return page{}, err
	}
	if len(body) > maxPage {
		return page{}, refusal(fmt.Sprintf("The page is larger than %d MB, so it is not read.", maxPage>>20))
	}
	return readable(res.Request.URL, contentType(res, body), body)
}

// contentType is what the page says it is, or what it looks like.
func contentType(res *http.Response, body []byte) string {
	said := res.Header.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(said); err != nil || kind == "application/octet-stream" {
		return http.DetectContentType(body)
	}
	return said
}
