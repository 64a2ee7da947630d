package page

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/web/request"
	"fusebox/web/site"
)

// moreSteps are the empty rows of the form, and maxPlanRows all that are read of it: more
// than a plan may have, so that one that is too long is refused and not cut.
const (
	moreSteps   = 3
	maxPlanRows = 60
)

// ShowPlan is the form in which a person changes the plan of their run while it waits. Who
// may not do that, or is too late, is led to the run.
func (s *Runs) ShowPlan(c echo.Context) error {
	v := request.Viewer(c)
	run, err := s.Store.Run(c.Request().Context(), v, c.Param("id"))
	if err != nil {
		return err
	}
	if run.Status != agent.StatusPaused || run.UserID != v.UserID {
		return c.Redirect(http.StatusSeeOther, "/runs/"+run.ID)
	}
	var rows []page.PlanRow
	for _, step := range run.State.Plan.Steps {
		rows = append(rows, page.PlanRow{PlanStep: part.PlanStep{Step: step.Step, Status: string(step.Status), Note: step.Note}})
	}
	return s.showPlan(c, http.StatusOK, run, page.PlanProps{Rows: rows})
}

// ChangePlan takes the form; a row without a step is left out.
func (s *Runs) ChangePlan(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	run, err := s.Store.Run(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	var rows []page.PlanRow
	var plan agent.PlanArgs
	for i := range min(len(form["step"]), maxPlanRows) {
		if step := cell(form, "step", i); step != "" {
			r := part.PlanStep{Step: step, Status: cell(form, "status", i), Note: cell(form, "note", i)}
			rows = append(rows, page.PlanRow{PlanStep: r})
			plan.Plan = append(plan.Plan, agent.PlanStep{Step: r.Step, Status: agent.PlanStatus(r.Status), Note: r.Note})
		}
	}
	return s.Answer(c, site.Form{
		Save: func() (said, next string, err error) {
			return site.Words(c).T("page.plan.done"), "/c/" + run.ConversationID, s.Service.Runs.ChangePlan(ctx, v, run.ID, plan)
		},
		Again: func(status int, fields map[string]string, problem string) error {
			p := page.PlanProps{Rows: rows, Problem: problem}
			for field, wrong := range fields {
				row, _, _ := strings.Cut(strings.TrimPrefix(field, "plan."), ".")
				if i, err := strconv.Atoi(row); err == nil && i < len(rows) {
					rows[i].Error = wrong
				} else {
					p.Error = wrong
				}
			}
			if len(rows) == 0 && problem == "" {
				p.Error = site.Words(c).T("page.plan.empty")
			}
			return s.showPlan(c, status, run, p)
		},
	})
}

// showPlan shows the form with the run's chat above, and with empty rows for more steps.
func (s *Runs) showPlan(c echo.Context, status int, run *agent.Run, p page.PlanProps) error {
	rec, err := s.Records.read(c.Request().Context(), request.Viewer(c), run.ID)
	if err != nil {
		return err
	}
	p.Run, p.Conversation, p.ConversationTitle = run.ID, rec.href, rec.conv
	for _, s := range agent.PlanStatuses {
		p.Statuses = append(p.Statuses, string(s))
	}
	p.Rows = append(p.Rows, make([]page.PlanRow, moreSteps)...)
	return s.Render(c, status, page.Plan(s.Shell(c, site.Within(site.Words(c).T("plan.change"), rec.conv), ""), p))
}
