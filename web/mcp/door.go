package mcp

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// maxBatch bounds how many messages are in one request, which counts as one.
const maxBatch = 16

// check looks into a request's body, so that clients get the status for what they may not
// do. It reads loosely: each tool checks the scope again.
func check(c echo.Context) error {
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err // the limit of the body, which the router turns into its status
	}
	c.Request().Body = io.NopCloser(bytes.NewReader(body))
	all := messages(body)
	if len(all) > maxBatch {
		return agent.Errorf(agent.Invalid, "The body has %d messages; send at most %d at once.", len(all), maxBatch)
	}
	for _, m := range all {
		if asks(m) {
			return request.GrantOf(c).Needs(agent.TokenChat)
		}
	}
	return nil
}

// messages are those of a list, as old clients send them, or the one that the body is.
func messages(body []byte) []json.RawMessage {
	var several []json.RawMessage
	if json.Unmarshal(body, &several) == nil {
		return several
	}
	return []json.RawMessage{body}
}

// asks reports whether a message calls the tool that begins runs.
func asks(raw json.RawMessage) bool {
	var m struct {
		Method string
		Params struct{ Name string }
	}
	return json.Unmarshal(raw, &m) == nil && m.Method == "tools/call" && m.Params.Name == askTool.Name
}
