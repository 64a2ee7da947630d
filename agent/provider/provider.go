package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"fusebox/agent"
)

// DefaultBaseURL is where a key without an endpoint belongs.
const DefaultBaseURL = "https://api.openai.com/v1"

const defaultIdle = 60 * time.Second

// Config is one endpoint. HTTPClient is required; everything else has a
// default. The key goes to BaseURL's origin and nowhere else.
type Config struct {
	BaseURL    string
	APIKey     string
	HTTPClient *http.Client
	Retry      RetryConfig
	// IdleTimeout counts from the sent request to the first byte and between
	// any two chunks; FirstByteTimeout replaces the first half of that if set.
	IdleTimeout      time.Duration
	FirstByteTimeout time.Duration
	Clock            agent.Clock
	Rand             func() float64 // in [0, 1), for the jitter
	Logger           *slog.Logger
}

// Provider is an OpenAI-compatible endpoint. It is safe for concurrent use.
type Provider struct {
	api       openai.Client
	key       string
	retries   RetryConfig
	idle      time.Duration
	firstByte time.Duration
	clock     agent.Clock
	rand      func() float64
	log       *slog.Logger
	tokens    *tokenCounter
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
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("base URL: must hold neither a user, a query nor a fragment")
	}
	if c.HTTPClient == nil {
		return nil, errors.New("an HTTP client is required")
	}
	p := &Provider{
		key: c.APIKey, retries: c.Retry.withDefaults(), idle: c.IdleTimeout, firstByte: c.FirstByteTimeout,
		clock: c.Clock, rand: c.Rand, log: c.Logger, tokens: newTokenCounter(),
	}
	p.defaults()
	p.api = openai.Client{Options: p.options(base, c.HTTPClient)}
	return p, nil
}

func (p *Provider) defaults() {
	if p.idle <= 0 {
		p.idle = defaultIdle
	}
	if p.clock == nil {
		p.clock = wallClock{}
	}
	if p.rand == nil {
		p.rand = rand.Float64
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
}

// wallClock is the clock of a Provider that was given none.
type wallClock struct{}

func (wallClock) Now() time.Time                         { return time.Now() }
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// options configure the SDK's client by hand: its constructor would read the
// environment.
func (p *Provider) options(base *url.URL, client *http.Client) []option.RequestOption {
	opts := []option.RequestOption{
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(keepHost(client)),
		option.WithMaxRetries(0), // retry.go is the only layer
		option.WithHeader("User-Agent", "fusebox"),
		option.WithMiddleware(p.readStatus),
	}
	if p.key != "" {
		opts = append(opts, option.WithAPIKey(p.key))
	}
	return opts
}

var errRedirect = errors.New("redirect to another host")

// keepHost refuses redirects that would take the request, and with it the
// conversation, to another host or scheme.
func keepHost(client *http.Client) *http.Client {
	kept, check := *client, client.CheckRedirect
	kept.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
			return errRedirect
		}
		if check != nil {
			return check(req, via)
		}
		if len(via) >= 5 {
			return errors.New("too many redirects")
		}
		return nil
	}
	return &kept
}

const maxErrorBody = 64 << 10

// readStatus takes errors before the SDK does, which loses the status of
// bodies it does not know.
func (p *Provider) readStatus(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err != nil || (res.StatusCode >= 200 && res.StatusCode < 300) {
		return res, err
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody)) // half a text is better than none
	f := statusFailure(res.StatusCode, body)
	f.after = retryAfter(res.Header, p.clock.Now())
	return nil, f
}

// Complete implements agent.Provider.
func (p *Provider) Complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	acc, err := p.complete(ctx, req, sink)
	var sunk sinkError
	switch {
	case err == nil:
		return p.whole(req, acc), nil
	case errors.As(err, &sunk):
		return p.partial(req, acc), sunk.err
	case ctx.Err() != nil:
		return p.partial(req, acc), context.Cause(ctx)
	default:
		return p.partial(req, acc), err
	}
}

func (p *Provider) complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (*accumulator, error) {
	history, repairs := repair(req.Messages)
	if repairs > 0 {
		p.log.WarnContext(ctx, "history repaired before sending", "repairs", repairs)
	}
	acc := newAccumulator(sink, req.Messages, history)
	err := p.persist(ctx, newParams(req, history), acc, inPieces)
	if err != nil || acc.unfinished == 0 {
		return acc, err
	}
	return p.mend(ctx, req, history, acc)
}

// form is how an answer is asked for.
type form bool

const (
	inPieces   form = true
	inOnePiece form = false
)

// persist makes a call, and again after each failure that may pass.
func (p *Provider) persist(ctx context.Context, params openai.ChatCompletionNewParams, acc *accumulator, as form) error {
	for n := 1; ; n++ {
		err := p.try(ctx, params, acc, as)
		var f *failure
		if !errors.As(err, &f) || ctx.Err() != nil {
			return err
		}
		if !f.retryable || f.after > longestWait || n > p.retries.Max {
			return p.giveUp(f, n)
		}
		if err := p.retry(ctx, n, f, acc); err != nil {
			return err
		}
	}
}

// try makes the call once. Its errors are *failure, sinkError or, when the
// caller cancelled, anything.
func (p *Provider) try(ctx context.Context, params openai.ChatCompletionNewParams, acc *accumulator, as form) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dog := p.watch(ctx, cancel, as)
	err := p.exchange(ctx, params, acc, dog, as)
	var sunk sinkError
	if err == nil || errors.As(err, &sunk) {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(cause, errNoFirstByte) || errors.Is(cause, errIdle) {
		return p.polish(&failure{retryable: true, said: "did not answer in time", err: cause})
	}
	var f *failure
	if !errors.As(err, &f) {
		f = readFailure(err)
	}
	return p.polish(f)
}

func (p *Provider) exchange(ctx context.Context, params openai.ChatCompletionNewParams, acc *accumulator, dog *watchdog, as form) error {
	if as == inOnePiece {
		params.StreamOptions = openai.ChatCompletionStreamOptionsParam{} // it is refused without a stream
	}
	var res *http.Response
	if err := p.api.Post(ctx, "chat/completions", params, &res, option.WithJSONSet("stream", bool(as))); err != nil {
		if f := (*failure)(nil); errors.As(err, &f) {
			return f
		}
		return transportFailure(err)
	}
	defer func() { _ = res.Body.Close() }()
	s, err := openStream(watchedBody{res.Body, dog}, dog.sawData)
	if err != nil {
		return err
	}
	return drain(s, acc, dog)
}

// drain reads the stream to its end. Once the finish reason is there, a broken
// end does no harm: only the usage may be missing.
func drain(s stream, acc *accumulator, dog *watchdog) error {
	for {
		c, err := s.Next()
		switch {
		case errors.Is(err, errDone), err != nil && acc.finish != "":
			return acc.end()
		case errors.Is(err, io.EOF):
			return fmt.Errorf("neither a finish reason nor an end mark: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return err
		}
		if err := acc.add(c); err != nil {
			return err
		}
		if acc.finish != "" {
			dog.sawFinish()
		}
	}
}

// whole is the completion of a stream that came to its end.
func (p *Provider) whole(req agent.Request, acc *accumulator) agent.Completion {
	c := acc.completion()
	if acc.usage != nil {
		c.Usage = acc.usage.domain()
	} else {
		c.Usage = p.estimate(req, c)
	}
	c.Usage = c.Usage.Add(acc.spent)
	return c
}

// partial is what arrived of a stream that did not: its text, and no call.
func (p *Provider) partial(req agent.Request, acc *accumulator) agent.Completion {
	c := p.whole(req, acc)
	c.Calls = nil
	return c
}
