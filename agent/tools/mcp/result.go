package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/agent/tools/picture"
)

// resultOf is a server's answer to a call.
func resultOf(r *mcp.CallToolResult) agent.ToolResult {
	var parts []string
	var pictures picture.Roll
	for _, c := range r.Content {
		line := pictures.Add(bytesOf(c))
		if line == "" {
			line = contentText(c)
		}
		parts = append(parts, line)
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		if text, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(text))
		}
	}
	res := agent.ToolResult{Content: strings.Join(parts, "\n"), Images: pictures.Images}
	if r.IsError {
		res.ErrorType = agent.ErrExecution
		if res.Content == "" {
			res.Content = "The tool failed without saying why."
		}
	}
	return res
}

// bytesOf is what may be a picture, whatever the server says of it.
func bytesOf(c mcp.Content) []byte {
	switch c := c.(type) {
	case *mcp.ImageContent:
		return c.Data
	case *mcp.EmbeddedResource:
		if c.Resource != nil {
			return c.Resource.Blob
		}
	}
	return nil
}

// contentText renders one part of an answer as text. Anything but text becomes a mark that
// names its type and size.
func contentText(c mcp.Content) string {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c.Text
	case *mcp.ImageContent:
		return mark("image", c.MIMEType, len(c.Data), "")
	case *mcp.AudioContent:
		return mark("audio", c.MIMEType, len(c.Data), "")
	case *mcp.ResourceLink:
		return strings.TrimSpace(fmt.Sprintf("[resource %s: %s] %s", c.Name, c.URI, c.Description))
	case *mcp.EmbeddedResource:
		return resourceText(c.Resource)
	default:
		return "[content of an unknown kind]"
	}
}

func resourceText(r *mcp.ResourceContents) string {
	switch {
	case r == nil:
		return "[empty resource]"
	case len(r.Blob) > 0:
		return mark("resource", r.MIMEType, len(r.Blob), r.URI)
	case r.Text == "":
		return mark("resource", r.MIMEType, 0, r.URI)
	default:
		return r.Text
	}
}

func mark(kind, mime string, size int, uri string) string {
	parts := []string{kind}
	for _, part := range []string{mime, uri} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return fmt.Sprintf("[%s, %d bytes]", strings.Join(parts, " "), size)
}
