package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fusebox/agent/safehttp"
)

// The services that search.
const (
	Demo    = "demo" // the sample pages
	SearXNG = "searxng"
	Brave   = "brave"
	Tavily  = "tavily"
	JSON    = "json"
)

// Providers are all of them.
func Providers() []string { return []string{Demo, SearXNG, Brave, Tavily, JSON} }

// maxAnswer bounds what is read of a service's answer.
const maxAnswer = 2 << 20

// adapter knows how one service is asked.
type adapter struct {
	home     string // where it answers, "" for one that everybody runs for themselves
	needsKey bool
	request  func(s *service, query string, count int) (*http.Request, error)
	read     func(body []byte) ([]Result, error)
}

var adapters = map[string]adapter{
	SearXNG: {request: searxngRequest, read: readContents},
	Brave:   {home: "https://api.search.brave.com/res/v1/web/search", needsKey: true, request: braveRequest, read: readBrave},
	Tavily:  {home: "https://api.tavily.com/search", needsKey: true, request: tavilyRequest, read: readContents},
	JSON:    {request: jsonRequest, read: readPlain},
}

type service struct {
	adapter
	name, key, keyEnv string
	place             *url.URL
	client            *http.Client
}

func newService(o Options) (*service, error) {
	a, ok := adapters[o.Provider]
	if !ok {
		return nil, fmt.Errorf("web.search_provider = %q is not known; allowed: %s", o.Provider, strings.Join(Providers(), ", "))
	}
	address := cmp.Or(o.URL, a.home)
	switch {
	case address == "":
		return nil, fmt.Errorf("web.search_provider = %q needs web.search_url", o.Provider)
	case a.needsKey && o.Key == "":
		return nil, fmt.Errorf("web.search_provider = %q needs a key: set web.search_key_env to the name of the environment variable that has it", o.Provider)
	}
	place, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("web.search_url = %q is not an address", address)
	}
	origin, err := safehttp.Origin(address)
	if err != nil {
		return nil, fmt.Errorf("web.search_url = %q is not an address: %w", address, err)
	}
	client := safehttp.New(safehttp.Options{Allow: append([]string{origin}, o.Allow...), Timeout: searchTime})
	// A key goes to the configured place only.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &service{adapter: a, name: o.Provider, key: o.Key, keyEnv: o.KeyEnv, place: place, client: client}, nil
}

// serviceError is an answer without results, as an admin and as the model is told.
type serviceError struct{ admin, model string }

func (e *serviceError) Error() string { return e.admin }

func (s *service) ask(ctx context.Context, query string, count int) ([]Result, error) {
	req, err := s.request(s, query, count)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", userAgent)
	res, err := s.client.Do(req.WithContext(ctx))
	if err != nil {
		return nil, s.unreachable(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, s.refusal(res)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, s.unreachable(err)
	}
	found, err := s.read(body)
	if err != nil || len(body) > maxAnswer {
		return nil, &serviceError{
			admin: "web.search_url: " + s.name + " did not answer with the JSON that is expected of it; is it the right address?",
			model: "The search service did not answer with a list of results. An admin has to look at web.search_url.",
		}
	}
	return found, nil
}

// unreachable words an error of the network. The address may have a key in it: it is left out.
func (s *service) unreachable(err error) error {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return &serviceError{
			admin: s.name + " did not answer in time",
			model: "The search service did not answer in time. Try again later, or answer without a search and say so.",
		}
	}
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	return fmt.Errorf("%s could not be reached: %w", s.name, err)
}

func (s *service) refusal(res *http.Response) error {
	answered := fmt.Sprintf("%s answered %d", s.name, res.StatusCode)
	switch {
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden && s.name != SearXNG:
		return &serviceError{
			admin: answered + ": the key of " + cmp.Or(s.keyEnv, "web.search_key_env") + " is refused",
			model: "The search service refuses the key of this server. An admin has to set web.search_key_env; another try does not help.",
		}
	case res.StatusCode == http.StatusForbidden:
		return &serviceError{
			admin: answered + ": the instance has to list json among its search formats",
			model: "The search service refuses to answer programs. An admin has to allow its JSON format; another try does not help.",
		}
	case res.StatusCode == http.StatusTooManyRequests:
		return &serviceError{
			admin: answered + ": too many searches" + after(res),
			model: "The search service has had too many searches" + after(res) + ". Search less, or answer without a search and say so.",
		}
	default:
		return &serviceError{admin: answered, model: fmt.Sprintf("The search service answered %d. Try again later, or answer without a search and say so.", res.StatusCode)}
	}
}

// after says when a service may be asked again, where it has said so.
func after(res *http.Response) string {
	n, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || n <= 0 {
		return ""
	}
	return "; it may be asked again in " + (time.Duration(n) * time.Second).String()
}

// get asks with parameters in the address.
func (s *service) get(place *url.URL, params url.Values) (*http.Request, error) {
	u := *place
	q := u.Query()
	maps.Copy(q, params)
	u.RawQuery = q.Encode()
	return http.NewRequest(http.MethodGet, u.String(), nil) //nolint:noctx // ask sets the context
}

// bearer gets along with a key and without.
func (s *service) bearer(req *http.Request, err error) (*http.Request, error) {
	if err == nil && s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	return req, err
}

func jsonRequest(s *service, query string, _ int) (*http.Request, error) {
	return s.bearer(s.get(s.place, url.Values{"q": {query}}))
}

func searxngRequest(s *service, query string, _ int) (*http.Request, error) {
	place := s.place
	if !strings.HasSuffix(place.Path, "/search") {
		place = place.JoinPath("search")
	}
	return s.bearer(s.get(place, url.Values{"q": {query}, "format": {"json"}}))
}

func braveRequest(s *service, query string, count int) (*http.Request, error) {
	req, err := s.get(s.place, url.Values{"q": {query}, "count": {strconv.Itoa(count)}})
	if err == nil {
		req.Header.Set("X-Subscription-Token", s.key)
	}
	return req, err
}

func tavilyRequest(s *service, query string, count int) (*http.Request, error) {
	body, err := json.Marshal(map[string]any{"query": query, "max_results": count})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, s.place.String(), bytes.NewReader(body)) //nolint:noctx // ask sets the context
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return s.bearer(req, err)
}

var errNoResults = errors.New("the answer has no list of results")

func readPlain(body []byte) ([]Result, error) {
	var a struct{ Results *[]Result }
	if err := json.Unmarshal(body, &a); err != nil || a.Results == nil {
		return nil, cmp.Or(err, errNoResults)
	}
	return *a.Results, nil
}

// readContents reads the form in which SearXNG and Tavily answer.
func readContents(body []byte) ([]Result, error) {
	var a struct {
		Results *[]struct{ Title, URL, Content string }
	}
	if err := json.Unmarshal(body, &a); err != nil || a.Results == nil {
		return nil, cmp.Or(err, errNoResults)
	}
	var found []Result
	for _, r := range *a.Results {
		found = append(found, Result{r.Title, r.URL, r.Content})
	}
	return found, nil
}

// readBrave reads an answer of Brave, which leaves "web" out where it has found nothing.
func readBrave(body []byte) ([]Result, error) {
	var a struct {
		Type string
		Web  *struct {
			Results []struct{ Title, URL, Description string }
		}
	}
	if err := json.Unmarshal(body, &a); err != nil || a.Web == nil && a.Type != "search" {
		return nil, cmp.Or(err, errNoResults)
	}
	var found []Result
	if a.Web != nil {
		for _, r := range a.Web.Results {
			found = append(found, Result{r.Title, r.URL, r.Description})
		}
	}
	return found, nil
}
