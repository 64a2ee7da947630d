package page

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/live"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Chat shows the pages about chat and takes their forms.
type Chat struct {
	*site.Site
	Tools      agent.Toolbox
	Guards     agent.GuardSettings
	NewID      agent.NewID
	Presenters *live.Presenters
	Prompts    service.ToolServers
}

// pageMessages is how many messages a chat page shows; older ones are behind a link.
const pageMessages = 50

// New is the page of a conversation that does not exist yet.
func (s *Chat) New(c echo.Context) error {
	site.MayReturn(c)
	return s.renderNew(c, http.StatusOK, "", "")
}

func (s *Chat) renderNew(c echo.Context, status int, text, problem string) error {
	l := s.Shell(c, site.Words(c).T("page.title.new_chat"), "new")
	l.Full, l.Scripts = true, []string{"js/writing.js"}
	standard, err := s.Service.Models.Default(c.Request().Context())
	if err != nil {
		return err
	}
	typed, err := s.typedAnswers(c)
	if err != nil {
		return err
	}
	answering, err := s.answering(c, agent.Conversation{Agent: typed.agent, Workflow: typed.workflow}, c.Request().Form)
	if err != nil {
		return err
	}
	prompts := s.Prompts.HasPrompts(request.Viewer(c))
	if prompts {
		l.Scripts = append(l.Scripts, "js/prompts.js")
	}
	models := site.ModelChoices(site.Words(c), s.Service.Models, standard)
	only := ""
	if len(models) == 1 {
		only = models[0].Value
	}
	var all []page.ExampleGroup
	demo := s.Service.Models.Demo() != ""
	if demo {
		all = demoChips(site.Words(c))
	}
	open, err := s.openDocument(c)
	if err != nil {
		return err
	}
	return s.Render(c, status, page.NewChat(l, page.NewChatProps{
		Document: open, Answering: answering,
		Models: models, NoDefault: standard == "", MayChoose: request.Viewer(c).Role == agent.RoleAdmin, Modes: modeChoices(site.Words(c), request.Viewer(c), agent.ModeDefault),
		Answers: only, Demo: demo, Examples: s.examples(site.Words(c)), All: all,
		CSRF: l.CSRF, ClientID: s.NewID(), Text: text, Problem: problem, Prompts: prompts, Figures: s.figures(c, standard),
	}))
}

// Show is the page of a conversation.
func (s *Chat) Show(c echo.Context) error {
	site.MayReturn(c)
	return s.renderOne(c, http.StatusOK, c.Param("id"), "", "")
}

// renderOne renders a conversation; text and problem come back where a
// message was not taken.
func (s *Chat) renderOne(c echo.Context, status int, id, text, problem string) error {
	v, ctx := request.Viewer(c), c.Request().Context()
	conv, err := s.Store.Conversation(ctx, v, id)
	if err != nil {
		return err
	}
	at, err := s.place(c, id)
	if err != nil {
		return err
	}
	before := at.before
	conv.Title = site.TitleOf(site.Words(c), conv.Title)
	l := s.Shell(c, conv.Title, "")
	l.Full, l.Scripts = true, []string{"js/reading.js"}
	if before == 0 && conv.OwnerID == v.UserID {
		l.Scripts = append(l.Scripts, "js/writing.js")
	}
	p, err := s.replayed(c, *conv, at)
	if err != nil {
		return err
	}
	p.CSRF = l.CSRF
	if conv.Model == "" {
		if conv.Model, err = s.Service.Models.Default(ctx); err != nil {
			return err
		}
	}
	props := s.props(p, *conv, at)
	if props.Earlier != "" {
		l.Scripts = append(l.Scripts, "js/earlier.js")
	}
	props.Gone = c.QueryParam("gone") != ""
	props.Asked = status == http.StatusConflict && p.Paused()
	if !props.Asked { // the question says it
		props.Problem = problem
	}
	if props.Prompts = before == 0 && conv.OwnerID == v.UserID && s.Prompts.HasPrompts(v); props.Prompts {
		l.Scripts = append(l.Scripts, "js/prompts.js")
	}
	props.Yolo = conv.ApprovalMode == agent.ModeYolo
	props.CSRF, props.Text = l.CSRF, text
	props.Modes = modeChoices(site.Words(c), v, conv.ApprovalMode)
	if props.Answering, err = s.answering(c, *conv, nil); err != nil {
		return err
	}
	if props.Agent = cmp.Or(conv.Agent, conv.Workflow); props.Answering.Deleted {
		props.Agent = props.Answering.None.Label
	}
	props.Models, props.Outputs = site.ModelChoices(site.Words(c), s.Service.Models, props.Model), outputChoices(site.Words(c), conv.OutputMode, site.Words(c).T("page.chat.output_inherited"))
	props.Figures = s.figures(c, props.Model)
	if s.Service.Models.Thinks(props.Model) {
		props.Thinkings = thinkingChoices(site.Words(c), conv.Thinking)
	}
	if props.Numbers, err = s.numbersOf(ctx, *conv); err != nil {
		return err
	}
	if conv.OwnerID != v.UserID {
		props.Owner = s.owner(c, conv.OwnerID)
	} else if before == 0 {
		props.Next = s.nextExamples(site.Words(c), conv.Title)
		if props.Document, err = s.openDocument(c); err != nil {
			return err
		}
	}
	return s.Render(c, status, page.Chat(l, props))
}

// replayed is a conversation as it stands: the part of a branch that is asked for, and what waits.
func (s *Chat) replayed(c echo.Context, conv agent.Conversation, at placeInChat) (*present.Presenter, error) {
	ctx := c.Request().Context()
	shown, err := s.Store.Transcript(ctx, conv.ID, agent.LogPart{Before: at.before, Messages: at.messages, Runs: at.path.Runs})
	if err != nil {
		return nil, err
	}
	p := s.Presenters.New(ctx, request.Viewer(c), conv)
	pinned, err := s.Store.PinnedMessages(ctx, conv.ID)
	if err != nil {
		return nil, err
	}
	p.Pinned = pinned
	if p.Feedback, err = s.Store.FeedbackIn(ctx, conv.ID); err != nil {
		return nil, err
	}
	p.Show(at.path)
	p.Replay(shown, conv.LastSeq)
	if err := s.Presenters.Away(ctx, p, conv.ID); err != nil {
		return nil, err
	}
	if p.Waits, err = s.Store.Queue(ctx, conv.ID); err != nil {
		return nil, err
	}
	if id := p.Queued(); id != "" {
		place, err := s.Store.QueuePlace(ctx, id)
		if err != nil {
			return nil, err
		}
		p.SetPlace(place)
	}
	return p, nil
}

// figures are what is known of a model's window and price; people who are not shown money get none.
func (s *Chat) figures(c echo.Context, model string) (f page.ModelFigures) {
	models := s.Service.Models
	for _, m := range models.All() {
		if m.ID == model {
			f.Window = m.Window
		}
	}
	if row, known := models.Prices.Find(model, models.Clock.Now()); known && row.Known && !s.Visibility.TokensOnly(request.Viewer(c)) {
		f.Price = row.Input
	}
	return f
}

// openDocument is the one that the address or a form names; none where the person has no such
// document, or not any more.
func (s *Chat) openDocument(c echo.Context) (page.OpenDocument, error) {
	return s.document(c, cmp.Or(c.FormValue("document_id"), c.QueryParam("document")))
}

func (s *Chat) document(c echo.Context, id string) (page.OpenDocument, error) {
	if id == "" {
		return page.OpenDocument{}, nil
	}
	d, err := s.Store.Document(c.Request().Context(), request.Viewer(c).UserID, id, 0)
	if agent.CodeOf(err) == agent.NotFound {
		return page.OpenDocument{}, nil
	}
	return page.OpenDocument{ID: d.ID, Name: d.Name}, err
}

// chatLink leads to a chat, with the document that a form has open beside it.
func chatLink(c echo.Context, id string) string {
	if open := c.FormValue("document_id"); open != "" {
		return "/c/" + id + "?" + url.Values{"document": {open}}.Encode()
	}
	return "/c/" + id
}

func (s *Chat) props(p *present.Presenter, conv agent.Conversation, at placeInChat) page.ChatProps {
	items, earlier := p.Window(at.before, at.messages)
	props := page.ChatProps{
		ID: conv.ID, Title: conv.Title, Model: conv.Model, Past: at.before > 0, Leaf: at.path.Leaf, Away: p.Branch.Away(),
		Seq: p.Seq, Fuses: p.Fuses(), RunState: p.RunState(), Queue: p.Queue(), ClientID: s.NewID(),
	}
	for _, it := range items {
		props.Items = append(props.Items, it.View())
	}
	if ahead := p.Branch.Ahead(); ahead != nil && at.before == 0 {
		props.Items = append(props.Items, ahead)
	}
	if earlier > 0 {
		props.Earlier = "/c/" + conv.ID + "?before=" + strconv.FormatInt(earlier, 10) + "&branch=" + url.QueryEscape(at.path.Leaf)
	}
	return props
}

// owner names a chat's owner to an admin who is reading it.
func (s *Chat) owner(c echo.Context, id string) string {
	u, err := s.Store.UserByID(c.Request().Context(), id)
	if err != nil {
		return site.Words(c).T("page.chat.another_user")
	}
	return present.Person(u.Name, u.Email)
}

// modeChoices are the approval modes, in words; the one that hardly asks is
// for admins.
func modeChoices(tr *text.Printer, v agent.Viewer, selected agent.ApprovalMode) []page.Choice {
	modes := []agent.ApprovalMode{agent.ModeDefault, agent.ModeAutoEdit}
	if v.Role == agent.RoleAdmin || selected == agent.ModeYolo {
		modes = append(modes, agent.ModeYolo)
	}
	var choices []page.Choice
	for _, m := range modes {
		chosen := m == cmp.Or(selected, agent.ModeDefault)
		choices = append(choices, page.Choice{Value: string(m), Label: present.ModeLabel(tr, m), Selected: chosen})
	}
	return choices
}

// Send takes a message from the form of a chat page. Where a run waits
// for a decision, the page asks whether to wait or to replace it, and keeps the text.
func (s *Chat) Send(c echo.Context) error {
	id, text := c.Param("id"), c.FormValue("content")
	if c.FormValue("wait") != "" {
		return s.renderOne(c, http.StatusOK, id, text, "")
	}
	supersede, queue := c.FormValue("supersede") != "", c.FormValue("queue") != ""
	if run, err := s.Store.ActiveRun(c.Request().Context(), id); err == nil && run.Status != agent.StatusPaused && !supersede {
		queue = true // what works goes on, and this after it
	}
	_, err := s.Service.Messages.Post(c.Request().Context(), request.Viewer(c), service.Post{
		ConversationID: id, Content: text, ClientID: c.FormValue("client_id"), Supersede: supersede, Queue: queue,
		Agent: c.FormValue("agent"), DocumentID: c.FormValue("document_id"), ParentID: c.FormValue("parent_id"),
	})
	switch {
	case err == nil:
		return c.Redirect(http.StatusSeeOther, chatLink(c, id))
	case isPersons(err):
		return s.renderOne(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), id, text, request.Said(site.Words(c), err))
	default:
		return err
	}
}
