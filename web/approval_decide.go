package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/part"
)

// approvalDecide takes the decision form of a card. It leads back to the
// conversation or the inbox; a decision that was not taken shows the
// approval's page with the reason, and with everything that was typed:
// 409 with what stands instead, 422 with the errors at their fields.
func (s *Server) approvalDecide(c echo.Context) error {
	v, id := viewerOf(c), c.Param("id")
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form could not be read. Go back and try again.")
	}
	dec, err := decisionOf(form)
	if err == nil {
		_, err = s.Desk.Decide(c.Request().Context(), v, id, dec)
	}
	if err == nil {
		return s.afterDecision(c, id)
	}
	code := agent.CodeOf(err)
	if code != agent.Conflict && code != agent.Invalid {
		return err
	}
	a, loadErr := s.Store.Approval(c.Request().Context(), v, id)
	if loadErr != nil {
		return loadErr
	}
	return s.showApproval(c, statusOf(code, http.MethodPost), *a, agent.MessageOf(err), draftOf(form, *a, err))
}

// afterDecision shows what was decided; a link there leads to what else waits.
func (s *Server) afterDecision(c echo.Context, id string) error {
	s.flash(c, "Decided. The run goes on by itself.")
	return c.Redirect(http.StatusSeeOther, "/approvals/"+url.PathEscape(id))
}

// decisionOf reads the form. The fields that only one verb uses are dropped for
// the others: a form sends them all.
func decisionOf(form url.Values) (agent.Decision, error) {
	dec := agent.Decision{
		Verb: agent.Verb(form.Get("decision")), Comment: strings.TrimSpace(form.Get("comment")),
		Scope: agent.Scope(form.Get("scope")), ArgsHash: form.Get("args_hash"),
	}
	var err error
	if dec.Generation, err = strconv.Atoi(orZero(form.Get("generation"))); err != nil {
		return dec, agent.InvalidField("generation", "is not a number; reload the page")
	}
	switch dec.Verb {
	case agent.DecideEdit:
		dec.Args = json.RawMessage(form.Get("args"))
		if !json.Valid(dec.Args) {
			return dec, agent.InvalidField("args", "is not valid JSON")
		}
	case agent.DecideAnswer, agent.DecideTakeover:
		dec.Answer = form.Get("answer")
	case agent.DecideResume, agent.DecideApprove:
		dec.Answer = form.Get("answer")
		if dec.RaiseTokensBy, err = strconv.ParseInt(orZero(form.Get("raise_tokens_by")), 10, 64); err != nil {
			return dec, agent.InvalidField("raise_tokens_by", "is not a whole number of tokens")
		}
		if dec.Answer == agent.ResumeAllowMore {
			if dec.N, err = strconv.Atoi(orZero(form.Get("n"))); err != nil {
				return dec, agent.InvalidField("n", "is not a whole number; allowed: 1 to %d", agent.MaxAllowMore)
			}
		}
	}
	return dec, nil
}

func orZero(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return "0"
	}
	return s
}

// draftOf keeps what was typed and puts each error at its field of the form.
func draftOf(form url.Values, a agent.Approval, err error) part.Draft {
	d := part.Draft{
		Comment: form.Get("comment"), Scope: form.Get("scope"), Answer: form.Get("answer"),
		Raise: form.Get("raise_tokens_by"), N: form.Get("n"), Errors: map[string]string{},
	}
	if args := form.Get("args"); args != indentJSON(string(a.Args)) {
		d.Args = args
	}
	takeover := agent.Verb(form.Get("decision")) == agent.DecideTakeover
	if takeover {
		d.Takeover, d.Answer = d.Answer, ""
	}
	var e *agent.Error
	if !errors.As(err, &e) {
		return d
	}
	for _, f := range e.Fields {
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
	if name == "raiseTokensBy" {
		return "raise_tokens_by"
	}
	return name
}
