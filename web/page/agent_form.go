package page

import (
	"cmp"
	"slices"
	"strconv"
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

// form is the form filled with an agent, empty for one without a name.
func (s *Agents) form(tr *text.Printer, a agent.Agent) page.AgentForm {
	f := page.AgentForm{
		Fixed: a.Name != "", Name: a.Name, Purpose: a.Purpose, Instructions: a.Instructions, AllTools: a.Tools == nil,
		Models: s.modelChoices(tr, a.Model), Modes: agentModes(tr, a.Mode), Sets: s.toolSets(tr, a.Tools),
	}
	if a.Limits.Steps > 0 {
		f.Steps = strconv.Itoa(a.Limits.Steps)
	}
	if a.Limits.DurationMS > 0 {
		f.Duration = shortDuration(a.Limits.DurationMS)
	}
	if a.Limits.Tokens > 0 {
		f.Tokens = strconv.FormatInt(a.Limits.Tokens, 10)
	}
	if a.Limits.CostMicros > 0 {
		f.Money = present.DollarsTyped(a.Limits.CostMicros)
	}
	return f
}

// modelChoices are the models behind the run's own.
func (s *Agents) modelChoices(tr *text.Printer, selected string) []page.Choice {
	choices := site.ModelChoices(tr, s.Service.Models, selected)
	choices = slices.DeleteFunc(choices, func(c page.Choice) bool { return c.Value == "" })
	return slices.Insert(choices, 0, page.Choice{Label: tr.T("agent.model_own"), Selected: selected == ""})
}

func agentModes(tr *text.Printer, selected agent.ApprovalMode) []page.Choice {
	return named(orAny(tr.T("agent.mode.own"), string(selected), string(agent.ModeDefault), string(agent.ModeAutoEdit), string(agent.ModeYolo)), func(v string) string {
		return present.ModeLabel(tr, agent.ApprovalMode(v))
	})
}

// toolSets are all tools there are, and behind them those of the agent that are not there now.
func (s *Agents) toolSets(tr *text.Printer, chosen []string) []page.AgentToolSet {
	var sets []page.AgentToolSet
	at, away := map[string]int{}, slices.Clone(chosen)
	for _, spec := range s.Tools.Specs() {
		set := spec.SetName()
		if _, known := at[set]; !known {
			at[set], sets = len(sets), append(sets, page.AgentToolSet{Label: toolSetLabel(tr, set)})
		}
		group := &sets[at[set]]
		group.Tools = append(group.Tools, page.AgentTool{Name: spec.Name, Chosen: slices.Contains(chosen, spec.Name)})
		away = slices.DeleteFunc(away, func(name string) bool { return name == spec.Name })
	}
	if len(away) == 0 {
		return sets
	}
	rest := page.AgentToolSet{Label: tr.T("agent.tools.away")}
	for _, name := range away {
		rest.Tools = append(rest.Tools, page.AgentTool{Name: name, Chosen: true})
	}
	return append(sets, rest)
}

// typedAgent reads the form; bad names the fields that say nothing.
func typedAgent(c echo.Context) (in service.AgentInput, bad map[string]string, err error) {
	form, err := c.FormParams()
	if err != nil {
		return in, nil, agent.Wrap(agent.Invalid, err, "The form could not be read. Go back and try again.")
	}
	in = service.AgentInput{
		Name: c.FormValue("name"), Purpose: c.FormValue("purpose"), Instructions: c.FormValue("instructions"),
		Model: c.FormValue("model"), Mode: agent.ApprovalMode(c.FormValue("mode")),
	}
	in.Version, _ = strconv.Atoi(c.FormValue("version")) // one that is none is not the newest
	if !form.Has("allTools") {
		in.Tools = append([]string{}, form["tools"]...)
	}
	if typed := typedCollections(form, nil); typed != nil {
		in.Knowledge = *typed
	}
	bad = map[string]string{}
	read := func(field string, number func(field, text string) (int64, error)) (n int64) {
		n, err := number(field, c.FormValue(field))
		if err != nil {
			bad[field] = request.FieldErrors(site.Words(c), err)[field]
		}
		return n
	}
	in.Limits.Steps = int(read("limits.steps", typedSteps))
	in.Limits.DurationMS = read("limits.durationMs", typedDuration)
	in.Limits.Tokens = read("limits.tokens", present.TypedTokens)
	in.Limits.CostMicros = read("limits.costMicros", present.TypedDollars)
	return in, bad, nil
}

// typedSteps reads a number of steps, "" as 0.
func typedSteps(field, text string) (int64, error) {
	n, err := strconv.ParseInt(orZero(text), 10, 32)
	if err != nil {
		return 0, agent.InvalidField(field, "is not a number of steps; write one such as 20")
	}
	return n, nil
}

// typedDuration reads a duration in milliseconds, "" as 0.
func typedDuration(field, text string) (int64, error) {
	d, err := time.ParseDuration(orZero(text))
	if err != nil || d != 0 && d < time.Second {
		return 0, agent.InvalidField(field, "is not a duration from 1s on; write one such as 90s, 10m or 1h")
	}
	return d.Milliseconds(), nil
}

// typedForm is the form as it was typed.
func (s *Agents) typedForm(c echo.Context, in service.AgentInput, fields map[string]string) page.AgentForm {
	tr := site.Words(c)
	return page.AgentForm{
		Fixed: c.Param("name") != "", Name: cmp.Or(c.Param("name"), in.Name), Purpose: in.Purpose, Instructions: in.Instructions,
		AllTools: in.Tools == nil, Models: s.modelChoices(tr, in.Model), Modes: agentModes(tr, in.Mode), Sets: s.toolSets(tr, in.Tools),
		Steps: c.FormValue("limits.steps"), Duration: c.FormValue("limits.durationMs"), Tokens: c.FormValue("limits.tokens"), Money: c.FormValue("limits.costMicros"),
		Errors: fields,
	}
}
