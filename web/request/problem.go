package request

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/text"
	"fusebox/web/present"
)

// StatusOf is the only map of error codes to HTTP.
func StatusOf(code agent.Code, method string) int {
	if code == agent.Invalid && (method == http.MethodGet || method == http.MethodHead) {
		return http.StatusBadRequest
	}
	return cmp.Or(statuses[code], http.StatusInternalServerError)
}

var statuses = map[agent.Code]int{
	agent.Invalid:      http.StatusUnprocessableEntity,
	agent.NotFound:     http.StatusNotFound,
	agent.Conflict:     http.StatusConflict,
	agent.Unauthorized: http.StatusUnauthorized,
	agent.Forbidden:    http.StatusForbidden,
	agent.Unavailable:  http.StatusServiceUnavailable,
	agent.Full:         http.StatusInsufficientStorage,
}

// BadRequest is input that could not even be read; status says in which way.
type BadRequest struct {
	Status int
	Err    *agent.Error
}

func (b *BadRequest) Error() string { return b.Err.Error() }

func (b *BadRequest) Unwrap() error { return b.Err }

// Problem is an RFC 9457 document.
type Problem struct {
	Type     string             `json:"type"`
	Title    string             `json:"title"`
	Status   int                `json:"status"`
	Detail   string             `json:"detail"`
	Errors   []agent.FieldError `json:"errors,omitempty"`
	Approval *agent.Approval    `json:"approval,omitempty"`
	// Scope is the one that the request's token lacks.
	Scope agent.TokenScope `json:"scope,omitempty"`
}

// ProblemFor converts an error to the problem that the sender of a request may see.
func (s *Visibility) ProblemFor(c echo.Context, err error) Problem {
	p := Problem{Type: "about:blank", Status: http.StatusInternalServerError, Detail: agent.MessageOf(err)}
	var bad *BadRequest
	var lacks *MissingScope
	var domain *agent.Error
	var routed *echo.HTTPError
	switch {
	case errors.As(err, &bad):
		p.Status, p.Errors = bad.Status, bad.Err.Fields
	case errors.As(err, &lacks):
		p.Status, p.Scope = http.StatusForbidden, lacks.Scope
	case errors.As(err, &domain):
		p.Status, p.Errors = StatusOf(domain.Code, c.Request().Method), domain.Fields
		p.Approval, _ = domain.Current.(*agent.Approval)
	case errors.As(err, &routed):
		p.Status, p.Detail = routed.Code, routeErrors[routed.Code]
	}
	p.Title = http.StatusText(p.Status)
	tr := text.In(c.Request().Context())
	p.Detail, p.Errors = tr.Recorded(p.Detail), translatedFields(tr, p.Errors)
	if p.Approval != nil && s.TokensOnly(Viewer(c)) {
		p.Approval = new(present.ApprovalWithoutMoney(*p.Approval))
	}
	return p
}

// routeErrors are the texts for what the router and its limits refuse.
var routeErrors = map[int]string{
	http.StatusNotFound:              "There is nothing at this address. Check it, or start from the first page.",
	http.StatusMethodNotAllowed:      "This address does not take this method.",
	http.StatusRequestEntityTooLarge: "The request is too large. Send less at once.",
	http.StatusUnsupportedMediaType:  "Send JSON, with the content type application/json.",
}

// WriteProblem answers a program with an RFC 9457 document.
func WriteProblem(c echo.Context, p Problem) error {
	c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
	switch {
	case p.Status == http.StatusUnauthorized:
		c.Response().Header().Set("WWW-Authenticate", `Bearer realm="fusebox"`)
	case p.Scope != "":
		c.Response().Header().Set("WWW-Authenticate", `Bearer realm="fusebox", error="insufficient_scope", scope="`+string(p.Scope)+`"`)
	}
	c.Response().WriteHeader(p.Status)
	return json.NewEncoder(c.Response()).Encode(p)
}

// ErrSignIn sends a page's visitor to the login, or a program away with 401.
var ErrSignIn = &agent.Error{Code: agent.Unauthorized, Message: "Sign in first, or send a valid API token."}

// Said is the message of an error in the language of a printer.
func Said(tr *text.Printer, err error) string {
	return tr.Recorded(agent.MessageOf(err))
}

// FieldErrors are the details of an error by field, in the language of a printer.
func FieldErrors(tr *text.Printer, err error) map[string]string {
	return agent.FieldErrors(Translated(tr, err))
}

// Translated is an error whose texts for people are in the language of a printer.
func Translated(tr *text.Printer, err error) error {
	var e *agent.Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	out.Message, out.Fields = tr.Recorded(e.Message), translatedFields(tr, e.Fields)
	return &out
}

func translatedFields(tr *text.Printer, fields []agent.FieldError) []agent.FieldError {
	out := slices.Clone(fields)
	for i := range out {
		out[i].Detail = tr.Recorded(out[i].Detail)
	}
	return out
}

// Caught runs f and turns a panic into an error. Goroutines of a request need
// it too: a panic that nobody catches there ends the process for everybody.
func Caught(log *slog.Logger, where string, f func() error) (err error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(p)
		}
		log.Error("request panicked", "path", where, "panic", p, "stack", string(debug.Stack()))
		err = agent.Errorf(agent.Internal, "Something went wrong on the server. It has been logged; please try again.")
	}()
	return f()
}
