package page

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
)

// CreateRule takes the form of a new rule.
func (s *Guards) CreateRule(c echo.Context) error {
	typed := page.NewRule{
		Tool: c.FormValue("tool"), Identity: c.FormValue("identity"), Volatile: c.FormValue("volatile"),
		Warning: c.FormValue("warning"), Critical: c.FormValue("critical"), Polling: c.FormValue("polling") == "true",
		Errors: map[string]string{},
	}
	rule := agent.ToolRule{
		Tool: typed.Tool, Polling: typed.Polling, Identity: strings.Split(typed.Identity, ","), Volatile: strings.Split(typed.Volatile, ","),
		Warning: typedCount(words(c), typed, "warning", typed.Warning), Critical: typedCount(words(c), typed, "critical", typed.Critical),
	}
	return s.answer(c, postedForm{
		bad: typed.Errors,
		save: func() (said, next string, err error) {
			g, err := s.Service.Guards.AddRule(c.Request().Context(), request.Viewer(c), rule)
			return words(c).T("page.guards.rule_added", g.Tool), guardsPaths[page.RulesTab], err
		},
		again: func(status int, fields map[string]string, problem string) error {
			typed.Errors = fields
			return s.show(c, status, guardsInput{tab: page.RulesTab, problem: cmp.Or(problem, words(c).T("page.guards.rule_refused")), at: "new-rule", rule: typed})
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
	s.Sessions.Flash(c, words(c).T("page.guards.rule_added", g.Tool))
	return c.Redirect(http.StatusSeeOther, guardsPaths[page.RulesTab])
}

// refuse shows the page as it is now where somebody else was faster.
func (s *Guards) refuse(c echo.Context, err error) error {
	code := agent.CodeOf(err)
	if code != agent.Conflict && code != agent.NotFound {
		return err
	}
	return s.show(c, request.StatusOf(code, http.MethodPost), guardsInput{tab: page.RulesTab, problem: request.Said(words(c), err)})
}

// DeleteRule takes a rule out of force, or a proposal off the list, from the page.
func (s *Guards) DeleteRule(c echo.Context) error {
	g, err := s.Service.Guards.DismissRule(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return s.refuse(c, err)
	}
	if g.State == agent.RuleActive {
		s.Sessions.Flash(c, words(c).T("page.guards.rule_removed", g.Tool))
	} else {
		s.Sessions.Flash(c, words(c).T("page.guards.rule_dismissed", g.Tool))
	}
	return c.Redirect(http.StatusSeeOther, guardsPaths[page.RulesTab])
}
