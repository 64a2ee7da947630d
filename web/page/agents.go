package page

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Agents shows the pages about agents and takes their forms.
type Agents struct {
	*site.Site
	Tools agent.Toolbox
}

// Show lists the agents; with ?new= it is the form of a new one.
func (s *Agents) Show(c echo.Context) error {
	if c.QueryParam("new") != "" {
		return s.showOne(c, http.StatusOK, page.AgentProps{Form: s.form(site.Words(c), agent.Agent{})}, nil)
	}
	return s.show(c, http.StatusOK, "")
}

func (s *Agents) show(c echo.Context, status int, problem string) error {
	ctx := c.Request().Context()
	all, err := s.Store.Agents(ctx)
	if err != nil {
		return err
	}
	p := page.DefinitionsProps[page.AgentRow]{Problem: problem}
	for _, a := range all {
		p.Rows = append(p.Rows, agentRow(site.Words(c), a))
	}
	if p.Deleted, err = s.Store.DeletedAgents(ctx); err != nil {
		return err
	}
	return s.Render(c, status, page.Agents(s.Shell(c, site.Words(c).T("agent.title"), "agents"), p))
}

// agentRow is an agent, or a version of one, in words.
func agentRow(tr *text.Printer, a agent.Agent) page.AgentRow {
	r := page.AgentRow{
		DefinitionRow: page.DefinitionRow{
			Name: a.Name, Purpose: tr.Recorded(a.Purpose), Version: a.Version,
			Source: sourceWord(tr, a.Source), Configured: a.Source == agent.AgentConfigured, By: a.UpdatedBy, At: a.UpdatedAt,
		},
		Model: a.Model, AllTools: a.Tools == nil, Tools: a.Tools, Limits: agentLimits(tr, a.Limits),
	}
	if a.Mode != "" {
		r.Mode = present.ModeLabel(tr, a.Mode)
	}
	return r
}

// sourceWord is where a version of an agent or a workflow comes from, in a word.
func sourceWord(tr *text.Printer, s agent.AgentSource) string {
	switch s {
	case agent.AgentShipped:
		return tr.T("agent.source.shipped")
	case agent.AgentConfigured:
		return tr.T("agent.source.configuration")
	default:
		return tr.T("agent.source.admin")
	}
}

func agentLimits(tr *text.Printer, l agent.AgentLimits) string {
	var said []string
	if l.Steps > 0 {
		said = append(said, tr.T("agent.limits.of_steps", l.Steps))
	}
	if l.DurationMS > 0 {
		said = append(said, shortDuration(l.DurationMS))
	}
	if l.Tokens > 0 {
		said = append(said, tr.T("agent.limits.of_tokens", tr.Amount(l.Tokens)))
	}
	if l.CostMicros > 0 {
		said = append(said, present.Money(l.CostMicros))
	}
	return strings.Join(said, " · ")
}

func shortDuration(ms int64) string {
	return present.ShortSpans((time.Duration(ms) * time.Millisecond).String())
}

// ShowOne is the page of an agent, which may have been deleted; ?version= fills its form
// with an older version.
func (s *Agents) ShowOne(c echo.Context) error {
	shown, older, err := s.definitions(c).asked(c)
	if err != nil {
		return err
	}
	p := page.AgentProps{DefinitionProps: page.DefinitionProps{Shown: older}, Form: s.form(site.Words(c), shown)}
	return s.showOne(c, http.StatusOK, p, shown.Knowledge)
}

func (s *Agents) definitions(c echo.Context) definitions[agent.Agent] {
	return definitions[agent.Agent]{s.Store.AgentVersions, s.Store.Agent, func(a agent.Agent) page.DefinitionRow {
		return agentRow(site.Words(c), a).DefinitionRow
	}}
}

// showOne adds what the page of an agent knows beside the form, which chooses collections.
func (s *Agents) showOne(c echo.Context, status int, p page.AgentProps, chosen agent.CollectionChoice) (err error) {
	title := site.Words(c).T("agent.new")
	if p.Form.Knowledge, err = collectionBoxes(c, s.Store, chosen, chosen == nil); err != nil {
		return err
	}
	if p.Form.Fixed {
		title = p.Form.Name
		if p.Form.Version, err = s.definitions(c).fill(c.Request().Context(), &p.DefinitionProps, p.Form.Name); err != nil {
			return err
		}
	}
	return s.Render(c, status, page.Agent(s.Shell(c, site.Within(title, site.Words(c).T("agent.title")), "agents"), p))
}

// Create takes the form of a new agent.
func (s *Agents) Create(c echo.Context) error {
	return s.take(c, func(in service.AgentInput) (agent.Agent, error) {
		return s.Service.Agents.Create(c.Request().Context(), request.Viewer(c), in)
	})
}

// Update takes the form of an agent, or of one that was deleted and is made again.
func (s *Agents) Update(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	return s.take(c, func(in service.AgentInput) (agent.Agent, error) {
		in.Name = c.Param("name")
		if in.Version == 0 {
			return s.Service.Agents.Create(ctx, v, in)
		}
		a, err := s.Service.Agents.Update(ctx, v, in)
		if agent.CodeOf(err) == agent.NotFound {
			err = agent.Errorf(agent.Conflict, "The agent %s was deleted meanwhile. Save again to make it again.", in.Name)
		}
		return a, err
	})
}

// take reads a form and saves it. What was typed stays in it where it is refused.
func (s *Agents) take(c echo.Context, save func(service.AgentInput) (agent.Agent, error)) error {
	in, bad, err := typedAgent(c)
	if err != nil {
		return err
	}
	return s.Answer(c, site.Form{
		Bad: bad,
		Save: func() (said, next string, err error) {
			a, err := save(in)
			return site.Words(c).T("agent.saved", a.Name, a.Version), "/admin/agents#agent-" + a.Name, err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			return s.showOne(c, status, page.AgentProps{DefinitionProps: page.DefinitionProps{Problem: problem}, Form: s.typedForm(c, in, fields)}, in.Knowledge)
		},
	})
}

// Delete ends an agent, after the page has asked.
func (s *Agents) Delete(c echo.Context) error {
	name := c.Param("name")
	err := s.Store.DeleteAgent(c.Request().Context(), request.Viewer(c), name)
	return ended(c, s.Site, err, site.Words(c).T("agent.delete.done", name), "/admin/agents", s.show)
}
