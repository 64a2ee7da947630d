package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addAsking adds tools that ask the person.
func addAsking(s *mcp.Server) {
	add(s, "ask", "Notes, asks who it is for, and says the answer.", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if _, err := note([]byte("asked")); err != nil {
			return nil, err
		}
		return text(elicit(ctx, r.Session, "For whom is it?"))
	})
	add(s, "ask_twice", "Asks two questions at once.", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answers := make([]string, 2)
		var both sync.WaitGroup
		for i, question := range []string{"First?", "Second?"} {
			both.Go(func() { answers[i] = question + " " + elicit(ctx, r.Session, question) })
		}
		both.Wait()
		return text(strings.Join(answers, "; "))
	})
	add(s, "ask_and_die", "Asks, then dies once the file die is in its folder.", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		go func() {
			for {
				if _, err := os.Stat("die"); err == nil {
					os.Exit(3)
				}
				time.Sleep(20 * time.Millisecond)
			}
		}()
		return text(elicit(ctx, r.Session, "Still there?"))
	})
	add(s, "ask_many", "Asks for several choices.", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(elicitWith(ctx, r.Session, "Which ones?", `{"type":"object","required":["days","tags"],"properties":{
			"days":{"type":"array","title":"Days","minItems":2,"maxItems":3,"default":["tue"],"items":{"anyOf":[
				{"const":"mon","title":"Monday"},{"const":"tue","title":"Tuesday"},{"const":"wed","title":"Wednesday"},{"const":"thu","title":"<b>Thursday</b>"}]}},
			"tags":{"type":"array","items":{"type":"string","enum":["red","green, or \"lime\"","蓝"]}},
			"more":{"type":"array","maxItems":1,"items":{"type":"string","enum":["x","y"]}}}}`))
	})
	add(s, "ask_impossible", "Asks for more choices than there are.", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(elicitWith(ctx, r.Session, "Which?", `{"type":"object","properties":{"a":{"type":"array","minItems":3,"items":{"type":"string","enum":["x","y"]}}}}`))
	})
	add(s, "ask_too_much", "Asks what cannot be shown.", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(elicit(ctx, r.Session, strings.Repeat("?", 5000)))
	})
	add(s, "ask_url", "Asks to open an address.", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Mode: "url", URL: "https://evil.example", Message: "Open it", ElicitationID: "1"})
		return text(fmt.Sprint(err))
	})
}

// addPrompts adds prompts for people. One is too long.
func addPrompts(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{
		Name: "greet", Title: "Greet somebody", Description: "Says hello.", Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}},
	}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if r.Params.Arguments["who"] == "" {
			return nil, errors.New("whom?")
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: "Greet " + r.Params.Arguments["who"] + "."}},
			{Role: "user", Content: &mcp.ImageContent{MIMEType: "image/png", Data: []byte("12345")}},
		}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "endless"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: strings.Repeat("x", 70_000)}}}}, nil
	})
}

// elicit asks for a name, a number, and more, and returns what was answered as text.
func elicit(ctx context.Context, session *mcp.ServerSession, question string) string {
	return elicitWith(ctx, session, question, `{"type":"object","required":["name"],"properties":{
		"name":{"type":"string","title":"Who <b>is</b> it","maxLength":20},
		"count":{"type":"integer","minimum":1,"maximum":9,"default":2},
		"sure":{"type":"boolean"},
		"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]}}}`)
}

// elicitWith asks with a form and returns what was answered as text.
func elicitWith(ctx context.Context, session *mcp.ServerSession, question, schema string) string {
	res, err := session.Elicit(ctx, &mcp.ElicitParams{Message: question, RequestedSchema: json.RawMessage(schema)})
	if err != nil {
		return "error: " + err.Error()
	}
	content, err := json.Marshal(res.Content)
	if err != nil {
		return "error: " + err.Error()
	}
	return res.Action + " " + string(content)
}
