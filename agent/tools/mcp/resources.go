package mcp

import (
	"context"
	_ "embed" // the description is a file
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
)

//go:embed read_resource.md
var readText string

// readName is the tool with which the resources of a server are read.
const readName = "read_resource"

// maxResources bounds how many are listed.
const maxResources = 200

// readResource reads the resources of a server, or lists them.
type readResource struct {
	*keeper
	says string // the server's instructions
}

func (t readResource) Spec() agent.ToolSpec {
	spec := t.spec(readName, agent.KnownTool{
		Source: t.conf.source(), Name: readName, Description: strings.TrimSpace(readText),
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"uri":{"type":"string","maxLength":4000,"description":"One of the listed addresses; left out, they are listed"}}}`),
	})
	spec.SourceSays = t.says
	spec.Effect, spec.Risk = t.conf.judge(readName, nil)
	return spec
}

func (t readResource) Evidence(agent.ToolInput) agent.ToolEvidence { return t.evidence() }

func (t readResource) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(in.Args, &args); err != nil {
		return agent.ToolResult{ErrorType: agent.ErrInvalidParams, Content: "The arguments cannot be read."}
	}
	return t.call(ctx, in, func(ctx context.Context, s *session, _ string) (agent.ToolResult, error) {
		if args.URI == "" {
			return listResources(ctx, s)
		}
		res, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: args.URI})
		if err != nil {
			return agent.ToolResult{}, err
		}
		var parts []string
		for _, c := range res.Contents {
			parts = append(parts, resourceText(c))
		}
		return agent.ToolResult{Content: strings.Join(parts, "\n")}, nil
	})
}

// listResources names the resources, and the patterns of those that are made on request.
func listResources(ctx context.Context, s *session) (agent.ToolResult, error) {
	var lines []string
	for r, err := range s.Resources(ctx, nil) {
		if err != nil {
			return agent.ToolResult{}, err
		}
		if len(lines) == maxResources {
			lines = append(lines, "… and more")
			break
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s  %s  %s %s", r.URI, r.Name, r.MIMEType, r.Description)))
	}
	if templates, err := s.ListResourceTemplates(ctx, nil); err == nil { // not every server has them
		for _, t := range templates.ResourceTemplates[:min(len(templates.ResourceTemplates), maxResources)] {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s  %s  %s %s", t.URITemplate, t.Name, t.MIMEType, t.Description)))
		}
	}
	if len(lines) == 0 {
		lines = []string{"There are no resources."}
	}
	return agent.ToolResult{Content: strings.Join(lines, "\n")}, nil
}
