package page

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
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
		Warning: typedCount(typed, "warning", typed.Warning), Critical: typedCount(typed, "critical", typed.Critical),
	}
	if len(typed.Errors) == 0 {
		g, err := s.Service.Guards.AddRule(c.Request().Context(), request.Viewer(c), rule)
		switch agent.CodeOf(err) {
		case "":
			s.Sessions.Flash(c, "The rule for "+g.Tool+" is in force from the next run on.")
			return c.Redirect(http.StatusSeeOther, "/admin/guards")
		case agent.Invalid:
			typed.Errors = agent.FieldErrors(err)
		default:
			return err
		}
	}
	return s.show(c, http.StatusUnprocessableEntity, guardsInput{problem: "The rule is not in force yet.", at: "new-rule", rule: typed})
}

// typedCount reads a whole number; an empty field is 0.
func typedCount(typed page.NewRule, field, text string) int {
	n, err := strconv.Atoi(orZero(text))
	if err != nil {
		typed.Errors[field] = "is not a whole number"
	}
	return n
}
