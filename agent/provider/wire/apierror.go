package wire

import (
	"encoding/json"
	"net/http"
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
	e := APIError{
		Text: string(fields.Message), Param: string(fields.Param),
		Codes: []string{strings.ToLower(string(fields.Code)), strings.ToLower(string(fields.Type))},
	}
	var code Count
	_ = code.UnmarshalJSON([]byte(fields.Code)) // never fails
	for _, n := range []Count{fields.StatusCode, fields.Status, code} {
		if n >= 400 && n < 600 {
			e.status = int(n)
			break
		}
	}
	return e
}

type errorFields struct {
	Message    text  `json:"message"`
	Code       text  `json:"code"`
	Type       text  `json:"type"`
	Param      text  `json:"param"`
	Status     Count `json:"status"`
	StatusCode Count `json:"status_code"`
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

// tooLongWords are in the errors of endpoints about prompts that do not fit.
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

// billingCodes are the beginnings of codes and types that say that there is no
// credit left.
var billingCodes = []string{
	"insufficient_quota", "billing_", "credit_balance", "insufficient_balance", "insufficient_credit", "insufficient_funds",
	"exceeded_current_quota", "arrearage", "accountoverdue", "payment_required", "spend_limit", "spending_limit",
}

// billingPhrases are how endpoints say in a text that there is no credit left. The
// mere word quota is none of them: it is in many texts about rates.
var billingPhrases = []string{
	"exceeded your current quota", "insufficient quota", "insufficient_quota", "check your plan and billing", "billing hard limit",
	"billing details", "billing limit", "spending limit", "spend limit", "free allocated quota exceeded", "account is in arrears",
	"overdue balance", "overdue payment", "payment required", "recharge your account", "top up your account", "add more credits",
	"余额不足", "欠费", "请充值", "额度已用", "额度不足",
}

// creditWords and spentWords say together that there is no credit left.
var (
	creditWords = []string{"credit", "credits", "balance", "funds"}
	spentWords  = []string{
		"insufficient", "not enough", "depleted", "exhausted", "used up", "used all", "run out", "ran out", "out of", "too low", "exceeded", "no remaining", "no credit", "no more", "negative", "not sufficient",
	}
)

// soonWords tell that waiting helps: such an error is about a rate.
var soonWords = []string{"retry in", "try again in", "retry after", "per minute", "per second", "per hour"}

// outOfCredit reports whether an error says that there is no credit left: by a
// code, or where a request was refused, in its text.
func (e APIError) outOfCredit(status int) bool {
	for _, c := range e.Codes {
		if slices.ContainsFunc(billingCodes, func(b string) bool { return strings.HasPrefix(c, b) }) {
			return true
		}
	}
	text := strings.ToLower(e.Text)
	in := func(w string) bool { return strings.Contains(text, w) }
	if status >= http.StatusInternalServerError || slices.ContainsFunc(soonWords, in) {
		return false
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }) // "credit" has to be a whole word
	credit := slices.ContainsFunc(creditWords, func(w string) bool { return slices.Contains(words, w) })
	return slices.ContainsFunc(billingPhrases, in) || credit && slices.ContainsFunc(spentWords, in)
}

// OutOfCredit reports whether an endpoint wants to be paid before it answers.
func (f *Failure) OutOfCredit() bool {
	return f.Status == http.StatusPaymentRequired || f.API.outOfCredit(f.Status)
}
