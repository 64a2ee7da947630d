package page

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Workflows shows the pages about workflows and takes their forms.
type Workflows struct {
	*site.Site
}

// Show lists the workflows; with ?new= it is the form of a new one.
func (s *Workflows) Show(c echo.Context) error {
	if c.QueryParam("new") != "" {
		return s.showOne(c, http.StatusOK, page.WorkflowProps{}, filledWorkflow(agent.Workflow{Steps: []agent.WorkflowStep{{}}}))
	}
	return s.show(c, http.StatusOK, "")
}

func (s *Workflows) show(c echo.Context, status int, problem string) error {
	ctx := c.Request().Context()
	all, err := s.Store.Workflows(ctx)
	if err != nil {
		return err
	}
	p := page.DefinitionsProps[page.WorkflowRow]{Problem: problem}
	for _, w := range all {
		p.Rows = append(p.Rows, workflowRow(site.Words(c), w))
	}
	if p.Deleted, err = s.Store.DeletedWorkflows(ctx); err != nil {
		return err
	}
	return s.Render(c, status, page.Workflows(s.Shell(c, site.Words(c).T("flow.title"), "workflows"), p))
}

// workflowRow is a workflow, or a version of one, in words.
func workflowRow(tr *text.Printer, w agent.Workflow) page.WorkflowRow {
	r := page.WorkflowRow{
		DefinitionRow: page.DefinitionRow{
			Name: w.Name, Purpose: tr.Recorded(w.Purpose), Version: w.Version,
			Source: sourceWord(tr, w.Source), Configured: w.Source == agent.AgentConfigured, By: w.UpdatedBy, At: w.UpdatedAt,
		},
		Kind: workflowKind(tr, w.Kind),
	}
	if len(w.Inputs) > 0 {
		r.Kind = site.Within(r.Kind, tr.T("flow.takes", len(w.Inputs)))
	}
	for i, step := range w.Steps {
		row := page.WorkflowRowStep{Name: w.StepName(i), Who: step.Agent}
		if step.Person != "" {
			row.Who = site.Within(tr.T("flow.step.person"), personWord(tr, step.Person))
		}
		if needs := w.Needs(i); len(needs) > 0 && w.Kind != agent.FlowSequence {
			var names []string
			for _, at := range needs {
				names = append(names, w.StepName(at))
			}
			row.After = tr.T("flow.after", strings.Join(names, tr.T("common.comma")))
		}
		r.Steps = append(r.Steps, row)
	}
	return r
}

// ShowOne is the page of a workflow, which may have been deleted; ?version= fills its form
// with an older version.
func (s *Workflows) ShowOne(c echo.Context) error {
	shown, older, err := s.definitions(c).asked(c)
	if err != nil {
		return err
	}
	return s.showOne(c, http.StatusOK, page.WorkflowProps{DefinitionProps: page.DefinitionProps{Shown: older}}, filledWorkflow(shown))
}

func (s *Workflows) definitions(c echo.Context) definitions[agent.Workflow] {
	return definitions[agent.Workflow]{s.Store.WorkflowVersions, s.Store.Workflow, func(w agent.Workflow) page.DefinitionRow {
		return workflowRow(site.Words(c), w).DefinitionRow
	}}
}

// showOne adds the form, and what the page of a workflow knows beside it.
func (s *Workflows) showOne(c echo.Context, status int, p page.WorkflowProps, typed typedWorkflow) error {
	ctx, title := c.Request().Context(), site.Words(c).T("flow.new")
	agents, err := s.Store.Agents(ctx)
	if err != nil {
		return err
	}
	errors := p.Form.Errors
	p.Form = typed.form(site.Words(c), agents)
	p.Form.Errors = errors
	if name := c.Param("name"); name != "" {
		title, p.Form.Fixed, p.Form.Name = name, true, name
		if p.Form.Version, err = s.definitions(c).fill(ctx, &p.DefinitionProps, name); err != nil {
			return err
		}
	}
	return s.Render(c, status, page.Workflow(s.Shell(c, site.Within(title, site.Words(c).T("flow.title")), "workflows"), p))
}

// Create takes the form of a new workflow.
func (s *Workflows) Create(c echo.Context) error {
	return s.take(c, func(w agent.Workflow) (agent.Workflow, error) {
		return s.Service.Workflows.Create(c.Request().Context(), request.Viewer(c), w)
	})
}

// Update takes the form of a workflow, or of one that was deleted and is made again.
func (s *Workflows) Update(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	return s.take(c, func(w agent.Workflow) (agent.Workflow, error) {
		w.Name = c.Param("name")
		if w.Version == 0 {
			return s.Service.Workflows.Create(ctx, v, w)
		}
		made, err := s.Service.Workflows.Update(ctx, v, w)
		if agent.CodeOf(err) == agent.NotFound {
			err = agent.Errorf(agent.Conflict, "The workflow %s was deleted meanwhile. Save again to make it again.", w.Name)
		}
		return made, err
	})
}

// take reads a form and saves it, or changes its list of steps. What was typed stays in it
// where it is refused.
func (s *Workflows) take(c echo.Context, save func(agent.Workflow) (agent.Workflow, error)) error {
	typed, err := readWorkflow(c)
	if err != nil {
		return err
	}
	if do := c.FormValue("do"); do != "" {
		typed.change(do)
		return s.showOne(c, http.StatusOK, page.WorkflowProps{}, typed)
	}
	w, bad := typed.workflow(site.Words(c))
	return s.Answer(c, site.Form{
		Bad: bad,
		Save: func() (said, next string, err error) {
			made, err := save(w)
			return site.Words(c).T("flow.saved", made.Name, made.Version), "/admin/workflows#workflow-" + made.Name, err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			return s.showOne(c, status, page.WorkflowProps{DefinitionProps: page.DefinitionProps{Problem: problem}, Form: page.WorkflowForm{Errors: fields}}, typed)
		},
	})
}

// Delete ends a workflow, after the page has asked.
func (s *Workflows) Delete(c echo.Context) error {
	name := c.Param("name")
	err := s.Store.DeleteWorkflow(c.Request().Context(), request.Viewer(c), name)
	return ended(c, s.Site, err, site.Words(c).T("flow.delete.done", name), "/admin/workflows", s.show)
}
