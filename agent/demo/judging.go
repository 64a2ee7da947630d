package demo

import (
	"encoding/json"
	"slices"
	"strings"
)

// judgedPhrases are what a person says to see the judge at work.
var judgedPhrases = []string{"test judge loop", "测试裁判", "測試裁判"}

// responseFormat is what an answer is bound to.
type responseFormat struct {
	Type   string `json:"type"`
	Schema struct {
		Schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"schema"`
	} `json:"json_schema"`
}

// bound answers a request that is bound to a schema; ok is false for all others.
func bound(r request) (a answer, ok bool) {
	if r.ResponseFormat.Type != "json_schema" {
		return answer{}, false
	}
	if _, weighs := r.ResponseFormat.Schema.Schema.Properties["risks"]; weighs {
		return judgingRisk(r), true
	}
	if _, judges := r.ResponseFormat.Schema.Schema.Properties["confidence"]; !judges {
		return say("{}"), true
	}
	for _, m := range r.Messages {
		text := plain(string(m.Content))
		if m.Role == "user" && slices.ContainsFunc(judgedPhrases, func(p string) bool { return strings.Contains(text, p) }) {
			return say(`{"reasoning":"It does ever new sums and comes no nearer to its task.","confidence":0.95}`), true
		}
	}
	return say(`{"reasoning":"Each step brings something new.","confidence":0.1}`), true
}
