package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"fusebox/agent"
)

// request is what a call sends, without what the configuration adds.
type request struct {
	method, url string
	headers     [][2]string
	body        []byte // nil for none
}

// request makes the request of a call. Arguments stay what they are: none of them reaches
// another path, another parameter, or another header.
func (p plan) request(base string, args json.RawMessage) (request, error) {
	r := request{method: p.Method}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil {
		return r, fmt.Errorf("the arguments are not an object: %w", err)
	}
	inPath, query := map[string]string{}, []string{}
	for _, to := range p.Params {
		list, err := valuesOf(given[to.Arg])
		if err != nil {
			return r, agent.InvalidField(to.Arg, "%v", err)
		}
		switch {
		case to.In == "path":
			inPath[to.Name] = strings.Join(list, ",")
		case list == nil:
		case to.In == "header":
			if value := strings.Join(list, ","); httpguts.ValidHeaderFieldValue(value) && httpguts.ValidHeaderFieldName(to.Name) {
				r.headers = append(r.headers, [2]string{to.Name, value})
			} else {
				return r, agent.InvalidField(to.Arg, "cannot be sent as a header; line breaks and control characters are not allowed")
			}
		default:
			query = append(query, to.query(list)...)
		}
	}
	at, err := fill(p.Path, inPath)
	if err != nil {
		return r, err
	}
	if r.url = base + at; len(query) > 0 {
		r.url += "?" + strings.Join(query, "&")
	}
	if body, some := given[bodyArg]; p.Body && some {
		r.body = body
	}
	return r, nil
}

// query is a parameter of the style form.
func (p param) query(values []string) (pairs []string) {
	name := url.QueryEscape(p.Name)
	if !p.Explode {
		escaped := make([]string, len(values))
		for i, v := range values {
			escaped[i] = url.QueryEscape(v)
		}
		return []string{name + "=" + strings.Join(escaped, ",")}
	}
	for _, v := range values {
		pairs = append(pairs, name+"="+url.QueryEscape(v))
	}
	return pairs
}

// valuesOf are the values of an argument, nil where it is not there.
func valuesOf(arg json.RawMessage) ([]string, error) {
	if len(arg) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(arg))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	list, many := value.([]any)
	if !many {
		if value == nil {
			return nil, nil
		}
		list = []any{value}
	}
	values := make([]string, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case string:
			values[i] = v
		case json.Number, bool:
			values[i] = fmt.Sprint(v)
		default:
			return nil, fmt.Errorf("is an object; only single values and lists of them can be sent here")
		}
	}
	return values, nil
}

// text is the request as a reviewer reads it.
func (r request) text() string {
	lines := []string{r.method + " " + r.url}
	for _, h := range r.headers {
		lines = append(lines, h[0]+": "+h[1])
	}
	if r.body != nil {
		var shown bytes.Buffer
		if json.Indent(&shown, r.body, "", "  ") != nil {
			shown.Write(r.body)
		}
		lines = append(lines, "", shown.String())
	}
	return strings.Join(lines, "\n")
}
