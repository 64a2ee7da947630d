package page

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Guards shows the pages about guards and takes their forms.
type Guards struct {
	*site.Site
	Detectors []agent.Detector
	Guards    agent.GuardSettings
	Tools     agent.Toolbox
}

// guardsInput is what a form of the page that was refused has to say.
type guardsInput struct {
	tab         page.GuardsTab
	problem, at string
	numbers     url.Values // what was typed, nil where nothing was
	rule        page.NewRule
	errors      map[string]string // of the numbers, by value.KEY and most.KEY
}

// Show shows which detectors are on and what they said.
func (s *Guards) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, guardsInput{tab: page.DetectorsTab})
}

// ShowRules shows the rules for tools, and tries settings on past runs.
func (s *Guards) ShowRules(c echo.Context) error {
	return s.show(c, http.StatusOK, guardsInput{tab: page.RulesTab})
}

// ShowThresholds shows the numbers of all detectors.
func (s *Guards) ShowThresholds(c echo.Context) error {
	return s.show(c, http.StatusOK, guardsInput{tab: page.ThresholdsTab})
}

// show renders the page. A query that was refused makes a status of its own.
func (s *Guards) show(c echo.Context, status int, in guardsInput) error {
	ctx := c.Request().Context()
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return err
	}
	rules, err := s.Store.GuardRules(ctx)
	if err != nil {
		return err
	}
	props := page.GuardsProps{Problem: in.problem, At: in.at, Numbers: s.numbersForm(text.In(ctx), config, in), NewRule: in.rule, Tab: in.tab, Tabs: guardTabs(text.In(ctx), guardsPaths[in.tab])}
	if len(in.errors) > 0 {
		props.At = firstError(props.Numbers)
	}
	if props.Detectors, err = s.detectorRows(ctx, config); err != nil {
		return err
	}
	for _, t := range s.Tools.Specs() {
		props.NewRule.Tools = append(props.NewRule.Tools, t.Name)
	}
	tr := text.In(ctx)
	for _, g := range rules {
		row := page.RuleRow{ID: g.ID, Tool: g.Tool, Says: present.RuleWords(tr, g.ToolRule), By: g.Actor, At: g.At, Approval: g.ApprovalID}
		if g.State == agent.RuleActive {
			props.Active = append(props.Active, row)
			continue
		}
		row.Replaces = present.RuleWords(tr, config.Rule(g.Tool))
		props.Proposed = append(props.Proposed, row)
	}
	refused := false
	if in.tab == page.RulesTab {
		if refused, err = s.tryGuards(c, rules, &props); err != nil {
			return err
		}
	}
	if refused && status == http.StatusOK {
		status = http.StatusUnprocessableEntity
	}
	title := tr.T("page.title.breakers")
	props.Title = title
	switch in.tab {
	case page.DetectorsTab:
	case page.RulesTab:
		props.Title = tr.T("page.learning.rules")
		title = site.Within(props.Title, title)
	case page.ThresholdsTab:
		props.Title = tr.T("page.learning.thresholds")
		title = site.Within(props.Title, title)
	}
	frame := s.Shell(c, title, "guards")
	return s.Render(c, status, page.Guards(frame, props))
}

func (s *Guards) detectorRows(ctx context.Context, config agent.GuardConfig) ([]page.DetectorRow, error) {
	views, err := s.Service.Guards.Status(ctx, config)
	if err != nil {
		return nil, err
	}
	rows := make([]page.DetectorRow, len(views))
	for i, d := range views {
		rows[i] = page.DetectorRow{
			Name: d.Name, Title: present.DetectorName(text.In(ctx), d.Name), Catches: present.DetectorCatches(text.In(ctx), d.Name, d.Catches), On: d.On, Reminded: text.In(ctx).Amount(d.Warnings), Paused: text.In(ctx).Amount(d.Pauses), Stopped: text.In(ctx).Amount(d.Stops),
			WouldHave: text.In(ctx).Amount(d.Off), Tokens: text.In(ctx).Amount(d.Tokens), Cost: present.Money(d.CostMicros),
			SavedTokens: text.In(ctx).Amount(d.SavedTokens), SavedCost: present.Money(d.SavedMicros),
		}
	}
	return rows, nil
}

// numbersForm is the form of the numbers: what applies, or what was typed. The
// shared ones come first, then those of each detector.
func (s *Guards) numbersForm(tr *text.Printer, config agent.GuardConfig, in guardsInput) page.NumbersForm {
	groups := map[string][]page.Number{}
	for _, v := range s.Service.Guards.Numbers(config) {
		groups[v.Detector] = append(groups[v.Detector], numberRow(tr, v, config.Numbers[v.Key], in))
	}
	f := page.NumbersForm{Groups: []page.NumberGroup{{Numbers: groups[""]}}}
	for _, d := range s.Detectors {
		if len(groups[d.Name]) > 0 {
			f.Groups = append(f.Groups, page.NumberGroup{Detector: present.DetectorName(tr, d.Name), Numbers: groups[d.Name]})
		}
	}
	return f
}

// firstError is the id of the first field of the form that has an error.
func firstError(f page.NumbersForm) string {
	for _, g := range f.Groups {
		for _, n := range g.Numbers {
			switch {
			case n.ValueError != "":
				return "value-" + n.Key
			case n.MostError != "":
				return "most-" + n.Key
			}
		}
	}
	return "numbers"
}

func numberRow(tr *text.Printer, v service.GuardNumberStatus, o agent.GuardOverride, in guardsInput) page.Number {
	number, _ := agent.FindGuardNumber(v.Key)
	row := page.Number{
		Key: v.Key, Help: present.NumberHelp(tr, v.Key, v.Help), Default: present.ShortSpans(v.Default), Allowed: present.NumberAllowed(tr, number), Conversations: v.Conversations,
		Value: o.Value, Most: o.Most, WasValue: o.Value, WasMost: o.Most,
		ValueError: in.errors["value."+v.Key], MostError: in.errors["most."+v.Key],
	}
	_, err := strconv.Atoi(v.Default)
	row.Whole = err == nil
	keep := func(field *string, name string) {
		if in.numbers.Has(name) {
			*field = in.numbers.Get(name)
		}
	}
	keep(&row.Value, "value."+v.Key)
	keep(&row.Most, "most."+v.Key)
	keep(&row.WasValue, "was.value."+v.Key)
	keep(&row.WasMost, "was.most."+v.Key)
	return row
}

// Switch switches a detector on or off from the page.
func (s *Guards) Switch(c echo.Context) error {
	name, on := c.Param("name"), c.FormValue("on") == "true"
	if err := s.Service.Guards.Switch(c.Request().Context(), request.Viewer(c), name, on); err != nil {
		return err
	}
	said := site.Words(c).T("page.guards.off", present.DetectorName(site.Words(c), name))
	if on {
		said = site.Words(c).T("page.guards.on", present.DetectorName(site.Words(c), name))
	}
	return s.Back(c, "/admin/guards", said)
}

// CreateRule takes the form of a new rule.
func (s *Guards) CreateRule(c echo.Context) error {
	typed := page.NewRule{
		Tool: c.FormValue("tool"), Identity: c.FormValue("identity"), Volatile: c.FormValue("volatile"),
		Warning: c.FormValue("warning"), Critical: c.FormValue("critical"), Polling: c.FormValue("polling") == "true",
		Errors: map[string]string{},
	}
	rule := agent.ToolRule{
		Tool: typed.Tool, Polling: typed.Polling, Identity: strings.Split(typed.Identity, ","), Volatile: strings.Split(typed.Volatile, ","),
		Warning: typedCount(site.Words(c), typed, "warning", typed.Warning), Critical: typedCount(site.Words(c), typed, "critical", typed.Critical),
	}
	return s.Answer(c, site.Form{
		Bad: typed.Errors,
		Save: func() (said, next string, err error) {
			g, err := s.Service.Guards.AddRule(c.Request().Context(), request.Viewer(c), rule)
			return site.Words(c).T("page.guards.rule_added", g.Tool), guardsPaths[page.RulesTab], err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			typed.Errors = fields
			return s.show(c, status, guardsInput{tab: page.RulesTab, problem: cmp.Or(problem, site.Words(c).T("page.guards.rule_refused")), at: "new-rule", rule: typed})
		},
	})
}

// typedCount reads a whole number; an empty field is 0.
func typedCount(tr *text.Printer, typed page.NewRule, field, value string) int {
	n, err := strconv.Atoi(orZero(value))
	if err != nil {
		typed.Errors[field] = tr.T("page.guards.not_whole")
	}
	return n
}

// AcceptRule puts a proposal in force from the page.
func (s *Guards) AcceptRule(c echo.Context) error {
	g, err := s.Service.Guards.AcceptRule(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return s.refuse(c, err)
	}
	return s.Back(c, guardsPaths[page.RulesTab], site.Words(c).T("page.guards.rule_added", g.Tool))
}

// refuse shows the page as it is now where somebody else was faster.
func (s *Guards) refuse(c echo.Context, err error) error {
	code := agent.CodeOf(err)
	if code != agent.Conflict && code != agent.NotFound {
		return err
	}
	return s.show(c, request.StatusOf(code, http.MethodPost), guardsInput{tab: page.RulesTab, problem: request.Said(site.Words(c), err)})
}

// DeleteRule takes a rule out of force, or a proposal off the list, from the page.
func (s *Guards) DeleteRule(c echo.Context) error {
	g, err := s.Service.Guards.DismissRule(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return s.refuse(c, err)
	}
	said := site.Words(c).T("page.guards.rule_dismissed", g.Tool)
	if g.State == agent.RuleActive {
		said = site.Words(c).T("page.guards.rule_removed", g.Tool)
	}
	return s.Back(c, guardsPaths[page.RulesTab], said)
}
