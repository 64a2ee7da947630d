package page

import (
	"errors"
	"net/url"
	"strings"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/web/live"
	"fusebox/web/present/argform"
	"fusebox/web/present/jsontext"
)

// draftOf keeps what was typed and puts each error at its field of the form.
func draftOf(form url.Values, a agent.Approval, err error) part.Draft {
	d := part.Draft{
		Comment: form.Get("comment"), Scope: form.Get("scope"), Answer: form.Get("answer"),
		Raise: form.Get("raise_tokens_by"), RaiseUSD: form.Get("raise_usd"), N: form.Get("n"), Days: form.Get("days"), Choices: form["choices"],
		Edited: form.Get("decision") == live.EditForm, Errors: map[string]string{},
	}
	if args := argform.LineBreaks(form.Get("args")); args != jsontext.Indent(string(a.Args)) {
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
