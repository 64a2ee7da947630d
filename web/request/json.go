package request

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// ReadJSON reads a request's body into a struct that names the fields which
// are taken; others are refused.
func ReadJSON(c echo.Context, into any) error {
	kind, _, _ := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType))
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err // the limit of the body, which the router turns into its status
	}
	if len(body) == 0 {
		body = []byte("{}")
	} else if kind != "application/json" {
		return &BadRequest{Status: http.StatusUnsupportedMediaType, Err: agent.Errorf(agent.Invalid, "Send JSON, with the content type application/json.")}
	}
	if err := json.Unmarshal(body, into); err != nil {
		if len(agent.FieldErrors(err)) > 0 { // a value says what is allowed there
			return err
		}
		return unreadable(err)
	}
	return refuseUnknown(body, into)
}

// unreadable says where JSON is broken, without showing the program's inside.
func unreadable(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	e := agent.Errorf(agent.Invalid, "The body is no valid JSON.")
	switch {
	case errors.As(err, &syntax):
		e = agent.Errorf(agent.Invalid, "The body is no valid JSON: %v at byte %d.", syntax, syntax.Offset)
	case errors.As(err, &kind) && kind.Field == "":
		e = agent.Errorf(agent.Invalid, "The body is a JSON %s; expected an object.", sentKind(kind.Value))
	case errors.As(err, &kind):
		expected := cmp.Or(jsonKinds[kind.Type.Kind()], "whole number, without exponent, that is not too large")
		e = agent.InvalidField(kind.Field, "is a %s; expected a %s", sentKind(kind.Value), expected)
	}
	return &BadRequest{Status: http.StatusBadRequest, Err: e}
}

// sentKind is what was sent, in the words for what is expected. Of a number that
// does not fit it has the digits, as many as a line can have.
func sentKind(value string) string {
	if kind, ok := map[string]string{"string": "text", "bool": "boolean", "array": "list"}[value]; ok {
		return kind
	}
	return agent.Clip(value, 100)
}

// jsonKinds name the kinds of JSON values that a field may expect, other than whole numbers.
var jsonKinds = map[reflect.Kind]string{
	reflect.String: "text", reflect.Bool: "boolean", reflect.Struct: "object", reflect.Map: "object", reflect.Slice: "list", reflect.Float64: "number",
}

// Listing is one page of a list.
type Listing[T any] struct {
	Items      Items[T] `json:"items"`
	NextCursor string   `json:"nextCursor,omitempty"`
}

// Items are a list that JSON writes as one even if there are none.
type Items[T any] []T

// MarshalJSON implements json.Marshaler.
func (i Items[T]) MarshalJSON() ([]byte, error) { return json.Marshal(NotNull([]T(i))) }

// Page reads ?limit= and ?cursor=.
func Page(c echo.Context) (agent.Page, error) {
	p := agent.Page{Cursor: c.QueryParam("cursor")}
	text := c.QueryParam("limit")
	if text == "" {
		return p, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 200 {
		return p, agent.InvalidField("limit", "%q is not allowed; allowed: 1 to 200", text)
	}
	p.Limit = n
	return p, nil
}

// RFC3339 writes a time as the contract wants it; nil for none.
func RFC3339(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC().Format(agent.TimeFormat))
}

// OneOf checks a value of the query against what is allowed.
func OneOf[T ~string](name string, value T, allowed ...T) error {
	if value == "" {
		return nil
	}
	text := ""
	for _, a := range allowed {
		if a == value {
			return nil
		}
		text += ", " + string(a)
	}
	return agent.InvalidField(name, "%q is not allowed; allowed: %s", value, fmt.Sprint(text[2:]))
}

// NotNull makes a list that is empty one that JSON writes as such.
func NotNull[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
