package page

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/present/gist"
	"fusebox/web/request"
	"fusebox/web/site"
)

// shownEffects bounds what the page lists of that which stays done.
const shownEffects = 30

// ShowAgain is the page on which an owner has a workflow go back to a step. Who only reads along is led
// to the run, as are those who name no step.
func (s *Runs) ShowAgain(c echo.Context) error {
	v := request.Viewer(c)
	run, err := s.Store.Run(c.Request().Context(), v, c.Param("id"))
	if err != nil {
		return err
	}
	if run.UserID != v.UserID || c.QueryParam("step") == "" {
		return c.Redirect(http.StatusSeeOther, "/runs/"+run.ID)
	}
	return s.showAgain(c, http.StatusOK, page.AgainProps{Step: c.QueryParam("step")}, nil)
}

// Retry is the button below a failed run, of which a new run goes on where it stopped; with a step
// it is the form of a workflow that goes back to that one.
func (s *Runs) Retry(c echo.Context) error {
	v, ctx := request.Viewer(c), c.Request().Context()
	run, err := s.Store.Run(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	if step := c.FormValue("step"); step != "" {
		return s.again(c, *run, step)
	}
	if _, err := s.Service.Messages.Retry(ctx, v, run.ID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+run.ConversationID)
}

func (s *Runs) again(c echo.Context, run agent.Run, step string) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	plan, err := s.Service.Messages.PlanAgain(ctx, v, run.ID, step)
	if err != nil {
		return err
	}
	typed := map[string]json.RawMessage{}
	for _, in := range plan.Workflow.Inputs {
		typed[in.Name] = typedAgain(in, c.FormValue(inputField+in.Name), plan.Inputs[in.Name])
	}
	return s.Answer(c, site.Form{
		Save: func() (said, next string, err error) {
			_, err = s.Service.Messages.Again(ctx, v, service.AgainFrom{RunID: run.ID, Step: step, Inputs: typed})
			return site.Words(c).T("page.again.done", step), "/c/" + run.ConversationID, err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			if fields["step"] != "" {
				problem = fields["step"]
			}
			return s.showAgain(c, status, page.AgainProps{Step: step, Problem: problem}, fields)
		},
	})
}

// typedAgain is what a form says of an input: null takes it away. A box that is not ticked says no
// where there was an answer, or where there has to be one.
func typedAgain(in agent.WorkflowInput, text string, had json.RawMessage) json.RawMessage {
	value := typedInput(in, strings.ReplaceAll(text, "\r\n", "\n"))
	switch {
	case value != nil:
		return value
	case in.Type == "boolean" && (had != nil || in.Required):
		return json.RawMessage("false")
	default:
		return json.RawMessage("null")
	}
}

// showAgain shows the form, and above it which steps would run again and which would not.
func (s *Runs) showAgain(c echo.Context, status int, p page.AgainProps, wrong map[string]string) error {
	ctx, v, tr := c.Request().Context(), request.Viewer(c), site.Words(c)
	plan, err := s.Service.Messages.PlanAgain(ctx, v, c.Param("id"), p.Step)
	if err != nil {
		return err
	}
	rec, err := s.Records.read(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	p.Run, p.Ask, p.Conversation, p.ConversationTitle = rec.run.ID, agent.Clip(rec.ask(), 2000), rec.href, rec.conv
	p.Workflow, p.Version, p.TakenOver, p.Rerun = plan.Workflow.Name, plan.Workflow.Version, plan.TakenOver, plan.Rerun
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	for _, in := range plan.Workflow.Inputs {
		field := workflowInput(tr, plan.Workflow.Name, in, typedOr(form, in.Name, plan.Inputs[in.Name]))
		if c.Request().Method == http.MethodPost {
			field.Ticked = form.Get(inputField+in.Name) == "true"
		}
		field.Error = wrong["inputs."+in.Name]
		if field.Lines = strings.Contains(field.Value, "\n"); len(field.Value) > 2000 {
			delete(field.More, "maxlength")
		}
		p.Inputs = append(p.Inputs, field)
	}
	if err := s.addEffects(ctx, v, rec, &p); err != nil {
		return err
	}
	return s.Render(c, status, page.Again(s.Shell(c, site.Within(tr.T("again.title", p.Step), rec.conv), ""), p))
}

// addEffects adds what the answer, and what follows it in the chat, has changed.
func (s *Runs) addEffects(ctx context.Context, v agent.Viewer, rec *runRecord, p *page.AgainProps) error {
	at := slices.IndexFunc(rec.events, func(e agent.Event) bool {
		m, ok := e.Data.(agent.MessageEvent)
		return ok && m.Message.Role == agent.FromAssistant
	})
	if at < 0 {
		return nil
	}
	calls, err := s.Service.Messages.Effects(ctx, v, rec.events[at].Data.(agent.MessageEvent).Message.ID)
	if err != nil {
		return err
	}
	for i, call := range calls {
		if i == shownEffects {
			p.MoreEffects = len(calls) - i
			break
		}
		spec, _ := s.Tools.Lookup(call.Name)
		p.Effects = append(p.Effects, page.AgainEffect{Tool: call.Name, What: gist.OfCall(call.Name, call.Args, spec.Parameters), Run: "/runs/" + call.RunID})
	}
	return nil
}
