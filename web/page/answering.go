package page

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/site"
)

// workflowValue begins the value of a choice that is a workflow; names have no colon.
const workflowValue = "workflow:"

// shownPurpose bounds what a choice says of an agent or a workflow, in characters.
const shownPurpose = 90

// answering is what can answer in a chat, which has an agent or a workflow already, or none.
// What form has was filled in for a workflow.
func (s *Chat) answering(c echo.Context, conv agent.Conversation, form url.Values) (page.Answering, error) {
	ctx, tr := c.Request().Context(), site.Words(c)
	agents, err := s.Store.Agents(ctx)
	if err != nil {
		return page.Answering{}, err
	}
	flows, err := s.Store.Workflows(ctx)
	if err != nil {
		return page.Answering{}, err
	}
	all := page.Answering{None: page.Choice{Label: tr.T("page.chat.no_agent"), Selected: conv.Agent+conv.Workflow == ""}}
	switch {
	case conv.DeletedAgent != "" && conv.Workflow == "":
		all.Deleted, all.None.Label = true, tr.T("page.chat.agent_deleted", conv.DeletedAgent)
	case conv.DeletedWorkflow != "" && conv.Agent == "":
		all.Deleted, all.None.Label = true, tr.T("page.chat.workflow_deleted", conv.DeletedWorkflow)
	}
	label := func(name, purpose string) string {
		return site.Within(name, agent.Clip(tr.Recorded(purpose), shownPurpose))
	}
	for _, a := range agents {
		all.Agents = append(all.Agents, page.Choice{Value: a.Name, Label: label(a.Name, a.Purpose), Selected: a.Name == conv.Agent})
	}
	for _, w := range flows {
		choice := page.WorkflowChoice{Choice: page.Choice{Value: workflowValue + w.Name, Label: label(w.Name, w.Purpose), Selected: w.Name == conv.Workflow}}
		for _, in := range w.Inputs {
			value := ""
			if choice.Selected {
				value = typedOr(form, in.Name, conv.Inputs[in.Name])
			}
			choice.Inputs = append(choice.Inputs, workflowInput(tr, w.Name, in, value))
		}
		all.Workflows = append(all.Workflows, choice)
	}
	return all, nil
}

const inputField = "input."

// typedOr is what a form says of an input, else the value that was stored.
func typedOr(form url.Values, name string, stored json.RawMessage) string {
	if form.Has(inputField + name) {
		return form.Get(inputField + name)
	}
	var text string
	if json.Unmarshal(stored, &text) == nil {
		return text
	}
	return string(stored)
}

func workflowInput(tr *text.Printer, flow string, in agent.WorkflowInput, value string) page.WorkflowInput {
	f := page.WorkflowInput{Box: in.Type == "boolean", Ticked: value == "true"}
	f.Field = page.Field{
		ID: "input-" + flow + "-" + in.Name, Name: inputField + in.Name, Label: tr.Recorded(in.Label), Value: value, Autocomplete: "off", Required: in.Required,
		More: map[string]any{"maxlength": "2000"},
	}
	if f.Label == "" {
		f.Label = in.Name
	}
	if in.Type == "number" || in.Type == "integer" {
		f.Type, f.More = "number", map[string]any{"step": "any"}
	}
	return f
}

// answers is who a form says that answers: an agent, or a workflow with what is filled in for it.
type answers struct {
	agent, workflow string
	inputs          map[string]json.RawMessage
}

// typedAnswers reads a form. A workflow that there is not has no inputs; it is refused where it is used.
func (s *Chat) typedAnswers(c echo.Context) (answers, error) {
	typed := answers{agent: c.FormValue("agent"), inputs: map[string]json.RawMessage{}}
	name, ok := strings.CutPrefix(typed.agent, workflowValue)
	if !ok {
		return typed, nil
	}
	typed.agent, typed.workflow = "", name
	w, err := s.Store.Workflow(c.Request().Context(), name, 0)
	if agent.CodeOf(err) == agent.NotFound {
		return typed, nil
	}
	if err != nil {
		return typed, err
	}
	for _, in := range w.Inputs {
		if value := typedInput(in, c.FormValue(inputField+in.Name)); value != nil {
			typed.inputs[in.Name] = value
		}
	}
	return typed, nil
}

// typedInput is the value that a text stands for; nil for none. What is no number stays a text,
// which is refused.
func typedInput(in agent.WorkflowInput, text string) json.RawMessage {
	text = strings.TrimSpace(text)
	plain := in.Type == "number" || in.Type == "integer" || in.Type == "boolean"
	switch {
	case text == "":
		return nil
	case plain && json.Valid([]byte(text)):
		return json.RawMessage(text)
	default:
		return agent.MustJSON(text)
	}
}
