package wire

import (
	"encoding/json"
	"slices"
	"strings"
)

// APIError is what can be read of an error body.
type APIError struct {
	Text   string
	Codes  []string // its code and its type
	Param  string   // the parameter it names
	status int
}

// parseError reads {"error":{…}}, {"error":"text"}, {"message":…}, {"detail":…}
// and plain text; a web page gives no text.
func parseError(body []byte) APIError {
	var outer struct {
		Error  json.RawMessage `json:"error"`
		Detail text            `json:"detail"`
		errorFields
	}
	trimmed := strings.TrimSpace(string(body))
	if list := []json.RawMessage(nil); strings.HasPrefix(trimmed, "[") && json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	if json.Unmarshal(body, &outer) != nil {
		if strings.HasPrefix(trimmed, "<") {
			return APIError{}
		}
		return APIError{Text: trimmed}
	}
	fields := outer.errorFields
	if isError(outer.Error) {
		var plain string
		if json.Unmarshal(outer.Error, &plain) == nil {
			fields.Message = text(plain)
		} else if inner := (errorFields{}); json.Unmarshal(outer.Error, &inner) == nil {
			fields = inner
		}
	}
	if fields.Message == "" {
		fields.Message = outer.Detail
	}
	return fields.apiError()
}

type errorFields struct {
	Message    text  `json:"message"`
	Code       text  `json:"code"`
	Type       text  `json:"type"`
	Param      text  `json:"param"`
	Status     Count `json:"status"`
	StatusCode Count `json:"status_code"`
}

func (f errorFields) apiError() APIError {
	e := APIError{Text: string(f.Message), Param: string(f.Param), Codes: []string{strings.ToLower(string(f.Code)), strings.ToLower(string(f.Type))}}
	var code Count
	_ = code.UnmarshalJSON([]byte(f.Code)) // never fails
	for _, n := range []Count{f.StatusCode, f.Status, code} {
		if n >= 400 && n < 600 {
			e.status = int(n)
			break
		}
	}
	return e
}

// isError reports whether an "error" member contains one: null, "", {} and false do not.
func isError(raw json.RawMessage) bool {
	switch strings.TrimSpace(string(raw)) {
	case "", "null", `""`, "{}", "false", "[]":
		return false
	}
	return true
}

// codeStatus maps the documented codes and types of errors to the status they come with.
var codeStatus = map[string]int{
	"invalid_request_error":   400,
	"context_length_exceeded": 400,
	"tool_use_failed":         400,
	"invalid_api_key":         401,
	"authentication_error":    401,
	"insufficient_quota":      429,
	"rate_limit_exceeded":     429,
	"rate_limit_error":        429,
	"permission_error":        403,
	"permission_denied":       403,
	"model_not_found":         404,
	"not_found_error":         404,
	"overloaded_error":        529,
	"server_error":            500,
	"api_error":               500,
	"internal_server_error":   500,
	"service_unavailable":     503,
}

func (e APIError) statusHint() int {
	if e.status > 0 {
		return e.status
	}
	for _, c := range e.Codes {
		if status, ok := codeStatus[c]; ok {
			return status
		}
	}
	return 0
}

// tooLongWords are how endpoints say that a prompt does not fit.
var tooLongWords = []string{
	"maximum context length", "prompt is too long", "reduce the length", "exceeds the available context size",
	"exceeded model token limit", "range of input length", "context length exceeded", "context window",
	"maximum prompt length", "input is too long", "exceeds the context", "exceed context",
}

// tooLong reports whether the error says that the prompt does not fit the
// model's context window.
func (e APIError) tooLong() bool {
	if slices.Contains(e.Codes, "context_length_exceeded") || slices.Contains(e.Codes, "exceed_context_size_error") {
		return true
	}
	text := strings.ToLower(e.Text)
	if _, after, found := strings.Cut(text, "input token count"); found && strings.Contains(after, "exceed") {
		return true
	}
	return slices.ContainsFunc(tooLongWords, func(w string) bool { return strings.Contains(text, w) })
}
