package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/sandbox"
	"fusebox/agent/tools/limits"
	"fusebox/agent/tools/web"
)

// Tool is one tool. Run gets arguments that fit its schema; it must
// end soon after ctx does.
type Tool interface {
	Spec() agent.ToolSpec
	Run(ctx context.Context, in agent.ToolInput) agent.ToolResult
}

// evidencer is a tool that can show a reviewer what a call would do.
type evidencer interface {
	Evidence(in agent.ToolInput) agent.ToolEvidence
}

// Config is what the tools need of the outside.
type Config struct {
	// DataDir holds workspaces/ and outputs/.
	DataDir string
	// ServerFile reports whether a file is one that the server has open, such as its
	// database; the tools leave it alone. nil is for a server without one.
	ServerFile func(fs.FileInfo) bool
	// Samples are put into each new workspace; nil for none.
	Samples fs.FS
	// HTTPClient is for get_weather, which asks the two addresses only.
	HTTPClient                *http.Client
	ForecastURL, GeocodingURL string
	// Timeout bounds a call of a tool that names none; OutputLimit is how many
	// bytes of a result are kept inline.
	Timeout     time.Duration
	OutputLimit int
	// Web has the tools that search the web and read its pages; nil leaves them out.
	Web *web.Web
	// Limits bound how many calls of a tool, or of a source, are made.
	Limits []limits.Limit
	// Files bounds what people put into workspaces.
	Files agent.FileLimits
	// Memory is what is remembered about people; nil for a server that remembers nothing.
	Memory Memory
	// Documents are those of people; nil for a server without any.
	Documents Documents
	// Notes keep what agents write for people; nil where there are no documents.
	Notes Notes
	// Sandbox starts the programs of tools.
	Sandbox *sandbox.Sandbox
	// Clock bounds calls; nil is the machine's.
	Clock  agent.Clock
	Logger *slog.Logger
}

// check finds what would only fail in the middle of a call.
func (c Config) check() error {
	switch {
	case c.DataDir == "":
		return errors.New("tools need a data folder")
	case c.HTTPClient == nil:
		return errors.New("tools need an HTTP client")
	case c.Logger == nil:
		return errors.New("tools need a logger")
	case c.Sandbox == nil:
		return errors.New("tools need a sandbox")
	case c.Timeout <= 0:
		return fmt.Errorf("the time limit of tools is %s; it must be above 0", c.Timeout)
	case c.OutputLimit <= 0:
		return fmt.Errorf("the output limit of tools is %d; it must be above 0", c.OutputLimit)
	}
	return nil
}

// Registry implements agent.Toolbox.
type Registry struct {
	Files
	catalog
	spaces  workspaces
	outputs *outputs
	timeout time.Duration
	clock   agent.Clock
	limit   int
	limits  *limits.Limits
	files   agent.FileLimits
	log     *slog.Logger
	box     *sandbox.Sandbox
}

var _ agent.Toolbox = (*Registry)(nil)

// Folders are those of the data folder that hold what tools have left.
func Folders() []string { return []string{"workspaces", "outputs"} }

// New makes the registry with all built-in tools.
func New(c Config) (*Registry, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Clock == nil {
		c.Clock = agent.SystemClock{}
	}
	// Absolute, because a command gets its workspace as HOME and as working folder.
	data, err := filepath.Abs(c.DataDir)
	if err != nil {
		return nil, fmt.Errorf("find the data folder: %w", err)
	}
	for _, dir := range Folders() {
		if err := os.MkdirAll(filepath.Join(data, dir), 0o700); err != nil {
			return nil, fmt.Errorf("make folder for tools: %w", err)
		}
	}
	spaces := workspaces{dir: filepath.Join(data, "workspaces"), samples: c.Samples, serverFile: c.ServerFile, turns: &turns{busy: map[string]*turn{}}}
	if err := spaces.prepareArrivals(); err != nil {
		return nil, fmt.Errorf("make folder for uploads: %w", err)
	}
	out := &outputs{dir: filepath.Join(data, "outputs"), documents: c.Documents}
	all := []Tool{
		calculator{},
		weather{client: c.HTTPClient, forecast: c.ForecastURL, geocoding: c.GeocodingURL},
		listFiles{spaces},
		readFile{spaces: spaces, outputs: out, inline: c.OutputLimit},
		globFiles{spaces},
		grepFiles{spaces},
		fetchOutput{outputs: out, inline: c.OutputLimit},
		writeFile{spaces},
		editFile{spaces},
		runShell{spaces: spaces, outputs: out, inline: c.OutputLimit, box: c.Sandbox},
		findTools{},
		updatePlan{},
		delegate{},
		readResult{inline: c.OutputLimit},
		askUser{},
		handOver{},
		emitValue{},
		terminate{},
	}
	if c.Web != nil {
		if search := c.Web.Search(); search != nil {
			all = append(all, search)
		}
		all = append(all, c.Web.Fetch())
	}
	if c.Memory != nil {
		all = append(all, remember{c.Memory}, recall{c.Memory})
	}
	if c.Documents != nil {
		all = append(all, knowledgeSearch{c.Documents}, documentList{c.Documents}, documentRead{c.Documents, c.OutputLimit, c.Clock})
	}
	if c.Notes != nil {
		all = append(all, documentSave{c.Notes})
	}
	r := &Registry{
		Files: Files{DataDir: data}, spaces: spaces, outputs: out, timeout: c.Timeout, clock: c.Clock, limit: c.OutputLimit,
		limits: limits.New(c.Limits), files: c.Files, log: c.Logger, box: c.Sandbox,
	}
	if refused := r.Replace("", all); len(refused) > 0 {
		return nil, fmt.Errorf("built-in tool %s: %s", refused[0].Name, refused[0].Why)
	}
	return r, nil
}

// Builtin lists what the built-in tools declare where walls stand, for programs that
// run none of them.
func Builtin() []agent.ToolSpec {
	var specs []agent.ToolSpec
	for _, t := range []Tool{
		calculator{}, weather{}, listFiles{}, readFile{}, globFiles{}, grepFiles{}, fetchOutput{}, writeFile{}, editFile{}, runShell{}, findTools{}, updatePlan{}, delegate{}, readResult{}, askUser{}, handOver{}, emitValue{}, terminate{}, remember{}, recall{}, knowledgeSearch{}, documentList{}, documentRead{}, documentSave{}, &web.Search{}, &web.Fetch{},
	} {
		specs = append(specs, t.Spec())
	}
	return specs
}

// knower is a tool that can say what became of an execution, by its idempotency key.
type knower interface {
	Outcome(ctx context.Context, in agent.ToolInput) (res agent.ToolResult, known bool)
}

// Outcome implements agent.Toolbox. What is left of the execution is ended first.
func (r *Registry) Outcome(ctx context.Context, name string, in agent.ToolInput) (agent.ToolResult, bool) {
	if err := sandbox.End(ctx, in.Process); err != nil {
		r.log.Error("ending what is left of a call failed", "run_id", in.RunID, "tool", name, "error", err)
	}
	e, _ := r.find(name)
	knows, ok := e.tool.(knower)
	if !ok {
		return agent.ToolResult{}, false
	}
	return knows.Outcome(ctx, in)
}

// Evidence implements agent.Toolbox.
func (r *Registry) Evidence(name string, in agent.ToolInput) agent.ToolEvidence {
	found, ok := r.find(name)
	if !ok {
		return agent.ToolEvidence{}
	}
	in.Before = r.foresee(in)
	var e agent.ToolEvidence
	if shows, ok := found.tool.(evidencer); ok {
		e = shows.Evidence(in)
	}
	e.Effect, e.Before = found.spec.Effect, in.Before
	if e.Fingerprint = found.spec.Fingerprint; e.Fingerprint != "" {
		e.Source = found.spec.Source
	}
	return e
}

func (r *Registry) names() string {
	var names []string
	for _, spec := range r.Specs() {
		names = append(names, spec.Name)
	}
	return strings.Join(names, ", ")
}

// builtin is the part of a spec that all built-in tools share.
func builtin(name, description string, parameters string) agent.ToolSpec {
	return agent.ToolSpec{
		Name: name, Description: strings.TrimSpace(description), Parameters: json.RawMessage(parameters), Source: "builtin", Set: agent.CoreTools,
	}
}

// failed is the result of a call that did not work.
func failed(kind agent.ErrorType, format string, args ...any) agent.ToolResult {
	return agent.ToolResult{ErrorType: kind, Content: fmt.Sprintf(format, args...)}
}

// decode reads arguments that the schema has passed.
func decode(in agent.ToolInput, into any) error {
	if err := json.Unmarshal(in.Args, into); err != nil {
		return fmt.Errorf("decode arguments: %w", err)
	}
	return nil
}

// encode writes one of our results as JSON, with the documents that it is made of.
func encode(v any, documents ...string) agent.ToolResult {
	b, err := json.Marshal(v)
	if err != nil {
		return failed(agent.ErrExecution, "The result cannot be written: %v", err)
	}
	return agent.ToolResult{Content: string(b), Documents: documents}
}
