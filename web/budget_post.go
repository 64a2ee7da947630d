package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
)

// budgetPost takes the form of a new budget.
func (s *pageBudgets_) budgetPost(c echo.Context) error {
	return s.takeBudgetForm(c, s.emptyBudgetForm(), func(in service.BudgetInput) error {
		_, err := s.Service.Budgets.Add(c.Request().Context(), viewerOf(c), in)
		return err
	})
}

// takeBudgetForm reads the form of a budget and saves it. What was typed stays
// in the form where it is refused.
func (s *pageBudgets_) takeBudgetForm(c echo.Context, f page.BudgetForm, save func(service.BudgetInput) error) error {
	typed := typedBudget(c)
	in, bad := typed.input()
	status, problem := http.StatusUnprocessableEntity, "The budget was not saved: something below needs another look."
	if len(bad) == 0 {
		err := save(in)
		switch agent.CodeOf(err) {
		case "":
			s.Sessions.flash(c, "The budget holds from the next model call on.")
			return c.Redirect(http.StatusSeeOther, "/admin/budgets")
		case agent.Invalid:
			bad = agent.FieldErrors(err)
		case agent.Conflict:
			status, problem = http.StatusConflict, agent.MessageOf(err)
		default:
			return s.refuseBudget(c, err)
		}
	}
	s.fillBudgetForm(&f, typed)
	f.Errors = atBudgetFields(typed, bad)
	return s.showBudgets(c, status, budgetsInput{problem: problem, form: &f})
}

// refuseBudget shows the page as it stands where somebody else was faster.
func (s *pageBudgets_) refuseBudget(c echo.Context, err error) error {
	if agent.CodeOf(err) != agent.NotFound {
		return err
	}
	return s.showBudgets(c, http.StatusNotFound, budgetsInput{problem: "This budget has ended, or there was none."})
}
