package histories

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
)

// otlpExport is what an exporter of OTLP writes as JSON.
type otlpExport struct {
	Resources []struct {
		Scopes []struct {
			Spans []otlpSpan `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

// otlpSpan has what a span says about an agent.
type otlpSpan struct {
	TraceID    string          `json:"traceId"`
	Start      json.RawMessage `json:"startTimeUnixNano"`
	Attributes otlpAttributes  `json:"attributes"`
	Events     []struct {
		Name       string         `json:"name"`
		Attributes otlpAttributes `json:"attributes"`
	} `json:"events"`
	Status struct {
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
	} `json:"status"`
}

func looksLikeOTLP(first []byte) bool { return fields(first)["resourceSpans"] != nil }

// readOTLP reads traces with the conventions of OpenTelemetry for generative AI,
// one export a line or in all. Each trace is a history; verdicts name the number
// of the span in the order of their times.
func readOTLP(data []byte) ([]History, error) {
	all, err := values(data)
	if err != nil {
		return nil, err
	}
	var traces otlpTraces
	for i, raw := range all {
		var e otlpExport
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, agent.Errorf(agent.Invalid, "export %d: is not an export of traces: %v", i+1, err)
		}
		if err := traces.add(e); err != nil {
			return nil, err
		}
	}
	var histories []History
	for _, id := range traces.order { // those in which no model and no tool was at work are left out
		spans := traces.spans[id]
		slices.SortStableFunc(spans, func(a, b otlpSpan) int { return cmp.Compare(a.began(), b.began()) })
		lines, err := linesOfTrace(spans)
		if err != nil {
			return nil, agent.Errorf(agent.Invalid, "trace %q: %v", id, err)
		}
		if len(lines) > 0 {
			histories = append(histories, History{lines})
		}
	}
	if histories == nil {
		return nil, agent.Errorf(agent.Invalid, "has no span of a model or a tool: none has the attribute %s", otlpOperation)
	}
	return histories, nil
}

// otlpTraces are spans by trace, in the order in which the traces turn up.
type otlpTraces struct {
	order []string
	spans map[string][]otlpSpan
	n     int
}

func (t *otlpTraces) add(e otlpExport) error {
	if t.spans == nil {
		t.spans = map[string][]otlpSpan{}
	}
	for _, r := range e.Resources {
		for _, s := range r.Scopes {
			if t.n += len(s.Spans); t.n > maxItems {
				return agent.Errorf(agent.Invalid, "has more than %d spans", maxItems)
			}
			for _, span := range s.Spans {
				if t.spans[span.TraceID] == nil {
					t.order = append(t.order, span.TraceID)
				}
				t.spans[span.TraceID] = append(t.spans[span.TraceID], span)
			}
		}
	}
	return nil
}

// began is when a span began. The number is a text in some exports; spans without
// one come last, in their order.
func (s otlpSpan) began() int64 {
	n, err := strconv.ParseInt(strings.Trim(string(s.Start), `"`), 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return n
}

// failed reports whether a span ended in an error. The code is a number or a name.
func (s otlpSpan) failed() bool {
	code := strings.Trim(string(s.Status.Code), `"`)
	return code == "2" || code == "STATUS_CODE_ERROR" || s.Attributes.text("error.type") != ""
}

// otlpAttributes are the attributes of a span or an event, by key, as plain JSON.
type otlpAttributes map[string]json.RawMessage

// UnmarshalJSON reads the list of keys and values that OTLP has.
func (a *otlpAttributes) UnmarshalJSON(data []byte) error {
	var list []otlpKeyValue
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*a = otlpAttributes{}
	for _, kv := range list {
		raw, err := json.Marshal(kv.Value.plain())
		if err != nil {
			return fmt.Errorf("attribute %s: %w", kv.Key, err)
		}
		(*a)[kv.Key] = raw
	}
	return nil
}

// text returns an attribute: a string as it is, any other value as JSON.
func (a otlpAttributes) text(key string) string {
	var s string
	if json.Unmarshal(a[key], &s) == nil {
		return s
	}
	return string(a[key])
}

type otlpKeyValue struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

// otlpValue has one of its fields set.
type otlpValue struct {
	String *string         `json:"stringValue"`
	Bool   *bool           `json:"boolValue"`
	Int    json.RawMessage `json:"intValue"`
	Double json.RawMessage `json:"doubleValue"`
	Bytes  *string         `json:"bytesValue"`
	Array  *struct {
		Values []otlpValue `json:"values"`
	} `json:"arrayValue"`
	Map *struct {
		Values []otlpKeyValue `json:"values"`
	} `json:"kvlistValue"`
}

// plain is the value without what says its type.
func (v otlpValue) plain() any {
	switch {
	case v.String != nil:
		return *v.String
	case v.Bool != nil:
		return *v.Bool
	case v.Int != nil:
		return v.Int
	case v.Double != nil:
		return v.Double
	case v.Bytes != nil:
		return *v.Bytes
	case v.Array != nil:
		list := make([]any, len(v.Array.Values))
		for i, e := range v.Array.Values {
			list[i] = e.plain()
		}
		return list
	case v.Map != nil:
		object := make(map[string]any, len(v.Map.Values))
		for _, kv := range v.Map.Values {
			object[kv.Key] = kv.Value.plain()
		}
		return object
	default:
		return nil
	}
}
