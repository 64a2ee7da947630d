package openapi

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/tools/picture"
)

// maxAnswer bounds how much of an answer is read; maxErrorText how much of an error is shown.
const (
	maxAnswer    = 4 << 20
	maxErrorText = 16 << 10
)

func (s *service) answer(res *http.Response) (agent.ToolResult, error) {
	var pictures picture.Roll
	text, err := s.bodyText(res, &pictures)
	if err != nil {
		return agent.ToolResult{}, err
	}
	status := strings.TrimSpace(fmt.Sprintf("%d %s", res.StatusCode, http.StatusText(res.StatusCode)))
	switch {
	case res.StatusCode >= http.StatusBadRequest:
		parts := []string{"The service answered " + status + "." + s.retryText(res), agent.Clip(text, maxErrorText)}
		return agent.ToolResult{ErrorType: agent.ErrExecution, Content: strings.TrimSpace(strings.Join(parts, "\n"))}, nil
	case res.StatusCode >= http.StatusMultipleChoices && res.StatusCode != http.StatusNotModified:
		to := "nowhere"
		if u, err := res.Location(); err == nil {
			to = u.Scheme + "://" + u.Host + u.Path
		}
		says := "The service answered " + status + ", a redirect to " + agent.Clip(s.secrets.Scrub(to), 500) +
			". It was not followed: only redirects of reading requests to the same host are."
		return agent.ToolResult{ErrorType: agent.ErrExecution, Content: says}, nil
	case text == "":
		return agent.ToolResult{Content: strings.TrimSpace(status + " " + res.Header.Get("Location"))}, nil
	}
	return agent.ToolResult{Content: text, Images: pictures.Images}, nil
}

// retryText says when to come back.
func (s *service) retryText(res *http.Response) string {
	after := s.secrets.Scrub(res.Header.Get("Retry-After"))
	switch {
	case after == "" && res.StatusCode == http.StatusTooManyRequests:
		return " It gets too many requests: wait before the next one."
	case after == "":
		return ""
	case strings.Trim(after, "0123456789") == "":
		return " Try again after " + agent.Clip(after, 20) + " s."
	}
	return " Try again after " + agent.Clip(after, 40) + "."
}

// bodyText is the body without secrets, or what it is where it is not text. A picture is
// taken in.
func (s *service) bodyText(res *http.Response, pictures *picture.Roll) (string, error) {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return "", err
	}
	cut := len(body) > maxAnswer
	if cut {
		body = body[:maxAnswer]
	} else if line := pictures.Add(body); line != "" {
		return line, nil
	}
	body = bytes.TrimSpace(body)
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch {
	case len(body) == 0:
		return "", nil
	case !isText(kind, body):
		return fmt.Sprintf("[%s, %d bytes]", strings.TrimSpace("content "+agent.Clip(s.secrets.Scrub(kind), 80)), len(body)), nil
	case cut:
		head, _ := s.secrets.Head(string(body))
		return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n[… the rest, behind %d bytes, is left out …]", maxAnswer), nil
	}
	return strings.ToValidUTF8(s.secrets.Scrub(string(body)), "\uFFFD"), nil
}

// isText reports whether people and models can read a body.
func isText(kind string, body []byte) bool {
	switch {
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "json"), strings.HasSuffix(kind, "xml"), strings.HasSuffix(kind, "yaml"):
		return true
	case strings.HasPrefix(kind, "image/"), strings.HasPrefix(kind, "audio/"), strings.HasPrefix(kind, "video/"):
		return false
	}
	return utf8.Valid(body) && !bytes.ContainsRune(body, 0)
}
