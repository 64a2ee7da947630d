package agent

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The bounds of rules.
const (
	MaxPolicyRules   = 500
	MaxRulePriority  = 1000
	maxRuleText      = 200  // tool, field names, who, id
	maxRuleGlob      = 1000 // a glob over an argument
	maxPatternFields = 20
	maxRuleReason    = 500
	argsHashDigits   = 16
	rolePrefix       = "role:"
	allowedRisks     = "low, medium, high, critical"
	allowedEffects   = "read, write, exec, network"
	allowedModes     = "default, auto_edit, yolo"
	allowedActions   = "allow, ask, deny"
	allowedRuleRoles = "role:user, role:reviewer, role:admin"
)

// Check checks a rule against its bounds. Its error has code Invalid and a
// FieldError for each bad field, under the field's JSON name.
func (r PolicyRule) Check() error {
	var bad []FieldError
	say := func(field, detail string) { bad = append(bad, FieldError{Field: field, Detail: detail}) }
	r.checkTexts(say)
	r.checkArgs(say)
	r.checkValues(say)
	r.checkSense(say)
	if len(bad) == 0 {
		return nil
	}
	return &Error{Code: Invalid, Message: bad[0].Field + ": " + bad[0].Detail, Fields: bad}
}

func (r PolicyRule) checkTexts(say func(field, detail string)) {
	for _, f := range []struct {
		field, text string
		most        int
		detail      string
	}{
		{"id", r.ID, maxRuleText, "is longer than 200 characters or not text"},
		{"tool", r.Tool, maxRuleText, "is longer than 200 characters or not text; use a tool's name, or a glob such as write_*"},
		{"who", r.Who, maxRuleText, "is longer than 200 characters or not text; use an e-mail address, a glob such as *@example.org, or role:user"},
		{"reason", r.Reason, maxRuleReason, "is longer than 500 characters or not text"},
	} {
		if !shortText(f.text, f.most) {
			say(f.field, f.detail)
		}
	}
	if role, named := strings.CutPrefix(r.Who, rolePrefix); named && !Role(role).Valid() {
		say("who", "names an unknown role; allowed: "+allowedRuleRoles)
	}
}

func (r PolicyRule) checkArgs(say func(field, detail string)) {
	if len(r.Args) > maxPatternFields {
		say("args", "names more than 20 fields")
		return
	}
	for name, glob := range r.Args {
		switch {
		case name == "" || !shortText(name, maxRuleText):
			say("args", "names a field that is empty or longer than 200 characters")
		case !shortText(glob, maxRuleGlob):
			say("args."+name, "is longer than 1000 characters or not text")
		}
	}
	if r.ArgsHash != "" && (len(r.ArgsHash) != argsHashDigits || strings.Trim(r.ArgsHash, "0123456789abcdef") != "") {
		say("argsHash", "is not an arguments hash; it has 16 digits from 0 to f, like a call's argsHash")
	}
}

func (r PolicyRule) checkValues(say func(field, detail string)) {
	known := func(field, value, allowed string, optional bool) {
		if (value != "" || !optional) && !slices.Contains(strings.Split(allowed, ", "), value) {
			say(field, quoted(value)+" is not allowed; allowed: "+allowed)
		}
	}
	known("action", string(r.Action), allowedActions, false)
	known("effect", string(r.Effect), allowedEffects, true)
	known("risk", string(r.Risk), allowedRisks, true)
	known("mode", string(r.Mode), allowedModes, true)
	known("setRisk", string(r.SetRisk), allowedRisks, true)
	if r.Priority < -MaxRulePriority || r.Priority > MaxRulePriority {
		say("priority", "is not allowed; allowed: a whole number from -1000 to 1000")
	}
}

// checkSense refuses rules that let everything run, and those that never could.
func (r PolicyRule) checkSense(say func(field, detail string)) {
	if r.Action != ActionAllow {
		return
	}
	switch {
	case r.fitsAll():
		say("action", "a rule that allows needs a condition: name a tool, arguments, an effect, a risk, a person or a mode")
	case r.Risk == RiskCritical:
		say("risk", "no rule lets a critical call run; allowed with the action allow: low, medium, high")
	case r.SetRisk == RiskCritical:
		say("setRisk", "no rule lets a critical call run; use the action ask or deny, or a lower risk")
	}
}

// fitsAll reports whether every condition is empty.
func (r PolicyRule) fitsAll() bool {
	return strings.Trim(r.Tool, "*") == "" && strings.Trim(r.Who, "*") == "" &&
		len(r.Args) == 0 && r.ArgsHash == "" && r.Effect == "" && r.Risk == "" && r.Mode == ""
}

func shortText(s string, most int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most
}

func quoted(s string) string {
	if !shortText(s, maxRuleText) {
		return "what it says"
	}
	return `"` + s + `"`
}
