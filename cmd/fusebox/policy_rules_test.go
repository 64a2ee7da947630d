package main

import (
	"strings"
	"testing"

	"fusebox/agent"
)

func TestPolicyRulesConfig(t *testing.T) {
	t.Parallel()
	c, err := load(t, nil, "-config", writeConfig(t, fourRules))
	must(t, err)
	if len(c.Policy.Rules) != 4 {
		t.Fatalf("%d rules", len(c.Policy.Rules))
	}
	first, second, third := c.Policy.Rules[0], c.Policy.Rules[1], c.Policy.Rules[2]
	if first.ID != "go-tests" || first.Source != agent.RuleFromConfig || first.Args["command"] != "go test *" || first.Action != agent.ActionAllow {
		t.Errorf("the first is %+v", first)
	}
	if second.ID != "rules[1]" || second.Args["path"] != "secret/**" || second.Priority != 10 || second.Reason == "" {
		t.Errorf("the second is %+v", second)
	}
	if third.Effect != agent.EffectWrite || third.Who != "role:user" || third.Mode != agent.ModeYolo || third.SetRisk != agent.RiskHigh {
		t.Errorf("the third is %+v", third)
	}
	if p := c.Policy.Rules[3].Args; p["target.place"] != "production" || p["dry"] != "false" {
		t.Errorf("the fourth fits %v", p)
	}
}

// TestPolicyRulesConfigErrors name the rule, the field and what is allowed.
func TestPolicyRulesConfigErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[policy]\nrules = 7":                                                                            "key policy.rules: 7 is not allowed; allowed: tables [[policy.rules]]",
		"[[policy.rules]]\ntool = \"x\"":                                                                 `policy.rules[0].action: "" is not allowed; allowed: allow, ask, deny`,
		"[[policy.rules]]\naction = \"allow\"":                                                           "policy.rules[0].action: a rule that allows needs a condition",
		"[[policy.rules]]\naction = \"deny\"\n[[policy.rules]]\naction = \"no\"":                         `policy.rules[1].action: "no" is not allowed; allowed: allow, ask, deny`,
		"[[policy.rules]]\naction = 7":                                                                   "policy.rules[0].action = 7 is not allowed; allowed: a text in quotes",
		"[[policy.rules]]\naction = \"ask\"\npriority = 1001":                                            "policy.rules[0].priority = 1001 is not allowed; allowed: a whole number from -1000 to 1000",
		"[[policy.rules]]\naction = \"ask\"\npriority = \"high\"":                                        "policy.rules[0].priority = high is not allowed",
		"[[policy.rules]]\naction = \"ask\"\nset_risk = \"huge\"":                                        `policy.rules[0].set_risk: "huge" is not allowed; allowed: low, medium, high, critical`,
		"[[policy.rules]]\naction = \"ask\"\nmode = \"brave\"":                                           `policy.rules[0].mode: "brave" is not allowed; allowed: default, auto_edit, yolo`,
		"[[policy.rules]]\naction = \"ask\"\nwho = \"role:king\"":                                        "policy.rules[0].who: names an unknown role; allowed: role:user",
		"[[policy.rules]]\naction = \"ask\"\nargs = \"x\"":                                               "policy.rules[0].args = x is not allowed; allowed: a table such as",
		"[[policy.rules]]\naction = \"ask\"\nargs.paths = [\"x\"]":                                       "policy.rules[0].args.paths = [x] is not allowed; allowed: a glob in quotes",
		"[[policy.rules]]\naction = \"ask\"\ntools = \"x\"":                                              "policy.rules[0].tools is not a key of a rule; allowed: tool, args, effect",
		"[[policy.rules]]\nid = \"a\"\naction = \"ask\"\n[[policy.rules]]\nid = \"a\"\naction = \"ask\"": `policy.rules[1].id = "a" is already taken by another rule`,
		strings.Repeat("[[policy.rules]]\naction = \"ask\"\n", 501):                                      "has 501 rules; at most 500 are allowed",
	} {
		path := writeConfig(t, text)
		_, err := load(t, nil, "-config", path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
