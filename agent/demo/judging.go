package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent/demo/fill"
	"fusebox/agent/demo/wire"
)

// judgedPhrases ask to see the judge at work.
var judgedPhrases = []string{"test judge loop", "测试裁判", "測試裁判"}

// responseFormat binds an answer to JSON, or to a schema.
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
		raw, err := json.Marshal(map[string]string{"answer": reply(t).text})
		if err != nil {
			return say("{}"), true
		}
		return say(string(raw)), true
	case "json_schema":
		// A schema may be that of a judge of loops or risks.
		schema := r.ResponseFormat.Schema.Schema
		properties, _ := fill.Decode(schema)["properties"].(map[string]any)
		switch {
		case properties["risks"] != nil:
			return judgingRisk(r), true
		case properties["confidence"] == nil || properties["reasoning"] == nil:
			return say(filled(t, schema)), true
		}
		judged := func(m wire.Message) bool {
			text := plain(string(m.Content))
			return m.Role == "user" && slices.ContainsFunc(judgedPhrases, func(p string) bool { return strings.Contains(text, p) })
		}
		if slices.ContainsFunc(r.Messages, judged) {
			return say(`{"reasoning":"It does ever new sums and comes no nearer to its task.","confidence":0.95}`), true
		}
		return say(`{"reasoning":"Each step brings something new.","confidence":0.1}`), true
	}
	return answer{}, false
}

// judgedCall is a call as shown to a risk judge.
var judgedCall = pattern(`(?m)^id (\S+): (.*)$`)

// judgingRisk judges calls: what touches production is critical, all else low.
func judgingRisk(r request) answer {
	type risk struct {
		ID     string `json:"id"`
		Risk   string `json:"risk"`
		Reason string `json:"reason"`
	}
	said := struct {
		Risks []risk `json:"risks"`
	}{[]risk{}}
	for _, m := range r.Messages {
		for _, found := range judgedCall().FindAllStringSubmatch(plain(string(m.Content)), -1) {
			if m.Role != "user" {
				continue
			}
			judged := risk{found[1], "low", "It changes nothing that matters."}
			if strings.Contains(strings.ToLower(found[2]), "production") {
				judged.Risk, judged.Reason = "critical", "It touches production."
			}
			said.Risks = append(said.Risks, judged)
		}
	}
	raw, err := json.Marshal(said)
	if err != nil {
		return say("{}")
	}
	return say(string(raw))
}
