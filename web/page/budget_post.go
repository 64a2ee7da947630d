package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/request"
)

// Create takes the form of a new budget.
func (s *Budgets) Create(c echo.Context) error {
	return s.takeForm(c, s.emptyForm(), func(in service.BudgetInput) error {
		_, err := s.Service.Budgets.Add(c.Request().Context(), request.Viewer(c), in)
		return err
	})
}

// takeForm reads the form of a budget and saves it. What was typed stays
// in the form where it is refused.
func (s *Budgets) takeForm(c echo.Context, f page.BudgetForm, save func(service.BudgetInput) error) error {
	typed := typedBudget(c)
	in, bad := typed.input()
	status, problem := http.StatusUnprocessableEntity, "The budget was not saved: something below needs another look."
	if len(bad) == 0 {
		err := save(in)
		switch agent.CodeOf(err) {
		case "":
			s.Sessions.Flash(c, "The budget holds from the next model call on.")
			return c.Redirect(http.StatusSeeOther, "/admin/budgets")
		case agent.Invalid:
			bad = agent.FieldErrors(err)
		case agent.Conflict:
			status, problem = http.StatusConflict, agent.MessageOf(err)
		default:
			return s.refuse(c, err)
		}
	}
	s.fillForm(&f, typed)
	f.Errors = atBudgetFields(typed, bad)
	return s.show(c, status, budgetsInput{problem: problem, form: &f})
}

// refuse shows the page as it stands where somebody else was faster.
func (s *Budgets) refuse(c echo.Context, err error) error {
	if agent.CodeOf(err) != agent.NotFound {
		return err
	}
	return s.show(c, http.StatusNotFound, budgetsInput{problem: "This budget has ended, or there was none."})
}
