package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/agent/documents"
	"fusebox/agent/documents/child"
	"fusebox/agent/guards"
	"fusebox/agent/imports"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/prices"
	"fusebox/agent/safehttp"
	"fusebox/agent/sandbox"
	"fusebox/agent/service"
	"fusebox/agent/tools"
	"fusebox/agent/tools/discovery"
	"fusebox/agent/tools/mcp"
	"fusebox/agent/tools/openapi"
	"fusebox/agent/tools/sandboxed"
	"fusebox/agent/tools/web"
	"fusebox/agent/vectors"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// outside holds what the program reaches beyond itself: models and tools.
type outside struct {
	models  *outlet
	tools   *tools.Registry
	sources *toolSources
	// shelf has the files of documents, queue those that wait to be read.
	shelf *documents.Shelf
	queue *documents.Queue
	// imports unpacks what becomes many documents.
	imports *imports.Queue
	// documents has what people command of their documents.
	documents *service.Documents
	// web is searched by tools, and people fetch files from it.
	web *web.Web
	// finder finds passages of documents.
	finder *vectors.Index
	// instructions are what the configured folder says of tools, by their names.
	instructions map[string]string
}

// connect makes the models' endpoints and the tools. Without an endpoint the
// demo model and the sample weather answer, over loopback like real ones.
func connect(ctx context.Context, c *config.Config, log *slog.Logger, own func(fs.FileInfo) bool, db *store.Store, raw func(agent.Exchange)) (*outside, error) {
	connections, err := db.Connections(ctx)
	if err != nil {
		return nil, err
	}
	if c.UsesDemo() {
		if err := startDemo(ctx, c); err != nil {
			return nil, err
		}
		if !anyConnected(connections) {
			if err := startSamples(ctx, c); err != nil {
				return nil, err
			}
			log.Info("no endpoint is configured: the demo model answers")
		}
	}
	out := &outside{}
	if out.models, err = newOutlet(ctx, *c, log, connections, raw); err != nil { // one whose endpoints are down starts all the same
		return nil, err
	}
	out.finder, err = vectors.New(ctx, vectors.Options{Store: db, Embedder: out.models.router, Counter: out.models.router, Model: c.EmbeddingModel, Clock: agent.SystemClock{}, Log: log})
	if err != nil {
		return nil, err
	}
	box, err := newSandbox(c, log)
	if err != nil {
		return nil, err
	}
	if out.web, err = newWeb(c, log); err != nil {
		return nil, err
	}
	if err := out.openDocuments(ctx, c, log, box, db); err != nil {
		return nil, err
	}
	if out.tools, err = newTools(c, log, own, box, &service.Memory{Store: db, Clock: agent.SystemClock{}, NewID: newID}, library{db, out.finder}, out.documents, out.web); err != nil {
		return nil, err
	}
	if c.Tool.Instructions != "" {
		if out.instructions, err = tools.Instructions(c.Tool.Instructions); err != nil {
			return nil, usagef("tool.instructions = %q cannot be used: %v; allowed: a folder with files TOOL.jit.md", c.Tool.Instructions, err)
		}
	}
	out.sources, err = newToolSources(ctx, c, log, out.tools, box, db)
	return out, err
}

// library is what tools know of people's documents.
type library struct {
	*store.Store
	*vectors.Index
}

// parallelReaders is how many documents are read at the same time.
const parallelReaders = 2

func (o *outside) openDocuments(ctx context.Context, c *config.Config, log *slog.Logger, box *sandbox.Sandbox, db *store.Store) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program itself: %w", err)
	}
	if o.shelf, err = documents.OpenShelf(c.Data); err != nil {
		return err
	}
	if err := o.shelf.Recover(ctx, db.HasDocumentFile); err != nil {
		return fmt.Errorf("put documents that had arrived on the shelf: %w", err)
	}
	reader := child.Child{Box: box, Program: program, Path: c.Path}
	o.queue = &documents.Queue{Store: db, Shelf: o.shelf, Reader: reader, Parallel: parallelReaders, OnRead: o.finder.Wake, Clock: agent.SystemClock{}, Log: log}
	o.documents = &service.Documents{Store: db, Shelf: o.shelf, Queue: o.queue, Web: o.web, Finder: o.finder, Clock: agent.SystemClock{}, NewID: newID, Log: log}
	o.imports = &imports.Queue{Store: db, Shelf: o.shelf, Library: o.documents, Web: o.web, Clock: agent.SystemClock{}, Log: log}
	return nil
}

func newTools(c *config.Config, log *slog.Logger, own func(fs.FileInfo) bool, box *sandbox.Sandbox, memory tools.Memory, library tools.Documents, notes tools.Notes, search *web.Web) (*tools.Registry, error) {
	client, err := clientFor(safehttp.Options{Timeout: c.Tool.Timeout}, c.Weather.ForecastURL, c.Weather.GeocodingURL)
	if err != nil {
		return nil, err
	}
	var samples fs.FS
	if c.Samples {
		samples = demo.Samples()
	}
	return tools.New(tools.Config{
		Web:     search,
		DataDir: c.Data, Samples: samples, ServerFile: own, Sandbox: box, HTTPClient: client, ForecastURL: c.Weather.ForecastURL, GeocodingURL: c.Weather.GeocodingURL,
		Timeout: c.Tool.Timeout, OutputLimit: c.Tool.OutputLimit, Files: agent.FileLimits(c.Files), Limits: c.Limits, Memory: memory, Documents: library, Notes: notes, Clock: agent.SystemClock{}, Logger: log,
	})
}

func newWeb(c *config.Config, log *slog.Logger) (*web.Web, error) {
	return web.New(web.Options{
		Provider: c.Web.Provider, URL: c.Web.URL, Key: c.Web.Key, KeyEnv: c.Web.KeyEnv, Allow: c.Web.Allow, Clock: agent.SystemClock{}, Logger: log,
	})
}

// newSandbox finds out which walls this machine allows around the programs of tools. The
// data folder, the database, and the configuration are hidden wherever they are.
func newSandbox(c *config.Config, log *slog.Logger) (*sandbox.Sandbox, error) {
	box, err := sandbox.New(sandbox.Options{
		Mode: sandbox.Mode(c.Tool.Sandbox), Limits: c.Sandbox, Data: c.Data, Logger: log,
		Hidden: []string{c.File, c.Database, c.Database + "-wal", c.Database + "-shm"},
	})
	if err != nil {
		return nil, fmt.Errorf("find the walls around commands: %w", err)
	}
	return box, nil
}

// clientFor makes a client that may reach, besides the public internet, the
// given configured addresses, be they private.
func clientFor(o safehttp.Options, urls ...string) (*http.Client, error) {
	for _, u := range urls {
		origin, err := safehttp.Origin(u)
		if err != nil {
			return nil, usagef("%q is not an address: %v", u, err)
		}
		o.Allow = append(o.Allow, origin)
	}
	return safehttp.New(o), nil
}

// startDemo serves the demo model until ctx ends.
func startDemo(ctx context.Context, c *config.Config) error {
	model, err := demo.Listen(context.WithoutCancel(ctx), "127.0.0.1:0", demo.Options{Delay: c.Demo.Delay})
	if err != nil {
		return fmt.Errorf("start the demo model: %w", err)
	}
	c.BaseURL = model.BaseURL()
	c.DemoModels = []config.ProviderModel{{Name: demo.Model}}
	for _, f := range demo.Families() {
		m := config.ProviderModel{Name: demo.Model + ":" + string(f), Family: string(f)}
		c.DemoModels = append(c.DemoModels, m)
		c.Prices[m.Name] = config.DemoPrice
	}
	c.Prices[demo.EmbeddingModel] = config.DemoPrice
	return nil
}

// startSamples serves the sample weather until ctx ends, and has tools take it and the sample web.
func startSamples(ctx context.Context, c *config.Config) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start the sample weather: %w", err)
	}
	weather := &http.Server{Handler: tools.SampleWeather(), ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout}
	go func() { _ = weather.Serve(listener) }() // ends with the process
	c.Samples = true
	c.Web.Provider = cmp.Or(c.Web.Provider, web.Demo)
	c.Weather.ForecastURL = "http://" + listener.Addr().String()
	c.Weather.GeocodingURL = c.Weather.ForecastURL
	return nil
}

func newLoop(c config.Config, log *slog.Logger, db *store.Store, out *outside, book *prices.Book) *loop.Loop {
	return &loop.Loop{
		Journal: db, Provider: out.models.router, Counter: out.models.router, Tools: out.tools, OpenImage: out.tools.ImageData, Policy: policy.New(c.Policy.Rules...),
		Guards: guards.All, Streams: guards.Streams, Judge: guards.ModelJudge{}, RiskJudge: policy.ModelJudge{}, Reminder: guards.Reminder, Clock: agent.SystemClock{}, NewID: newID, Log: log,
		Settings: loop.Settings{
			Guards: c.Guard, Parallel: c.Tool.Parallel, ToolsInView: c.Tool.InView, Instructions: out.instructions, MaxOutput: c.Model.MaxOutput, ResultLimit: c.Tool.OutputLimit, ApprovalTimeout: c.Approval.Timeout,
			RiskModel: c.Policy.JudgeModel,
			Price:     func(model string) (agent.Price, bool) { return book.Price(model, time.Now()) },
			Window:    out.models.router.Window, CompactAt: c.Model.CompactAt, Output: agent.OutputMode(c.Model.Output),
		},
	}
}

type toolSources struct {
	servers  *mcp.Servers
	commands discovery.Options
	services *openapi.Sources
	// asked is closed once each command has been asked for its tools.
	asked chan struct{}
}

// newToolSources makes the configured sources; they start with run. Their tools are listed
// in the order of the configuration, whichever comes up first.
func newToolSources(ctx context.Context, c *config.Config, log *slog.Logger, to *tools.Registry, box *sandbox.Sandbox, db *store.Store) (*toolSources, error) {
	data, err := filepath.Abs(c.Data)
	if err != nil {
		return nil, err
	}
	host := sandboxed.Host{Box: box, Data: data, Base: filepath.Dir(c.File), Path: c.Path}
	for _, s := range c.Servers {
		to.Reserve("mcp:" + s.Name)
	}
	for _, s := range c.Commands {
		to.Reserve("command:" + s.Name)
	}
	for _, s := range c.OpenAPI {
		to.Reserve("openapi:" + s.Name)
	}
	services, err := openapi.New(ctx, openapi.Options{Sources: c.OpenAPI, Documents: db, Memory: db, Tools: to, Base: host.Base, Clock: agent.SystemClock{}, Log: log})
	if err != nil {
		return nil, err
	}
	servers, err := mcp.New(ctx, mcp.Options{Servers: c.Servers, Host: host, Memory: db, Tools: to, Clock: agent.SystemClock{}, Log: log})
	if err != nil {
		return nil, err
	}
	asked := make(chan struct{})
	commands := discovery.Options{Sources: c.Commands, Host: host, Tools: to, Log: log, Asked: func() { close(asked) }}
	return &toolSources{servers, commands, services, asked}, nil
}

// ready waits until runs can be continued: a model that was offered a tool before the
// server was started again would be told that there is none. A command that is asked has
// half a minute; the tools of MCP servers and services are remembered.
func (s *toolSources) ready(ctx context.Context) {
	select {
	case <-s.asked:
	case <-ctx.Done():
	}
}

// run keeps the sources alive until ctx ends, and returns when nothing of them is left.
func (s *toolSources) run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { s.servers.Run(ctx) })
	all.Go(func() { discovery.Run(ctx, s.commands) })
	all.Wait()
}
