package demo

import (
	"encoding/json"
	"regexp"
	"strings"
)

// judgedCall is a call as shown to a risk judge.
var judgedCall = regexp.MustCompile(`(?m)^id (\S+): (.*)$`)

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
		for _, found := range judgedCall.FindAllStringSubmatch(plain(string(m.Content)), -1) {
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
