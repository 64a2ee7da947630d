package openapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"fusebox/agent"
	"fusebox/agent/tools"
	"fusebox/agent/tools/accepted"
	"fusebox/agent/tools/sandboxed"
)

type service struct {
	Options
	conf    Source
	client  *http.Client
	base    string
	secrets sandboxed.Secrets

	judging sync.Mutex // one at a time decides what is offered

	mu      sync.Mutex
	state   agent.ToolServerState
	problem string
	shown   agent.OpenAPISource // what is known about the document
	list    accepted.List
}

// begin offers what the document of the source has.
func (s *service) begin(ctx context.Context) {
	s.judging.Lock()
	defer s.judging.Unlock()
	d, err := s.document(ctx)
	if agent.CodeOf(err) == agent.NotFound {
		s.set(agent.ServerEmpty, "")
		return
	}
	if err == nil {
		err = s.take(ctx, *d, nil)
	}
	if err != nil {
		s.set(agent.ServerFailed, problemOf(err))
		s.Log.Warn("an OpenAPI document cannot be used", "source", s.conf.Name, "error", err)
	}
}

// document is the configured file, or what was uploaded.
func (s *service) document(ctx context.Context) (*agent.OpenAPIDocument, error) {
	if s.conf.Document == "" {
		return s.Documents.OpenAPIDocument(ctx, s.conf.Name)
	}
	path := s.conf.Document
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Base, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("its document cannot be opened: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, agent.MaxOpenAPIDocument+1))
	if err != nil {
		return nil, fmt.Errorf("its document cannot be read: %w", err)
	}
	return &agent.OpenAPIDocument{Source: s.conf.Name, Name: filepath.Base(path), Body: text}, nil
}

// upload takes a document from an admin. What cannot be used is not stored.
func (s *service) upload(ctx context.Context, d agent.OpenAPIDocument) error {
	s.judging.Lock()
	defer s.judging.Unlock()
	switch {
	case s.conf.Document != "":
		return agent.Errorf(agent.Conflict, "The document of %s is a file of the configuration. Change it there.", s.conf.Name)
	case s.conf.Off:
		return agent.Errorf(agent.Conflict, "%s is switched off in the configuration.", s.conf.Name)
	}
	d.Source, d.UploadedBy, d.UploadedAt = s.conf.Name, agent.ViewerIn(ctx).Email, agent.Stamp(s.Clock)
	return s.take(ctx, d, s.Documents.SaveOpenAPIDocument)
}

// take reads a document, keeps it where keep is given, and offers what it has. What has
// changed is held back.
func (s *service) take(ctx context.Context, d agent.OpenAPIDocument, keep func(context.Context, agent.OpenAPIDocument) error) error {
	doc, err := read(ctx, d.Body)
	if err != nil {
		return err
	}
	found := operations(doc, s.conf.source())
	for i := range found.tools {
		found.tools[i].AcceptedAt = agent.Stamp(s.Clock)
	}
	if keep != nil {
		if err := keep(ctx, d); err != nil {
			return err
		}
	}
	list, err := accepted.Compare(ctx, s.Memory, s.conf.source(), found.tools, s.conf.Review)
	if err != nil {
		return err
	}
	s.offer(list, agent.OpenAPISource{
		Title: doc.Info.Title, Version: doc.Info.Version, LeftOut: found.leftOut,
		Document: d.Name, UploadedBy: d.UploadedBy, UploadedAt: d.UploadedAt,
	})
	return nil
}

// offer puts what is not held back where it may be called from.
func (s *service) offer(list accepted.List, shown agent.OpenAPISource) {
	var callable []tools.Tool
	names := map[string]string{}
	for _, t := range list {
		if t.Held {
			continue
		}
		tool, err := s.tool(t.Now)
		if err != nil {
			shown.LeftOut = append(shown.LeftOut, agent.LeftOut{Operation: t.Now.Name, Why: "its request cannot be made: " + err.Error()})
			continue
		}
		callable, names[tool.Spec().Name] = append(callable, tool), t.Now.Name
	}
	refused := map[string]bool{}
	for _, r := range s.Tools.Replace(s.conf.source(), callable) {
		refused[names[r.Name]] = true
		shown.LeftOut = append(shown.LeftOut, agent.LeftOut{Operation: names[r.Name], Why: agent.Clip(r.Why, maxProblem)})
	}
	state := agent.ServerReady
	if list.Held() > 0 {
		state = agent.ServerChanged
	}
	list = slices.DeleteFunc(slices.Clone(list), func(t accepted.Tool) bool { return refused[t.Now.Name] }) // that nobody can call
	s.mu.Lock()
	s.state, s.problem, s.shown, s.list = state, "", shown, list
	s.mu.Unlock()
	s.Log.Info("tools of an OpenAPI document are ready", "source", s.conf.Name, "tools", len(callable)-len(refused))
}

// accept takes what is held back. seen is what the admin was shown, "" for whatever it is.
func (s *service) accept(ctx context.Context, seen string) error {
	s.judging.Lock()
	defer s.judging.Unlock()
	s.mu.Lock()
	list, shown := s.list, s.shown
	s.mu.Unlock()
	next, err := list.Accept(ctx, accepted.Acceptance{Memory: s.Memory, Clock: s.Clock, Source: s.conf.source(), Name: s.conf.Name, Seen: seen})
	if err != nil {
		return err
	}
	s.offer(next, shown)
	return nil
}

func (s *service) set(state agent.ToolServerState, problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.problem = state, agent.Clip(s.secrets.Scrub(problem), maxProblem)
}

func problemOf(err error) string {
	text := err.Error()
	if wrong := agent.FieldErrors(err)["file"]; wrong != "" {
		text = "the document " + wrong
	}
	return text
}

func (s *service) view() agent.OpenAPISource {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.shown
	v.Name, v.URL, v.State, v.Problem = s.conf.Name, s.base, s.state, s.problem
	v.Uploads = s.conf.Document == "" && !s.conf.Off
	v.Tools, v.Seen = s.list.View(s.conf.toolName), s.list.Seen()
	if v.LeftOut == nil {
		v.LeftOut = []agent.LeftOut{}
	}
	return v
}
