package page

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// emptyOutputs is how many rows the form offers for further outputs.
const emptyOutputs = 3

// ShowSetup is the page on which an owner says what a chat's runs are to do, and within
// which limits. Who only reads along is led to the chat.
func (s *Chat) ShowSetup(c echo.Context) error {
	v := request.Viewer(c)
	conv, err := s.Store.Conversation(c.Request().Context(), v, c.Param("id"))
	if err != nil {
		return err
	}
	if conv.OwnerID != v.UserID {
		return c.Redirect(http.StatusSeeOther, "/c/"+conv.ID)
	}
	return s.showSetup(c, http.StatusOK, *conv, setupOf(*conv))
}

// SaveSetup stores that page's form.
func (s *Chat) SaveSetup(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	conv, err := s.Service.Conversations.Own(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	if _, err := c.FormParams(); err != nil {
		return agent.Wrap(agent.Invalid, err, "The form could not be read. Go back and try again.")
	}
	typed := typedSetup(c)
	patch, bad := s.setupPatch(c, typed)
	if patch.ToolSets = typedToolSets(c.Request().PostForm, s.Service.Conversations.ToolSets(v, *conv)); patch.ToolSets != nil {
		conv.ToolSets = *patch.ToolSets // a form that is shown again keeps what was ticked
	}
	if patch.Collections = typedCollections(c.Request().PostForm, agent.Everything()); patch.Collections != nil {
		conv.Collections = *patch.Collections
	}
	return s.Answer(c, site.Form{
		Bad: bad,
		Save: func() (said, next string, err error) {
			_, err = s.Service.Conversations.Update(ctx, v, *conv, patch)
			return site.Words(c).T("page.chat.saved"), "/c/" + conv.ID, err
		},
		Again: func(status int, fields map[string]string, _ string) error {
			typed.Errors = setupErrors(fields)
			return s.showSetup(c, status, *conv, typed)
		},
	})
}

// showSetup adds what the page knows beside the form.
func (s *Chat) showSetup(c echo.Context, status int, conv agent.Conversation, p page.ChatSetupProps) error {
	rules, err := s.Service.Conversations.Rules(c.Request().Context())
	if err != nil {
		return err
	}
	tr := site.Words(c)
	p.ID, p.Title, p.NoInstructions = conv.ID, site.TitleOf(tr, conv.Title), rules.NoInstructions
	p.TokensHint, p.MoneyHint = tr.T("setup.limit.own"), tr.T("setup.limit.own")
	if rules.MaxRunTokens > 0 {
		p.TokensHint = tr.T("setup.limit.most", tr.Amount(rules.MaxRunTokens))
	}
	if rules.MaxRunMicros > 0 {
		p.MoneyHint = tr.T("setup.limit.most", present.Money(rules.MaxRunMicros))
	}
	p.MoneyHidden = s.Visibility.TokensOnly(request.Viewer(c))
	model := conv.Model
	if model == "" {
		if model, err = s.Service.Models.Default(c.Request().Context()); err != nil {
			return err
		}
	}
	p.CanThink = s.Service.Models.Thinks(model)
	p.Thinkings = thinkingChoices(tr, agent.ThinkingMode(p.Thinking))
	for _, set := range s.Service.Conversations.ToolSets(request.Viewer(c), conv) {
		p.ToolSets = append(p.ToolSets, page.ChatToolSet{Name: set.Name, Label: toolSetLabel(tr, set.Name), Tools: set.Tools, Chosen: set.Chosen})
	}
	if p.Collections, err = collectionBoxes(c, s.Store, conv.Collections, conv.Collections.All()); err != nil {
		return err
	}
	for range min(emptyOutputs, max(agent.MaxOutputs-len(p.Outputs), 0)) {
		p.Outputs = append(p.Outputs, page.ChatOutput{})
	}
	p.Types = slices.Sorted(maps.Keys(agent.OutputTypes))
	return s.Render(c, status, page.ChatSetup(s.Shell(c, site.Within(tr.T("setup.title"), p.Title), ""), p))
}

// thinkingChoices are the ways of a model to think.
func thinkingChoices(tr *text.Printer, selected agent.ThinkingMode) []page.Choice {
	return site.Choices(string(selected), [][2]string{
		{"", tr.T("setup.thinking.own")}, {string(agent.ThinkingOff), tr.T("setup.thinking.off")}, {string(agent.ThinkingOn), tr.T("setup.thinking.on")},
	})
}

// setupOf fills the form with what a conversation has.
func setupOf(conv agent.Conversation) page.ChatSetupProps {
	p := page.ChatSetupProps{System: conv.System, Thinking: string(conv.Thinking)}
	if conv.RunTokenLimit > 0 {
		p.Tokens = strconv.FormatInt(conv.RunTokenLimit, 10)
	}
	if conv.RunCostLimit > 0 {
		p.Dollars = present.DollarsTyped(conv.RunCostLimit)
	}
	if conv.ThinkingTokens > 0 {
		p.ThinkingTokens = strconv.FormatInt(conv.ThinkingTokens, 10)
	}
	for _, name := range slices.Sorted(maps.Keys(conv.Outputs)) {
		p.Outputs = append(p.Outputs, page.ChatOutput{Name: name, Type: conv.Outputs[name], For: conv.OutputPurposes[name]})
	}
	return p
}

// typedSetup is the form as it was typed, without empty rows.
func typedSetup(c echo.Context) page.ChatSetupProps {
	form := c.Request().PostForm
	p := page.ChatSetupProps{
		System: c.FormValue("system"), Tokens: c.FormValue("runTokenLimit"), Dollars: c.FormValue("runCostLimitMicros"),
		Thinking: c.FormValue("thinking"), ThinkingTokens: c.FormValue("thinkingTokens"),
	}
	for i := range min(len(form["output_name"]), agent.MaxOutputs+emptyOutputs) {
		row := page.ChatOutput{Name: cell(form, "output_name", i), Type: cell(form, "output_type", i), For: cell(form, "output_for", i)}
		if row.Name != "" || row.For != "" {
			p.Outputs = append(p.Outputs, row)
		}
	}
	return p
}

// cell returns a field of a row of a form, "" if the form has no such row.
func cell(form url.Values, field string, row int) string {
	if row < len(form[field]) {
		return strings.TrimSpace(form[field][row])
	}
	return ""
}

// setupPatch is what the form changes; bad names the fields that cannot be read. What the
// form did not offer stays as it is.
func (s *Chat) setupPatch(c echo.Context, p page.ChatSetupProps) (patch agent.ConversationPatch, bad map[string]string) {
	bad = map[string]string{}
	form := c.Request().PostForm
	read := func(field string, value string, number func(field, text string) (int64, error), into **int64) {
		if !form.Has(field) {
			return
		}
		n, err := number(field, value)
		if err != nil {
			bad[field] = request.FieldErrors(site.Words(c), err)[field]
		}
		*into = &n
	}
	read("runTokenLimit", p.Tokens, present.TypedTokens, &patch.RunTokenLimit)
	read("runCostLimitMicros", p.Dollars, present.TypedDollars, &patch.RunCostLimit)
	read("thinkingTokens", p.ThinkingTokens, present.TypedTokens, &patch.ThinkingTokens)
	if form.Has("system") {
		patch.System = &p.System
	}
	if form.Has("thinking") {
		mode := agent.ThinkingMode(p.Thinking)
		patch.Thinking = &mode
	}
	outputs, purposes := map[string]string{}, map[string]string{}
	for _, row := range p.Outputs {
		if _, twice := outputs[row.Name]; twice {
			bad["outputs"] = site.Words(c).T("setup.outputs.twice", row.Name)
		}
		outputs[row.Name] = row.Type
		if row.For != "" {
			purposes[row.Name] = row.For
		}
	}
	patch.Outputs, patch.OutputPurposes = &outputs, &purposes
	return patch, bad
}

// setupErrors puts what is wrong with one output at the table of them all.
func setupErrors(fields map[string]string) map[string]string {
	for field, detail := range fields {
		if kind, name, of := strings.Cut(field, "."); of && (kind == "outputs" || kind == "outputPurposes") {
			fields["outputs"] = name + ": " + detail
		} else if field == "outputPurposes" {
			fields["outputs"] = detail
		}
	}
	return fields
}

// toolSetLabel names a set of built-in tools in the reader's language; others have the
// name of their source.
func toolSetLabel(tr *text.Printer, set string) string {
	switch set {
	case agent.CoreTools:
		return tr.T("agent.tools.core")
	case agent.FileTools:
		return tr.T("setup.tools.set.files")
	case agent.ShellTools:
		return tr.T("setup.tools.set.shell")
	case agent.WebTools:
		return tr.T("setup.tools.set.web")
	case agent.MemoryTools:
		return tr.T("setup.tools.set.memory")
	case agent.DocumentTools:
		return tr.T("setup.tools.set.documents")
	default:
		return set
	}
}

// typedToolSets are the sets that a form chooses: all where none is left out, so that
// those of later sources are among them, and the core alone where each is. It is nil where the
// form offered none.
func typedToolSets(form url.Values, sets []service.ToolSet) *[]string {
	if !form.Has("toolSetsOffered") {
		return nil
	}
	chosen := []string{agent.CoreTools}
	for _, s := range sets {
		if slices.Contains(form["toolSets"], s.Name) {
			chosen = append(chosen, s.Name)
		}
	}
	if len(chosen) == len(sets)+1 {
		chosen = []string{}
	}
	return &chosen
}
