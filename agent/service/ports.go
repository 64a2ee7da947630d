package service

import (
	"context"
	"io"
	"time"

	"fusebox/agent"
)

// PriceBook resolves what models cost. Changes in the store are visible after Load.
type PriceBook interface {
	// Find returns the price row of a model, false if the price is unknown.
	Find(model string, at time.Time) (agent.PriceRow, bool)
	// Split parts a model's name into endpoint and name there.
	Split(model string) (provider, name string)
	Load(ctx context.Context) error
	// ReadList reads a file of prices, Plan says what it would change for the
	// models that are offered, or for all where offered is nil.
	ReadList(r io.Reader) (agent.PriceList, error)
	Plan(list agent.PriceList, offered []string, at time.Time) agent.PricePlan
}

// Downloader fetches files and pages of the web. It reaches no private network.
type Downloader interface {
	// Download hands over what is at an address, and what it is called. Invalid, with the field url,
	// where it is not to be had.
	Download(ctx context.Context, address string, take func(name string, content io.Reader) error) error
}

// Waker is told that something waits.
type Waker interface{ Wake() }

// Endpoints are the models' servers with their models.
type Endpoints interface {
	Models() []agent.ModelInfo
	Endpoints() []agent.EndpointInfo
	// Refresh asks the endpoints which models they have.
	Refresh(ctx context.Context)
	// Probe tests a model by true requests.
	Probe(ctx context.Context, id string) agent.ModelReport
}

// Finder finds passages of documents, by words and by what a model makes of them.
type Finder interface {
	// Find has the best first. Invalid for a question without a word, Unavailable while nothing can
	// be found.
	Find(ctx context.Context, search agent.Search) (agent.Finding, error)
	// Status says how far the passages of a person, or of all for "", have been embedded.
	Status(ctx context.Context, userID string) (agent.VectorStatus, error)
	// Retry has a model that has failed too often asked again.
	Retry(ctx context.Context) error
}

// RunEnder ends what this process advances, on behalf of a person. Wake says that a run may
// be ready; it never blocks.
type RunEnder interface {
	Waker
	Abort(runID, by string)
	// CancelCall reports whether this process executes the call.
	CancelCall(runID, callID, by string) bool
	// TakeOver ends the run with a person's answer.
	TakeOver(runID, by, answer string)
}

// RunStarter begins runs in this process, and has them hear what people say.
type RunStarter interface {
	Waker
	// Place is room for a run that is about to be stored; nil where there is none.
	Place(runID string) agent.Place
	// Steer has a run that this process advances hear what a person has said, before it
	// begins anything else.
	Steer(runID string)
	// Left returns a channel that is closed when this process next lets go of the run.
	// It is forgotten once ctx ends.
	Left(ctx context.Context, runID string) <-chan struct{}
}

// ToolServers are the MCP servers that are configured.
type ToolServers interface {
	ToolServers() []agent.ToolServer
	// AcceptTools takes what a server has changed; Conflict where that is not what was seen.
	AcceptTools(ctx context.Context, v agent.Viewer, name, seen string) (agent.ToolServer, error)
	// HasPrompts says without asking whether there are any for the viewer.
	HasPrompts(v agent.Viewer) bool
	Prompts(ctx context.Context, v agent.Viewer) agent.ServerPrompts
	// Prompt has a server write one. NotFound, Unavailable, and Invalid where it refuses.
	Prompt(ctx context.Context, v agent.Viewer, server, name string, args map[string]string) (string, error)
}

// OpenAPISources are the configured services with an OpenAPI document.
type OpenAPISources interface {
	OpenAPISources() []agent.OpenAPISource
	// AcceptOpenAPI takes what a document has changed; Conflict where that is not what was seen.
	AcceptOpenAPI(ctx context.Context, v agent.Viewer, name, seen string) (agent.OpenAPISource, error)
	// UploadOpenAPI takes the place of the document before; Invalid where it cannot be used,
	// Conflict where the source takes none.
	UploadOpenAPI(ctx context.Context, v agent.Viewer, name string, d agent.OpenAPIDocument) (agent.OpenAPISource, error)
}

// Workspaces are the files that the tools of conversations work on.
type Workspaces interface {
	ListFiles(ctx context.Context, conversationID string) (agent.WorkspaceListing, error)
	// OpenFile answers NotFound where there is none.
	OpenFile(conversationID, name string) (io.ReadSeekCloser, agent.WorkspaceFile, error)
	// SaveFile answers Invalid for a file that is too large.
	SaveFile(ctx context.Context, conversationID, name string, content io.Reader) (agent.WorkspaceFile, error)
	// ZipFiles answers Conflict, before it writes, where they are too many.
	ZipFiles(ctx context.Context, conversationID string, w io.Writer) error
}

// Outputs opens what was too long to be a result, and the pictures of results;
// NotFound where none was kept.
type Outputs interface {
	Output(ctx context.Context, conversationID, runID, callID string) (io.ReadCloser, error)
	Image(conversationID, runID, name string) (io.ReadSeekCloser, agent.WorkspaceFile, error)
}
