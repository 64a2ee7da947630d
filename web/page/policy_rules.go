package page

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// CreateRule takes the form of a new rule.
func (s *Tools) CreateRule(c echo.Context) error {
	return s.takeRuleForm(c, "", func(in service.RuleInput) (agent.PolicyRule, error) {
		return s.Service.Rules.Add(c.Request().Context(), request.Viewer(c), in)
	})
}

// takeRuleForm reads the form of a rule and saves it. What was typed stays in
// the form where it is refused.
func (s *Tools) takeRuleForm(c echo.Context, id string, save func(service.RuleInput) (agent.PolicyRule, error)) error {
	in, bad := typedRule(c)
	return s.Answer(c, site.Form{
		Bad: bad,
		Save: func() (said, next string, err error) {
			_, err = save(in)
			return site.Words(c).T("page.tools.rule_added"), "/admin/tools#rules-people", err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			if problem != "" {
				return s.show(c, status, toolsInput{problem: problem})
			}
			f := s.emptyRuleForm(site.Words(c))
			f.ID, f.Errors = id, atFields(fields)
			fillRuleForm(site.Words(c), &f, in)
			f.Args, f.Priority, f.Until = c.FormValue("args"), c.FormValue("priority"), c.FormValue("expiresAt")
			return s.show(c, status, toolsInput{problem: site.Words(c).T("page.tools.rule_refused"), at: "rule-form", form: &f})
		},
	})
}

// typedRule reads the fields of the form; bad names those that say nothing.
func typedRule(c echo.Context) (in service.RuleInput, bad map[string]string) {
	bad = map[string]string{}
	in = service.RuleInput{
		Tool: c.FormValue("tool"), ArgsHash: c.FormValue("argsHash"), Effect: agent.Effect(c.FormValue("effect")),
		Risk: agent.Risk(c.FormValue("risk")), Who: c.FormValue("who"), Mode: agent.ApprovalMode(c.FormValue("mode")),
		Action: agent.Action(c.FormValue("action")), SetRisk: agent.Risk(c.FormValue("setRisk")), Reason: c.FormValue("reason"),
	}
	var err error
	if in.Priority, err = strconv.Atoi(orZero(c.FormValue("priority"))); err != nil {
		bad["priority"] = site.Words(c).T("page.tools.not_whole")
	}
	if in.Args, err = typedPattern(site.Words(c), c.FormValue("args")); err != nil {
		bad["args"] = err.Error()
	}
	if until := c.FormValue("expiresAt"); until != "" {
		in.ExpiresAt = until + ":00Z" // the field has minutes, and is read as UTC
		if strings.Count(until, ":") > 1 {
			in.ExpiresAt = until + "Z"
		}
	}
	return in, bad
}

// typedPattern reads lines of the form field = glob.
func typedPattern(tr *text.Printer, lines string) (agent.Pattern, error) {
	p := agent.Pattern{}
	for _, line := range strings.Split(lines, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, glob, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, errors.New(tr.T("page.tools.bad_pattern", agent.Clip(line, 100)))
		}
		if _, twice := p[name]; twice {
			return nil, errors.New(tr.T("page.tools.pattern_twice", agent.Clip(name, 100)))
		}
		p[name] = strings.TrimSpace(glob)
	}
	return p, nil
}

// atFields puts the errors of single arguments at the field of all of them.
func atFields(bad map[string]string) map[string]string {
	for field, detail := range bad {
		if name, ok := strings.CutPrefix(field, "args."); ok {
			bad["args"] = name + " " + detail
		}
	}
	return bad
}

// emptyRuleForm is the form of a new rule.
func (s *Tools) emptyRuleForm(tr *text.Printer) page.PolicyForm {
	var f page.PolicyForm
	for _, t := range s.Tools.Specs() {
		f.Tools = append(f.Tools, t.Name)
	}
	fillRuleForm(tr, &f, service.RuleInput{Action: agent.ActionAsk})
	return f
}

// ruleForm is the form of a rule that is to be changed.
func (s *Tools) ruleForm(tr *text.Printer, r agent.PolicyRule) page.PolicyForm {
	f := s.emptyRuleForm(tr)
	f.ID = r.ID
	fillRuleForm(tr, &f, service.RuleInput{
		Tool: r.Tool, ArgsHash: r.ArgsHash, Effect: r.Effect, Risk: r.Risk, Who: r.Who, Mode: r.Mode, Action: r.Action,
		SetRisk: r.SetRisk, Reason: r.Reason,
	})
	f.Args = strings.Join(present.PatternLines(r.Args), "\n")
	if r.Priority != 0 {
		f.Priority = strconv.Itoa(r.Priority)
	}
	if !r.ExpiresAt.IsZero() {
		f.Until = r.ExpiresAt.UTC().Format("2006-01-02T15:04")
	}
	return f
}

// fillRuleForm puts the fields that need no reading into a form.
func fillRuleForm(tr *text.Printer, f *page.PolicyForm, in service.RuleInput) {
	f.Tool, f.ArgsHash, f.Who, f.Reason = in.Tool, in.ArgsHash, in.Who, in.Reason
	f.Actions = site.Choices(string(in.Action), [][2]string{
		{string(agent.ActionAsk), tr.T("page.tools.ask")}, {string(agent.ActionAllow), tr.T("page.tools.allow")},
		{string(agent.ActionDeny), tr.T("page.tools.deny")},
	})
	risk := func(v string) string { return part.RiskWord(tr, v) }
	f.Effects = named(orAny(tr.T("page.tools.any"), string(in.Effect), string(agent.EffectRead), string(agent.EffectWrite), string(agent.EffectExec), string(agent.EffectNetwork)), func(v string) string {
		return present.EffectLabel(tr, agent.Effect(v))
	})
	f.Risks = named(orAny(tr.T("page.tools.any"), string(in.Risk), riskNames...), risk)
	f.Modes = named(orAny(tr.T("page.tools.any"), string(in.Mode), string(agent.ModeDefault), string(agent.ModeAutoEdit), string(agent.ModeYolo)), func(v string) string {
		return present.ModeLabel(tr, agent.ApprovalMode(v))
	})
	f.SetRisks = named(orAny(tr.T("page.tools.leave_risk"), string(in.SetRisk), riskNames...), risk)
}

var riskNames = []string{string(agent.RiskLow), string(agent.RiskMedium), string(agent.RiskHigh), string(agent.RiskCritical)}

// named gives choices the labels of their values; the empty one keeps its own.
func named(choices []page.Choice, label func(value string) string) []page.Choice {
	for i := range choices {
		if choices[i].Value != "" {
			choices[i].Label = label(choices[i].Value)
		}
	}
	return choices
}

// orAny are the entries of a select, of which one is chosen, behind an empty one.
func orAny(label, chosen string, values ...string) []page.Choice {
	all := []page.Choice{{Label: label, Selected: chosen == ""}}
	for _, v := range values {
		all = append(all, page.Choice{Value: v, Label: v, Selected: v == chosen})
	}
	return all
}

// ChangeRule takes the form of a rule that is changed.
func (s *Tools) ChangeRule(c echo.Context) error {
	old, err := s.Store.PolicyRule(c.Request().Context(), c.Param("id"))
	if err != nil {
		return s.refuse(c, err)
	}
	return s.takeRuleForm(c, old.ID, func(in service.RuleInput) (agent.PolicyRule, error) {
		return s.Service.Rules.Change(c.Request().Context(), request.Viewer(c), *old, in)
	})
}

// NarrowRule lets a rule that was everybody's be for one person alone.
func (s *Tools) NarrowRule(c echo.Context) error {
	if _, err := s.Service.Rules.Narrow(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return s.refuse(c, err)
	}
	return s.Back(c, "/admin/tools#rules-people", site.Words(c).T("page.tools.rule_narrowed"))
}

// RevokeRule takes a rule out of force from the page.
func (s *Tools) RevokeRule(c echo.Context) error {
	if _, err := s.Service.Rules.Revoke(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return s.refuse(c, err)
	}
	return s.Back(c, "/admin/tools#rules-people", site.Words(c).T("page.tools.rule_revoked"))
}

// refuse shows the page as it is now where somebody else was faster.
func (s *Tools) refuse(c echo.Context, err error) error {
	code := agent.CodeOf(err)
	if code != agent.Conflict && code != agent.NotFound {
		return err
	}
	return s.show(c, request.StatusOf(code, http.MethodPost), toolsInput{problem: request.Said(site.Words(c), err)})
}
