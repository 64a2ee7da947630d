package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent/demo/fill"
)

// judgedPhrases are what a person says to see the judge at work.
var judgedPhrases = []string{"test judge loop", "测试裁判", "測試裁判"}

// responseFormat is what an answer is bound to.
type responseFormat struct {
	Type   string `json:"type"`
	Schema struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// bound answers a request whose answer has to be JSON; ok is false for all others.
func bound(r request, t turn) (a answer, ok bool) {
	switch r.ResponseFormat.Type {
	case "json_object":
		return say(jsonText("answer", reply(t).text)), true
	case "json_schema":
		return judged(r, t), true
	}
	return answer{}, false
}

// jsonText is a JSON object with one text.
func jsonText(key, text string) string {
	raw, err := json.Marshal(map[string]string{key: text})
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// judged answers by a schema: as a judge of loops or risks where it looks like
// theirs, else with values that fit.
func judged(r request, t turn) answer {
	properties, _ := fill.Decode(r.ResponseFormat.Schema.Schema)["properties"].(map[string]any)
	switch {
	case properties["risks"] != nil:
		return judgingRisk(r)
	case properties["confidence"] != nil && properties["reasoning"] != nil:
		return judgingLoop(r)
	}
	return say(filled(t, r.ResponseFormat.Schema.Schema))
}

func judgingLoop(r request) answer {
	for _, m := range r.Messages {
		text := plain(string(m.Content))
		if m.Role == "user" && slices.ContainsFunc(judgedPhrases, func(p string) bool { return strings.Contains(text, p) }) {
			return say(`{"reasoning":"It does ever new sums and comes no nearer to its task.","confidence":0.95}`)
		}
	}
	return say(`{"reasoning":"Each step brings something new.","confidence":0.1}`)
}
