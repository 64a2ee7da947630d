package web

import (
	"context"

	"fusebox/agent"
)

// OpenAPISources are the configured services with an OpenAPI document.
type OpenAPISources interface {
	OpenAPISources() []agent.OpenAPISource
	// AcceptOpenAPI takes what a document has changed; Conflict where that is not what was seen.
	AcceptOpenAPI(ctx context.Context, v agent.Viewer, name, seen string) (agent.OpenAPISource, error)
	// UploadOpenAPI takes the place of the document before; Invalid where it cannot be used,
	// Conflict where the source takes none.
	UploadOpenAPI(ctx context.Context, v agent.Viewer, name string, d agent.OpenAPIDocument) (agent.OpenAPISource, error)
}

// noOpenAPI is for a program without any.
type noOpenAPI struct{}

var errNoOpenAPI = agent.Errorf(agent.NotFound, "There is no such OpenAPI service.")

func (noOpenAPI) OpenAPISources() []agent.OpenAPISource { return []agent.OpenAPISource{} }

func (noOpenAPI) AcceptOpenAPI(context.Context, agent.Viewer, string, string) (agent.OpenAPISource, error) {
	return agent.OpenAPISource{}, errNoOpenAPI
}

func (noOpenAPI) UploadOpenAPI(context.Context, agent.Viewer, string, agent.OpenAPIDocument) (agent.OpenAPISource, error) {
	return agent.OpenAPISource{}, errNoOpenAPI
}

func (o Options) openAPISources() OpenAPISources {
	if o.OpenAPI == nil {
		return noOpenAPI{}
	}
	return o.OpenAPI
}
