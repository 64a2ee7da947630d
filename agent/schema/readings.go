package schema

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"fusebox/agent"
)

// readings are the ways to solve a problem, each with all that has to be changed for it: any
// of those of alternatives, and one of each problem that comes beside others.
func readings(bad *jsonschema.ValidationError, top any, without bool) [][]reading {
	switch k := bad.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		var all [][]reading
		for _, branch := range bad.Causes {
			all = append(all, readings(branch, top, without)...)
		}
		return bounded(all)
	case *kind.Type:
		return readAs(bad, top, k.Want, without)
	case *kind.Enum:
		return append(readAs(bad, top, typesOf(k.Want...), false), readStatus(bad, top, k.Want)...)
	case *kind.Const:
		return readAs(bad, top, typesOf(k.Want), false)
	}
	if len(bad.Causes) == 0 {
		return nil
	}
	all := [][]reading{nil}
	for _, cause := range bad.Causes {
		if all = times(all, readings(cause, top, without)); len(all) == 0 {
			return nil
		}
	}
	return all
}

// times are all ways to solve one thing, and then another.
func times(all, ways [][]reading) (both [][]reading) {
	if len(ways) == 1 { // most often: nothing is copied
		for i := range all {
			all[i] = append(all[i], ways[0]...)
		}
		return all
	}
	for _, way := range ways {
		for _, before := range all {
			both = append(both, append(slices.Clip(before), way...))
		}
	}
	return bounded(both)
}

// bounded are not more readings than can be tried, or none.
func bounded(all [][]reading) [][]reading {
	if len(all) > maxReadings {
		return nil
	}
	return all
}

func typesOf(values ...any) (types []string) {
	for _, v := range values {
		name := "string"
		switch v.(type) {
		case nil:
			name = "null"
		case bool:
			name = "boolean"
		case json.Number:
			name = "number"
		case []any:
			name = "array"
		case map[string]any:
			name = "object"
		}
		if !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	return types
}

// readAs are the readings of the value with a problem as one of some types.
func readAs(bad *jsonschema.ValidationError, top any, types []string, without bool) (all [][]reading) {
	value, ok := get(top, bad.InstanceLocation)
	if !ok {
		return nil
	}
	for _, t := range types {
		if v, ok := readOne(value, t); ok && !same(v, value) {
			all = append(all, []reading{{bad.InstanceLocation, v}})
		}
	}
	if without && len(bad.InstanceLocation) > 0 && (value == nil || value == "" || value == "null") {
		all = append(all, []reading{{bad.InstanceLocation, absent{}}})
	}
	return all
}

func readOne(value any, as string) (any, bool) {
	text, isText := value.(string)
	switch as {
	case "null":
		return nil, text == "null" || isText && text == ""
	case "boolean":
		switch strings.ToLower(text) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
	case "integer", "number":
		return readNumber(text, as)
	case "string":
		switch v := value.(type) {
		case json.Number:
			return v.String(), true
		case bool:
			return strconv.FormatBool(v), true
		}
	case "object", "array":
		inner, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if isText && err == nil && slices.Contains(typesOf(inner), as) {
			return inner, true
		}
		// A text with commas may be several values, one with a bracket a broken list.
		if as == "array" && value != nil && !is[[]any](value) && (!isText || text != "" && !strings.ContainsAny(text, ",;\n[{")) {
			return []any{value}, true
		}
	}
	return nil, false
}

// readNumber reads a number without losing any of it. One that no program could hold is none.
func readNumber(text, as string) (any, bool) {
	text = strings.TrimSpace(text)
	number, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	n, isNumber := number.(json.Number)
	if err != nil || !isNumber {
		return nil, false
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return nil, false
	}
	exact, ok := new(big.Rat).SetString(text)
	if as == "integer" && ok && exact.IsInt() {
		return json.Number(exact.Num().String()), true // programs read 1e3 as no integer
	}
	return n, as == "number"
}

func get(v any, at []string) (any, bool) {
	for _, key := range at {
		switch within := v.(type) {
		case map[string]any:
			v = within[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(within) {
				return nil, false
			}
			v = within[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// edited is a copy of a value with others in their places.
func edited(v any, edits []reading) any {
	v = cloned(v)
	for _, e := range edits {
		v = put(v, e.at, e.value)
	}
	return v
}

// cloned copies what is changed of a value: its objects and lists.
func cloned(v any) any {
	switch within := v.(type) {
	case map[string]any:
		next := make(map[string]any, len(within))
		for key, inner := range within {
			next[key] = cloned(inner)
		}
		return next
	case []any:
		next := make([]any, len(within))
		for i, inner := range within {
			next[i] = cloned(inner)
		}
		return next
	}
	return v
}

func put(v any, at []string, value any) any {
	if len(at) == 0 {
		return value
	}
	gone := len(at) == 1 && value == absent{}
	switch within := v.(type) {
	case map[string]any:
		if gone {
			delete(within, at[0])
		} else {
			within[at[0]] = put(within[at[0]], at[1:], value)
		}
	case []any:
		if i, err := strconv.Atoi(at[0]); err == nil && i < len(within) && !gone {
			within[i] = put(within[i], at[1:], value)
		}
	}
	return v
}

// statusWords are what models write in place of the statuses of a plan's steps.
var statusWords = map[string]agent.PlanStatus{
	"pending": agent.PlanNotStarted, "todo": agent.PlanNotStarted, "to_do": agent.PlanNotStarted, "open": agent.PlanNotStarted,
	"planned": agent.PlanNotStarted, "queued": agent.PlanNotStarted,
	"doing": agent.PlanInProgress, "inprogress": agent.PlanInProgress, "active": agent.PlanInProgress, "started": agent.PlanInProgress,
	"working": agent.PlanInProgress, "ongoing": agent.PlanInProgress, "running": agent.PlanInProgress,
	"complete": agent.PlanCompleted, "done": agent.PlanCompleted, "finished": agent.PlanCompleted,
	"stuck": agent.PlanBlocked, "on_hold": agent.PlanBlocked,
}

// readStatus reads another word for the status of a plan's step. Only the statuses of plans
// have such words: elsewhere the words may mean different things.
func readStatus(bad *jsonschema.ValidationError, top any, allowed []any) [][]reading {
	if len(allowed) != len(agent.PlanStatuses) || slices.ContainsFunc(agent.PlanStatuses, func(s agent.PlanStatus) bool { return !slices.Contains(allowed, any(string(s))) }) {
		return nil
	}
	value, _ := get(top, bad.InstanceLocation)
	text, _ := value.(string)
	word := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(text)))
	status, known := statusWords[word]
	if !known && slices.Contains(agent.PlanStatuses, agent.PlanStatus(word)) {
		status, known = agent.PlanStatus(word), true
	}
	if !known {
		return nil
	}
	return [][]reading{{{bad.InstanceLocation, string(status)}}}
}
