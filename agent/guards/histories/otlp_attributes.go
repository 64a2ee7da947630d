package histories

import (
	"encoding/json"
	"fmt"
)

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
