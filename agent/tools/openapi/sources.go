package openapi

import (
	"context"
	"log/slog"
	"strings"

	"fusebox/agent"
	"fusebox/agent/tools"
	"fusebox/agent/tools/accepted"
	"fusebox/agent/tools/sandboxed"
)

// Documents is where uploaded documents are kept.
type Documents interface {
	// OpenAPIDocument is the one of a source; NotFound where there is none.
	OpenAPIDocument(ctx context.Context, source string) (*agent.OpenAPIDocument, error)
	// SaveOpenAPIDocument takes the place of the one before. It is audited.
	SaveOpenAPIDocument(ctx context.Context, d agent.OpenAPIDocument) error
}

// Options are what sources need of the outside.
type Options struct {
	Sources   []Source
	Documents Documents
	Memory    accepted.Memory
	// Tools takes what the services offer.
	Tools *tools.Registry
	// Base is where relative paths of documents begin.
	Base  string
	Clock agent.Clock
	Log   *slog.Logger
}

// Sources are all configured services.
type Sources struct {
	services []*service
}

// New makes the sources and offers their tools. A document that cannot be used leaves its own
// source without tools, and no other.
func New(ctx context.Context, o Options) (*Sources, error) {
	all := &Sources{}
	for _, conf := range o.Sources {
		client, err := newClient(conf.URL)
		if err != nil {
			return nil, err
		}
		s := &service{
			Options: o, conf: conf, client: client, base: strings.TrimRight(conf.URL, "/"),
			secrets: sandboxed.NewSecrets(conf.Headers), state: agent.ServerOff,
		}
		if !conf.Off {
			s.begin(ctx)
		}
		all.services = append(all.services, s)
	}
	return all, nil
}

// OpenAPISources lists the sources as they are now.
func (s *Sources) OpenAPISources() []agent.OpenAPISource {
	list := []agent.OpenAPISource{}
	for _, one := range s.services {
		list = append(list, one.view())
	}
	return list
}

// AcceptOpenAPI takes the new and changed tools of a source. seen is what the admin was
// shown; Conflict where that is not what is held back now. NotFound for an unknown source.
func (s *Sources) AcceptOpenAPI(ctx context.Context, v agent.Viewer, name, seen string) (agent.OpenAPISource, error) {
	one, err := s.find(name)
	if err != nil {
		return agent.OpenAPISource{}, err
	}
	err = one.accept(agent.WithViewer(ctx, v), seen)
	return one.view(), err
}

// UploadOpenAPI puts a document in the place of the one before. Invalid where it cannot be
// used; Conflict for a source that has a file or is switched off. NotFound for an unknown one.
func (s *Sources) UploadOpenAPI(ctx context.Context, v agent.Viewer, name string, d agent.OpenAPIDocument) (agent.OpenAPISource, error) {
	one, err := s.find(name)
	if err != nil {
		return agent.OpenAPISource{}, err
	}
	err = one.upload(agent.WithViewer(ctx, v), d)
	return one.view(), err
}

func (s *Sources) find(name string) (*service, error) {
	for _, one := range s.services {
		if one.conf.Name == name {
			return one, nil
		}
	}
	return nil, agent.Errorf(agent.NotFound, "There is no such OpenAPI service.")
}
