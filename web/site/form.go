package site

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
)

// Form is a form that was read: how it is saved, and how it comes back.
type Form struct {
	// Bad are the fields that cannot be read, with what is wrong. Nothing is saved then.
	Bad map[string]string
	// OfReaders says that who may read what the form changes, and not change it, is told so in its place.
	OfReaders bool
	// Save returns what the next page says, and its address.
	Save func() (said, next string, err error)
	// Again shows the form with everything that was typed: the errors by field, or
	// the problem where somebody else was first.
	Again func(status int, fields map[string]string, problem string) error
}

// Answer saves a form, or shows it again: 422 with the errors at their fields,
// 409 with what is in the way. Other errors are returned as they are.
func (s *Site) Answer(c echo.Context, f Form) error {
	if len(f.Bad) > 0 {
		return f.Again(http.StatusUnprocessableEntity, f.Bad, "")
	}
	said, next, err := f.Save()
	switch agent.CodeOf(err) {
	case "":
		return s.Back(c, next, said)
	case agent.Invalid:
		return f.Again(http.StatusUnprocessableEntity, request.FieldErrors(Words(c), err), "")
	case agent.Conflict:
		return f.Again(http.StatusConflict, map[string]string{}, request.Said(Words(c), err))
	case agent.Forbidden:
		if !f.OfReaders {
			return err
		}
		return f.Again(http.StatusForbidden, map[string]string{}, request.Said(Words(c), err))
	default:
		return err
	}
}

// Back redirects to a page, which then says what was done.
func (s *Site) Back(c echo.Context, to, said string) error {
	s.Sessions.Flash(c, said)
	return c.Redirect(http.StatusSeeOther, to)
}

// maxQuery bounds what people search a page for, in characters.
const maxQuery = 200

// Searched is what a page is searched for, "" for nothing.
func Searched(c echo.Context) string {
	return agent.Clip(strings.TrimSpace(c.QueryParam("find")), maxQuery)
}

// Choices are the entries of a select with labels of their own.
func Choices(value string, entries [][2]string) []page.Choice {
	choices := make([]page.Choice, len(entries))
	for i, e := range entries {
		choices[i] = page.Choice{Value: e[0], Label: e[1], Selected: e[0] == value}
	}
	return choices
}

// ModelChoices are the models as choices; one that is not offered any more
// stays chosen until the person takes another, and none asks for one.
func ModelChoices(tr *text.Printer, models *service.Models, selected string) []page.Choice {
	var choices []page.Choice
	for _, m := range models.Offered() {
		choices = append(choices, page.Choice{Value: m.ID, Label: m.ID, Selected: m.ID == selected})
	}
	if !slices.ContainsFunc(choices, func(c page.Choice) bool { return c.Selected }) {
		label := cmp.Or(selected, tr.T("page.models.choose"))
		choices = slices.Insert(choices, 0, page.Choice{Value: selected, Label: label, Selected: true})
	}
	return choices
}
