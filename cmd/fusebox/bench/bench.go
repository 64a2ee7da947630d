package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// Options say what is measured and how the program is started.
type Options struct {
	Plan Plan
	// Target is the endpoint behind the server; without an address it is the built-in one.
	Target Target
	// Program is the executable, Env the environment that it gets besides the settings
	// of the measurement, Version what it calls itself.
	Program string
	Env     []string
	Version string
	// Prepare makes a database in a data folder, with accounts, and returns an API
	// token of each.
	Prepare func(ctx context.Context, data string, accounts int) (tokens []string, err error)
	// Dir is the parent of the temporary folder, the system's if empty.
	Dir string
	// Progress hears what is measured next.
	Progress func(what string)
}

const builtIn = "built-in"

type bench struct {
	Options
	direct *http.Client
	client *client
	server *server
	env    []string
	result Result
}

// Run measures. It leaves nothing behind, however it ends.
func Run(ctx context.Context, o Options) (r Result, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &bench{Options: o, direct: newHTTPClient(), client: &client{http: newHTTPClient()}}
	b.result = Result{Version: resultVersion, At: time.Now().UTC().Truncate(time.Second), Machine: machine(o.Version)}
	disconnect, err := b.connect(ctx)
	if err != nil {
		return r, err
	}
	defer disconnect()
	dir, err := os.MkdirTemp(o.Dir, "fusebox-bench-")
	if err != nil {
		return r, fmt.Errorf("make a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	defer func() {
		if b.server != nil {
			b.server.kill()
		}
	}()
	data := filepath.Join(dir, "data")
	most := max(b.Plan.Streams, b.Plan.Sockets, b.Plan.Runs, b.Plan.Parallel, 1)
	if b.client.tokens, err = b.Prepare(ctx, data, (most+streamsPerAccount-1)/streamsPerAccount); err != nil {
		return r, err
	}
	b.env = b.settings(data)
	err = b.measure(ctx)
	return b.result, err
}

// connect sees that the given endpoint answers, or starts the built-in one.
func (b *bench) connect(ctx context.Context) (disconnect func(), err error) {
	if b.given() {
		b.result.Endpoint = b.Target.String()
		_, err = b.Target.firstDelta(ctx, b.direct, b.Target.Model, brief)
		return func() {}, err
	}
	b.result.Endpoint = builtIn
	models := []string{modelOf(bulkModel, b.Plan.Deltas), modelOf(flushModel, firstDeltas), modelOf(pacedModel, b.Plan.Paced)}
	for _, n := range b.Plan.Steps {
		models = append(models, modelOf(callsModel, n))
	}
	e, err := listen(ctx, models, max(b.Plan.Deltas, firstDeltas))
	if err != nil {
		return nil, err
	}
	b.Target.BaseURL = e.baseURL
	return func() { _ = e.server.Close() }, nil
}

func (b *bench) given() bool { return b.Options.Target.Model != "" }

// settings are the environment of the server. Its limits are where they stop no
// measurement of the built-in endpoint, and no given model takes more than is told.
func (b *bench) settings(data string) []string {
	steps, retries, tokens, output := max(1000, b.Plan.maxSteps()), 0, 1_000_000_000, 1_000_000
	if b.given() {
		steps, retries, tokens, output = b.Plan.maxSteps(), 2, 200_000, 8192
	}
	return append(slices.Clip(b.Env),
		"FUSEBOX_ADDR=127.0.0.1:0", "FUSEBOX_DATA="+data,
		"OPENAI_BASE_URL="+b.Target.BaseURL, "OPENAI_API_KEY="+b.Target.Key, "FUSEBOX_MODEL="+b.Target.Model,
		"FUSEBOX_GUARD_MAX_STEPS="+strconv.Itoa(steps), "FUSEBOX_GUARD_MAX_DURATION=1h", "FUSEBOX_RETRY_MAX="+strconv.Itoa(retries),
		"FUSEBOX_BUDGET_RUN_TOKENS="+strconv.Itoa(tokens), "FUSEBOX_MODEL_MAX_OUTPUT_TOKENS="+strconv.Itoa(output),
		"FUSEBOX_RUN_PARALLEL="+strconv.Itoa(max(1000, b.Plan.Runs)), "FUSEBOX_RUN_PARALLEL_PER_USER="+strconv.Itoa(streamsPerAccount),
		"FUSEBOX_SERVER_REQUESTS_PER_SECOND=1000000", "FUSEBOX_TITLES_MODEL=off",
	)
}

// measure takes the lines of all sizes that the plan has, in the order of the table; the
// memory comes first, because later measurements leave more behind.
func (b *bench) measure(ctx context.Context) error {
	if !seesProcesses {
		b.note("Processor time and memory of the server are measured on Linux only.")
	}
	for _, part := range []struct {
		what    string
		planned bool
		measure func(context.Context) error
	}{
		{"start", true, b.measureStart},
		{"memory", b.Plan.Streams > 0 || b.given(), b.measureMemory},
		{"idle websockets", b.Plan.Sockets > 0, b.measureSockets},
		{"first delta", b.Plan.First > 0, b.measureFirst},
		{"deltas", b.Plan.Parallel > 0, b.measureDeltas},
		{"tool steps", len(b.Plan.Steps) > 0, b.measureSteps},
		{"chats", len(b.Plan.Chats) > 0, b.measureChats},
		{"many runs at once", b.Plan.Runs > 0, b.measureMany},
	} {
		if !part.planned {
			continue
		}
		b.Progress(part.what)
		if err := part.measure(ctx); err != nil {
			return fmt.Errorf("measure %s: %w", part.what, errors.Join(err, ctx.Err()))
		}
	}
	return nil
}

func (b *bench) add(l Line) { b.result.Lines = append(b.result.Lines, l) }

func (b *bench) addMore(l Line) {
	l.More = true
	b.add(l)
}

func (b *bench) note(text string) { b.result.Notes = append(b.result.Notes, text) }

// repeat measures for the share of time that each measurement has, at least once.
func (b *bench) repeat(measure func() error) error {
	for end := time.Now().Add(b.Plan.Share); ; {
		if err := measure(); err != nil || !time.Now().Before(end) {
			return err
		}
	}
}
