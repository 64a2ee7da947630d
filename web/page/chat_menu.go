package page

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/present/invisible"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Create makes a conversation of its first message: the form of the page
// for a new chat. Where the message is not taken, no conversation is left.
func (s *Chat) Create(c echo.Context) error {
	content := c.FormValue("content")
	if content == "" {
		content = c.FormValue("example")
	}
	model, mode := c.FormValue("model"), agent.ApprovalMode(c.FormValue("mode"))
	ctx, v := c.Request().Context(), request.Viewer(c)
	if c.FormValue("choose") != "" {
		return s.renderNew(c, http.StatusOK, content, "")
	}
	typed, err := s.typedAnswers(c)
	if err != nil {
		return err
	}
	patch := agent.ConversationPatch{Model: &model, ApprovalMode: &mode, Agent: &typed.agent, Workflow: &typed.workflow, Inputs: &typed.inputs}
	conv, err := s.Service.Conversations.Start(ctx, v, patch, func(id string) error {
		_, err := s.Service.Messages.Post(ctx, v, service.Post{ConversationID: id, Content: content, ClientID: c.FormValue("client_id"), DocumentID: c.FormValue("document_id")})
		return err
	})
	switch {
	case err == nil:
		return c.Redirect(http.StatusSeeOther, chatLink(c, conv.ID))
	case isPersons(err):
		return s.renderNew(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), content, request.Said(site.Words(c), err))
	default:
		return err
	}
}

// isPersons reports whether an error is one that the person at the form can
// fix: the form comes back with their text and the reason.
func isPersons(err error) bool {
	code := agent.CodeOf(err)
	return code == agent.Invalid || code == agent.Conflict || code == agent.Unavailable || code == agent.Full
}

// Update stores the title, the model, the approval mode, the output mode and
// the breakers' numbers of a conversation.
func (s *Chat) Update(c echo.Context) error {
	v, id := request.Viewer(c), c.Param("id")
	conv, err := s.Service.Conversations.Own(c.Request().Context(), v, id)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form could not be read. Go back and try again.")
	}
	numbers := formNumbers(site.Words(c), *conv, form)
	patch := agent.ConversationPatch{Guards: &numbers}
	if form.Has("title") {
		title := strings.TrimSpace(c.FormValue("title"))
		if title == "" {
			return agent.InvalidField("title", "is empty; give the chat a name")
		}
		patch.Title = &title
	}
	if form.Has("mode") {
		mode := agent.ApprovalMode(c.FormValue("mode"))
		patch.ApprovalMode = &mode
	}
	if model := c.FormValue("model"); form.Has("model") && model != conv.Model {
		patch.Model = &model // one that is not offered any more may stay
	}
	if form.Has("agent") {
		typed, err := s.typedAnswers(c)
		if err != nil {
			return err
		}
		patch.Agent, patch.Workflow, patch.Inputs = &typed.agent, &typed.workflow, &typed.inputs
	}
	if form.Has("output") {
		output := agent.OutputMode(c.FormValue("output"))
		patch.OutputMode = &output
	}
	if form.Has("thinking") {
		thinking := agent.ThinkingMode(c.FormValue("thinking"))
		patch.Thinking = &thinking
	}
	if _, err := s.Service.Conversations.Update(c.Request().Context(), v, *conv, patch); err != nil {
		return err
	}
	return s.Back(c, "/c/"+id, site.Words(c).T("page.chat.saved"))
}

// Delete removes a conversation, after the page has asked.
func (s *Chat) Delete(c echo.Context) error {
	if err := s.Service.Conversations.Delete(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return err
	}
	return s.Back(c, "/", site.Words(c).T("page.chat.deleted"))
}

// chatNumber is a number of the breakers, and what a chat's menu calls it.
type chatNumber struct{ key, label string }

// chatNumbers are those that a chat's menu offers. The API takes all of
// agent.ConversationNumbers.
func chatNumbers(tr *text.Printer) []chatNumber {
	return []chatNumber{
		{"guard.warning", tr.T("page.chat.warning")},
		{"guard.critical", tr.T("page.chat.critical")},
		{"guard.max_steps", tr.T("page.chat.max_steps")},
		{"guard.max_duration", tr.T("page.chat.max_duration")},
	}
}

// numbersOf shows the numbers that a conversation sets, beside what applies
// without it.
func (s *Chat) numbersOf(ctx context.Context, conv agent.Conversation) ([]page.ChatNumber, error) {
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return nil, err
	}
	defaults := config.Effective(s.Guards, nil)
	var shown []page.ChatNumber
	for _, c := range chatNumbers(text.In(ctx)) {
		n, _ := agent.FindGuardNumber(c.key)
		most := n.Of(defaults)
		if o := config.Numbers[c.key]; o.Most != "" {
			most = o.Most
		}
		shown = append(shown, page.ChatNumber{Key: c.key, Label: c.label, Own: conv.Guards[c.key], Default: present.ShortSpans(n.Of(defaults)), Most: present.ShortSpans(most)})
	}
	return shown, nil
}

// formNumbers are the numbers that a conversation has once its form is stored:
// an empty field takes a number back, one that the form does not offer stays.
func formNumbers(tr *text.Printer, conv agent.Conversation, form url.Values) map[string]string {
	own := map[string]string{}
	maps.Copy(own, conv.Guards)
	for _, c := range chatNumbers(tr) {
		if !form.Has(c.key) {
			continue
		}
		delete(own, c.key)
		if value := strings.TrimSpace(form.Get(c.key)); value != "" {
			own[c.key] = value
		}
	}
	return own
}

// Prompts is the page with the prompts of MCP servers. In a chat it is a dialog.
type Prompts struct {
	*site.Site
	Prompts service.ToolServers
}

// argumentPrefix begins the names of the fields that a prompt is told.
const argumentPrefix = "arg/"

// Show lists the prompts.
func (s *Prompts) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, page.PromptsProps{})
}

// Fill has a server write a prompt, and shows it.
func (s *Prompts) Fill(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form cannot be read.")
	}
	if err := request.NamedPrompt(form.Get("server"), form.Get("name")); err != nil {
		return err
	}
	args := map[string]string{}
	for name, values := range form {
		if arg, ok := strings.CutPrefix(name, argumentPrefix); ok && values[0] != "" {
			args[arg] = values[0]
		}
	}
	written, err := s.Prompts.Prompt(c.Request().Context(), request.Viewer(c), form.Get("server"), form.Get("name"), args)
	if err != nil {
		return s.show(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), page.PromptsProps{Problem: request.Said(site.Words(c), err)})
	}
	return s.show(c, http.StatusOK, page.PromptsProps{Written: written})
}

func (s *Prompts) show(c echo.Context, status int, p page.PromptsProps) error {
	l := s.Shell(c, site.Words(c).T("prompts.title"), "")
	p.CSRF = l.CSRF
	if p.Written == "" && p.Problem == "" {
		p.Rows, p.Silent = s.list(c)
	}
	return s.Render(c, status, page.Prompts(l, p))
}

// list are the prompts as the page shows them.
func (s *Prompts) list(c echo.Context) (rows []page.PromptRow, silent string) {
	found := s.Prompts.Prompts(c.Request().Context(), request.Viewer(c))
	for _, p := range found.Items {
		row := page.PromptRow{Server: p.Server, Name: p.Name, Title: invisible.Visible(cmp.Or(p.Title, p.Name)), Text: invisible.Visible(p.Description)}
		for _, a := range p.Arguments {
			row.Fields = append(row.Fields, page.PromptField{
				Name: argumentPrefix + a.Name, Label: invisible.Visible(cmp.Or(a.Title, a.Name)), Hint: invisible.Visible(a.Description), Required: a.Required,
			})
		}
		rows = append(rows, row)
	}
	return rows, strings.Join(found.Silent, ", ")
}
