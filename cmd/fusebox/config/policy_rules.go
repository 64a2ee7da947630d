package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
)

const rulesKey = "policy.rules"

func (f fileValues) policyRules() ([]agent.PolicyRule, error) {
	raw, some := f.values[rulesKey]
	if !some {
		return nil, nil
	}
	f.used[rulesKey] = true
	tables, ok := tablesOf(raw)
	if !ok {
		return nil, Errorf("config file %s, key %s: %v is not allowed; allowed: tables [[%s]]", f.path, rulesKey, raw, rulesKey)
	}
	if len(tables) > agent.MaxPolicyRules {
		return nil, Errorf("config file %s, key %s: has %d rules; at most %d are allowed", f.path, rulesKey, len(tables), agent.MaxPolicyRules)
	}
	rules := make([]agent.PolicyRule, len(tables))
	taken := map[string]bool{}
	for i, table := range tables {
		rule, problem := readRule(table)
		if rule.ID == "" {
			rule.ID = fmt.Sprintf("rules[%d]", i)
		}
		if problem == "" && taken[rule.ID] {
			problem = fmt.Sprintf("id = %q is already taken by another rule; ids must be unique", rule.ID)
		}
		if problem != "" {
			return nil, Errorf("config file %s, %s[%d].%s", f.path, rulesKey, i, problem)
		}
		taken[rule.ID], rules[i] = true, rule
	}
	return rules, nil
}

// tablesOf is a list of tables, however it is written.
func tablesOf(raw any) ([]map[string]any, bool) {
	if tables, ok := raw.([]map[string]any); ok {
		return tables, true
	}
	list, ok := raw.([]any)
	tables := make([]map[string]any, len(list))
	for i, v := range list {
		table, isTable := v.(map[string]any)
		tables[i], ok = table, ok && isTable
	}
	return tables, ok
}

var ruleFields = map[string]func(r *agent.PolicyRule, text string){
	"id":       func(r *agent.PolicyRule, text string) { r.ID = text },
	"tool":     func(r *agent.PolicyRule, text string) { r.Tool = text },
	"effect":   func(r *agent.PolicyRule, text string) { r.Effect = agent.Effect(text) },
	"risk":     func(r *agent.PolicyRule, text string) { r.Risk = agent.Risk(text) },
	"who":      func(r *agent.PolicyRule, text string) { r.Who = text },
	"mode":     func(r *agent.PolicyRule, text string) { r.Mode = agent.ApprovalMode(text) },
	"action":   func(r *agent.PolicyRule, text string) { r.Action = agent.Action(text) },
	"set_risk": func(r *agent.PolicyRule, text string) { r.SetRisk = agent.Risk(text) },
	"reason":   func(r *agent.PolicyRule, text string) { r.Reason = text },
}

const ruleKeys = "tool, args, effect, risk, who, mode, action, set_risk, priority, reason, id"

// readRule reads one table; problem begins with the field that is wrong.
func readRule(table map[string]any) (r agent.PolicyRule, problem string) {
	r.Source = agent.RuleFromConfig
	for _, name := range slices.Sorted(maps.Keys(table)) {
		v := table[name]
		switch set, isText := ruleFields[name]; {
		case isText:
			text, ok := v.(string)
			if !ok {
				return r, fmt.Sprintf("%s = %v is not allowed; allowed: a text in quotes", name, v)
			}
			set(&r, text)
		case name == "priority":
			n, ok := v.(int64)
			if !ok || n < -agent.MaxRulePriority || n > agent.MaxRulePriority {
				return r, fmt.Sprintf("priority = %v is not allowed; allowed: a whole number from -1000 to 1000", v)
			}
			r.Priority = int(n)
		case name == "args":
			if r.Args, problem = readPattern(v); problem != "" {
				return r, problem
			}
		default:
			return r, fmt.Sprintf("%s is not a key of a rule; allowed: %s", name, ruleKeys)
		}
	}
	return r, FieldProblem(r.Check())
}

// readPattern reads args: field = "glob". Tables in it name fields of objects.
func readPattern(v any) (agent.Pattern, string) {
	table, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Sprintf(`args = %v is not allowed; allowed: a table such as { command = "go test *" }`, v)
	}
	fields := map[string]any{}
	flatten("", table, fields)
	p := agent.Pattern{}
	for name, glob := range fields {
		switch glob.(type) {
		case string, int64, float64, bool:
			p[name] = dump(glob)
		default:
			return nil, fmt.Sprintf("args.%s = %v is not allowed; allowed: a glob in quotes", name, glob)
		}
	}
	return p, ""
}

// FieldProblem names the field of a rule's error as the file does.
func FieldProblem(err error) string {
	var bad *agent.Error
	if !errors.As(err, &bad) || len(bad.Fields) == 0 {
		return ""
	}
	field := bad.Fields[0].Field
	if field == "setRisk" {
		field = "set_risk"
	}
	return strings.TrimSuffix(field+": "+bad.Fields[0].Detail, ".")
}
