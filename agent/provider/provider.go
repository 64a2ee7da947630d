package provider

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"fusebox/agent"
	"fusebox/agent/provider/wire"
)

// DefaultBaseURL is where a key without an endpoint belongs.
const DefaultBaseURL = "https://api.openai.com/v1"

const defaultIdle = 60 * time.Second

// Config is one endpoint. HTTPClient is required; everything else has a
// default. The key goes to BaseURL's origin and nowhere else.
type Config struct {
	// Name tells endpoints apart; its models are called NAME/MODEL. The one
	// without a name is the one whose models go by their own.
	Name string
	// BaseURL may carry a query, which goes along with each request.
	BaseURL string
	APIKey  string
	// KeyHeader is where the key goes; "" is a bearer token, or what the family wants.
	KeyHeader string
	Headers   map[string]string
	// Family is guessed from the address where it is Plain.
	Family Family
	Models []Model
	// Window is the context window of models that do not say, 0 if unknown.
	Window     int64
	HTTPClient *http.Client
	Retry      RetryConfig
	// IdleTimeout counts from the sent request to the first byte and between
	// any two chunks; FirstByteTimeout replaces the first half of that if set.
	IdleTimeout      time.Duration
	FirstByteTimeout time.Duration
	// Raw gets every exchange of a request with a RunID, without secrets; nil gets none.
	Raw    func(agent.Exchange)
	Clock  agent.Clock
	Rand   func() float64 // in [0, 1), for the jitter
	Logger *slog.Logger
}

// request is a method of openai-go's client. A Provider has the two it needs
// and not the client: a value that becomes an interface keeps the methods of
// all types in it, and the client has every service of the API in it.
type request func(ctx context.Context, path string, params, res any, opts ...option.RequestOption) error

// Provider is an OpenAI-compatible endpoint. It is safe for concurrent use.
type Provider struct {
	name         string
	address      string
	family       Family
	models       []Model
	window       int64
	post, get    request
	secrets      wire.Secrets
	retries      RetryConfig
	idle         time.Duration
	firstByte    time.Duration
	raw          *wire.RawLog
	clock        agent.Clock
	rand         func() float64
	log          *slog.Logger
	tokens       *tokenCounter
	tools        *toolTexts
	capabilities capabilities
	shares       shares
	refused      refusedTools
	breaker      breaker
	backoff      backoff
	// sight is which of its models see, as it listed them last; nil before that.
	sight atomic.Pointer[map[string]bool]
}

var (
	_ agent.Provider     = (*Provider)(nil)
	_ agent.TokenCounter = (*Provider)(nil)
)

// New makes a Provider. Nothing is sent yet.
func New(c Config) (*Provider, error) {
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, errors.New("base URL: want http://HOST/… or https://HOST/…")
	}
	if base.User != nil || base.Fragment != "" {
		return nil, errors.New("base URL: must hold neither a user nor a fragment")
	}
	if c.HTTPClient == nil {
		return nil, errors.New("an HTTP client is required")
	}
	if c.Family == Plain {
		c.Family = familyOf(base)
	}
	p := &Provider{
		name: c.Name, address: base.Scheme + "://" + base.Host + base.Path, family: c.Family, models: c.Models, window: c.Window,
		secrets: secretsOf(c, base), retries: c.Retry.withDefaults(), idle: c.IdleTimeout, firstByte: c.FirstByteTimeout,
		clock: c.Clock, rand: c.Rand, log: c.Logger,
		tokens: &tokenCounter{seed: maphash.MakeSeed(), cache: make(map[uint64]int64)},
	}
	p.tools = &toolTexts{counter: p.tokens, known: make(map[string]toolText)}
	if p.idle <= 0 {
		p.idle = defaultIdle
	}
	if p.clock == nil {
		p.clock = agent.SystemClock{}
	}
	if p.rand == nil {
		p.rand = rand.Float64
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	if c.Raw != nil {
		p.raw = &wire.RawLog{Add: c.Raw, Clock: p.clock, Secrets: p.secrets}
	}
	client := openai.Client{Options: p.options(c, base)}
	p.post, p.get = client.Post, client.Get
	return p, nil
}

// once is the same endpoint without retries.
func (p *Provider) once() *Provider {
	return &Provider{
		name: p.name, address: p.address, family: p.family, models: p.models, secrets: p.secrets,
		retries: RetryConfig{Fallbacks: p.retries.Fallbacks, ContinuePrompt: p.retries.ContinuePrompt},
		idle:    p.idle, firstByte: p.firstByte, clock: p.clock, rand: p.rand, log: p.log, tokens: p.tokens, tools: p.tools, post: p.post, get: p.get,
	}
}

// options configure the SDK's client by hand: its constructor would read the
// environment.
func (p *Provider) options(c Config, base *url.URL) []option.RequestOption {
	bare := *base
	bare.RawQuery = ""
	opts := []option.RequestOption{
		option.WithBaseURL(bare.String()),
		option.WithHTTPClient(keepHost(c.HTTPClient)),
		option.WithMaxRetries(0), // retry.go is the only layer
		option.WithHeader("User-Agent", "fusebox"),
		option.WithMiddleware(attachBody, p.readStatus),
	}
	for name, values := range base.Query() {
		for _, v := range values {
			opts = append(opts, option.WithQueryAdd(name, v))
		}
	}
	for name, value := range c.Headers {
		opts = append(opts, option.WithHeader(name, value))
	}
	switch header := cmp.Or(c.KeyHeader, keyHeaders[c.Family]); {
	case c.APIKey == "":
	case header != "":
		opts = append(opts, option.WithHeader(header, c.APIKey))
	default:
		opts = append(opts, option.WithAPIKey(c.APIKey))
	}
	return opts
}

// secretsOf are the key of an endpoint, and the values of its headers and of
// its address: that may contain keys too.
func secretsOf(c Config, base *url.URL) wire.Secrets {
	words := []string{c.APIKey}
	for _, v := range c.Headers {
		words = append(words, v)
	}
	for _, values := range base.Query() {
		for _, v := range values {
			words = append(words, v, url.QueryEscape(v))
		}
	}
	return wire.NewSecrets(words)
}
