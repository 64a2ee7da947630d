// Package reports reads what weather tools tell, whosever they are, and says it in English
// and Chinese.
package reports

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"fusebox/agent/demo/sums"
)

// Report is the weather as a tool tells it; what it leaves out is empty.
type Report struct {
	City, Condition string
	Celsius         *float64
	// Sample says that the tool made it up.
	Sample bool
}

// Known reports whether the weather was told.
func (w Report) Known() bool { return w.Celsius != nil }

// The keys under which tools tell the weather, in lower case without underscores.
var (
	celsiusKeys    = []string{"temperaturec", "tempc", "celsius", "temperature", "temp", "temperature2m"}
	fahrenheitKeys = []string{"temperaturef", "tempf", "fahrenheit"}
	placeKeys      = []string{"city", "location", "place", "name"}
	conditionKeys  = []string{"condition", "conditions", "weather", "description", "forecast", "summary"}
	unitKeys       = []string{"unit", "units"}
)

var degrees = regexp.MustCompile(`(-?\d+(?:\.\d+)?) ?°? ?(?:(C|c|℃)|(F|f|℉)|degrees|度)`)

// Read reads the result of a weather tool: an object, or
// a sentence with degrees in it.
func Read(result string) Report {
	var object map[string]any
	if json.Unmarshal([]byte(result), &object) != nil {
		return readSentence(result)
	}
	fields := map[string]any{}
	flatten(fields, object)
	w := Report{City: textAt(fields, placeKeys), Condition: textAt(fields, conditionKeys), Sample: fields["sample"] == true}
	if v, ok := numberAt(fields, celsiusKeys); ok {
		if unit := strings.ToLower(textAt(fields, unitKeys)); strings.HasPrefix(unit, "f") || strings.Contains(unit, "°f") {
			v = celsius(v)
		}
		w.Celsius = &v
	} else if v, ok := numberAt(fields, fahrenheitKeys); ok {
		v = celsius(v)
		w.Celsius = &v
	}
	return w
}

func readSentence(text string) Report {
	found := degrees.FindStringSubmatch(text)
	if found == nil {
		return Report{}
	}
	v, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return Report{}
	}
	if found[3] != "" {
		v = celsius(v)
	}
	return Report{Celsius: &v}
}

// celsius converts degrees Fahrenheit, to one decimal.
func celsius(f float64) float64 { return sums.Rounded((f - 32) * 5 / 9) }

// flatten puts the fields of an object and those inside it under simple keys;
// the outer ones win.
func flatten(into, object map[string]any) {
	for k, v := range object {
		into[strings.ToLower(strings.ReplaceAll(k, "_", ""))] = v
	}
	for _, v := range object {
		inner, ok := v.(map[string]any)
		if !ok {
			continue
		}
		for k, v := range inner {
			if k = strings.ToLower(strings.ReplaceAll(k, "_", "")); into[k] == nil {
				into[k] = v
			}
		}
	}
}

func textAt(fields map[string]any, keys []string) string {
	for _, k := range keys {
		if s, ok := fields[k].(string); ok {
			return s
		}
	}
	return ""
}

func numberAt(fields map[string]any, keys []string) (float64, bool) {
	for _, k := range keys {
		switch v := fields[k].(type) {
		case float64:
			return v, true
		case string:
			if found := degrees.FindStringSubmatch(v + " C"); found != nil {
				n, err := strconv.ParseFloat(found[1], 64)
				return n, err == nil
			}
		}
	}
	return 0, false
}
