package page

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/live"
	"fusebox/web/present"
	"fusebox/web/present/argform"
	"fusebox/web/present/jsontext"
	"fusebox/web/request"
	"fusebox/web/site"
)

// decisionOf reads the form. The fields that only one verb uses are dropped for
// the others: a form sends them all.
func (s *Approval) decisionOf(tr *text.Printer, form url.Values, a agent.Approval) (agent.Decision, error) {
	dec, err := decisionOf(form)
	if err == nil && dec.Verb == agent.DecideAnswer && a.Kind == agent.KindQuestion {
		err = readAnswer(&dec, a, form)
	}
	if err == nil {
		err = saysNothing(tr, a, dec, form.Get("decision"))
	}
	if err != nil || form.Get("decision") != live.EditForm {
		return dec, labelled(tr, err)
	}
	dec.Args, err = argform.Read(s.Cards.SchemaOf(a.ToolName), a.Args, form)
	return dec, err
}

// readAnswer reads what the forms of questions have beside others: the fields that a server
// asks for, and a draft, which is taken as it is where nobody has changed it.
func readAnswer(dec *agent.Decision, a agent.Approval, form url.Values) error {
	ev, err := a.QuestionEvidence()
	switch {
	case err != nil:
		return err
	case ev.Draft != "" && dec.Answer == argform.LineBreaks(ev.Draft):
		dec.Answer = ev.Draft
	case ev.Server != "" && len(ev.Schema) == 0:
		dec.Answer = "{}"
	case ev.Server != "":
		answer, err := argform.Read(ev.Schema, ev.Preset, form)
		dec.Answer = string(answer)
		return err
	}
	return nil
}

// decisionOf reads what all forms have. A button of a loop's card names the way to go on
// behind its verb, as in "resume:finish_now".
func decisionOf(form url.Values) (agent.Decision, error) {
	verb, way, _ := strings.Cut(form.Get("decision"), ":")
	dec := agent.Decision{
		Verb: agent.Verb(verb), Comment: strings.TrimSpace(form.Get("comment")), ArgsHash: form.Get("args_hash"),
	}
	var err error
	if dec.Generation, err = strconv.Atoi(orZero(form.Get("generation"))); err != nil {
		return dec, agent.InvalidField("generation", "is not a number; reload the page")
	}
	switch dec.Verb {
	case live.EditForm:
		dec.Verb = agent.DecideEdit
		dec.Scope = editScope(form)
	case agent.DecideEdit:
		dec.Args, dec.Scope = json.RawMessage(form.Get("args")), editScope(form)
		if !json.Valid(dec.Args) {
			return dec, agent.InvalidField("args", "is not valid JSON")
		}
	case agent.DecideAnswer, agent.DecideTakeover:
		dec.Answer, dec.Choices = argform.LineBreaks(form.Get("answer")), form["choices"]
	case agent.DecideApprove:
		err = readReach(&dec, form)
	case agent.DecideResume:
		err = readResume(&dec, way, form)
	case agent.DecideReject, agent.DecideAbort:
	}
	return dec, err
}

// editScope is how far edited arguments may reach: nothing was shown of what
// they would cover beyond their run.
func editScope(form url.Values) agent.Scope {
	if scope := agent.Scope(form.Get("scope")); scope == agent.ScopeRun {
		return scope
	}
	return ""
}

func readResume(dec *agent.Decision, way string, form url.Values) error {
	var err error
	dec.Answer = cmp.Or(way, form.Get("answer")) // the latter is of a page from before buttons named the way
	if way == present.GiveHint {
		dec.Answer = agent.ResumePlain
	}
	if dec.RaiseTokensBy, err = present.TypedTokens("raise_tokens_by", form.Get("raise_tokens_by")); err != nil {
		return err
	}
	if dec.RaiseMicrosBy, err = present.TypedDollars("raise_usd", form.Get("raise_usd")); err == nil && dec.RaiseMicrosBy > service.MaxRaiseMicros {
		err = agent.InvalidField("raise_usd", "is too much for once; write up to %d", service.MaxRaiseMicros/1_000_000)
	}
	if err != nil {
		return err
	}
	if dec.Answer == agent.ResumeAllowMore {
		if dec.N, err = strconv.Atoi(orZero(form.Get("n"))); err != nil {
			return agent.InvalidField("n", "is not a whole number; allowed: 1 to %d", agent.MaxAllowMore)
		}
	}
	return nil
}

// saysNothing refuses a decision that is a text, and has none, in words for people.
func saysNothing(tr *text.Printer, a agent.Approval, dec agent.Decision, button string) error {
	field, said := "answer", ""
	silent := strings.TrimSpace(dec.Answer) == "" && len(dec.Choices) == 0
	switch {
	case button == "resume:"+present.GiveHint && dec.Comment == "":
		field, said = "comment", tr.T("page.approval.no_hint")
	case silent && dec.Verb == agent.DecideTakeover:
		said = tr.T("page.approval.no_takeover")
	case silent && dec.Verb == agent.DecideAnswer && a.Kind == agent.KindQuestion:
		said = tr.T("page.approval.no_answer")
	default:
		return nil
	}
	err := agent.InvalidField(field, "%s", said)
	err.Message = said
	return err
}

// labelled names the fields of a budget's raise as their form does.
func labelled(tr *text.Printer, err error) error {
	var e *agent.Error
	if !errors.As(err, &e) || len(e.Fields) != 1 {
		return err
	}
	named, detail := *e, tr.Recorded(e.Fields[0].Detail)
	switch e.Fields[0].Field {
	case "raise_tokens_by":
		named.Message = tr.T("page.approval.raise_tokens", detail)
	case "raise_usd":
		named.Message = tr.T("page.approval.raise_usd", detail)
	default:
		return err
	}
	return &named
}

// readReach reads how far an approval reaches: "_pattern" behind a scope takes
// the pattern that the card proposed, "_everybody" lets a standing rule be for all.
func readReach(dec *agent.Decision, form url.Values) error {
	scope, everybody := strings.CutSuffix(form.Get("scope"), "_everybody")
	scope, wide := strings.CutSuffix(scope, "_pattern")
	if everybody {
		dec.For = agent.ForEverybody
	}
	dec.Scope = agent.Scope(scope)
	if wide {
		if err := json.Unmarshal([]byte(form.Get("pattern")), &dec.Pattern); err != nil || len(dec.Pattern) == 0 {
			return agent.InvalidField("pattern", "could not be read; reload the page")
		}
	}
	if dec.Scope != agent.ScopeAlways {
		return nil
	}
	var err error
	if dec.Days, err = strconv.Atoi(orZero(form.Get("days"))); err != nil || dec.Days < 1 {
		return agent.InvalidField("days", "is not a number of days; allowed: 1 to %d", agent.MaxRuleDays)
	}
	return nil
}

func orZero(s string) string {
	return cmp.Or(strings.TrimSpace(s), "0")
}

// draftOf keeps what was typed and puts each error at its field of the form.
func draftOf(form url.Values, a agent.Approval, err error) part.Draft {
	d := part.Draft{
		Comment: form.Get("comment"), Scope: form.Get("scope"), Answer: argform.LineBreaks(form.Get("answer")),
		Raise: form.Get("raise_tokens_by"), RaiseUSD: form.Get("raise_usd"), N: form.Get("n"), Days: form.Get("days"), Choices: form["choices"],
		Edited: form.Get("decision") == live.EditForm, Errors: map[string]string{},
	}
	if args := argform.LineBreaks(form.Get("args")); args != jsontext.Indent(string(a.Args)) {
		d.Args = args
	}
	takeover := a.Kind == agent.KindLoop || agent.Verb(form.Get("decision")) == agent.DecideTakeover
	if takeover {
		d.Takeover, d.Answer = d.Answer, ""
	}
	var e *agent.Error
	if !errors.As(err, &e) {
		return d
	}
	for _, f := range e.Fields {
		if d.Edited && strings.HasPrefix(f.Field, "arg") {
			continue // it stands at its own field
		}
		field, inside, _ := strings.Cut(f.Field, ".")
		if takeover && field == "answer" {
			field = "takeover"
		}
		detail := f.Detail
		if inside != "" {
			detail = inside + ": " + detail
		}
		d.Errors[formField(field)] = strings.TrimPrefix(d.Errors[formField(field)]+"; "+detail, "; ")
	}
	return d
}

// formField is the name that a field of the API has in the form.
func formField(name string) string {
	switch name {
	case "raiseTokensBy":
		return "raise_tokens_by"
	case "raiseMicrosBy":
		return "raise_usd"
	default:
		return name
	}
}

// ShowTakeover is the page on which a person writes the answer of a run in its place.
// People who may not do that, or come too late, are redirected to the run.
func (s *Runs) ShowTakeover(c echo.Context) error {
	v := request.Viewer(c)
	run, err := s.Store.Run(c.Request().Context(), v, c.Param("id"))
	if err != nil {
		return err
	}
	if run.Status.Ended() || run.UserID != v.UserID && v.Role != agent.RoleAdmin {
		return c.Redirect(http.StatusSeeOther, "/runs/"+run.ID)
	}
	return s.showTakeover(c, http.StatusOK, page.TakeoverProps{})
}

// TakeOver ends a run with what a person wrote.
func (s *Runs) TakeOver(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	run, err := s.Store.Run(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	answer := c.FormValue("answer")
	return s.Answer(c, site.Form{
		Save: func() (said, next string, err error) {
			return site.Words(c).T("page.takeover.done"), "/c/" + run.ConversationID, s.Service.Runs.TakeOver(ctx, v, run.ID, answer)
		},
		Again: func(status int, fields map[string]string, problem string) error {
			if fields["answer"] != "" && strings.TrimSpace(answer) == "" {
				fields["answer"] = site.Words(c).T("takeover.empty")
			}
			return s.showTakeover(c, status, page.TakeoverProps{Answer: answer, Error: fields["answer"], Problem: problem})
		},
	})
}

// showTakeover shows the form with what the run is about.
func (s *Runs) showTakeover(c echo.Context, status int, p page.TakeoverProps) error {
	rec, err := s.Records.read(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	p.Run, p.Ask = rec.run.ID, agent.Clip(rec.ask(), 2000)
	p.Conversation, p.ConversationTitle = rec.href, rec.conv
	return s.Render(c, status, page.Takeover(s.Shell(c, site.Within(site.Words(c).T("takeover.title"), rec.conv), ""), p))
}
