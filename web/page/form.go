package page

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// postedForm is a form that was read: how it is saved, and how it comes back.
type postedForm struct {
	// bad are the fields that cannot be read, with what is wrong. Nothing is saved then.
	bad map[string]string
	// ofReaders says that who may read what the form changes, and not change it, is told so in its place.
	ofReaders bool
	// save returns what the next page says, and its address.
	save func() (said, next string, err error)
	// again shows the form with everything that was typed: the errors by field, or
	// the problem where somebody else was first.
	again func(status int, fields map[string]string, problem string) error
}

// answer saves a form, or shows it again: 422 with the errors at their fields,
// 409 with what is in the way. Other errors are returned as they are.
func (s *Site) answer(c echo.Context, f postedForm) error {
	if len(f.bad) > 0 {
		return f.again(http.StatusUnprocessableEntity, f.bad, "")
	}
	said, next, err := f.save()
	switch agent.CodeOf(err) {
	case "":
		s.Sessions.Flash(c, said)
		return c.Redirect(http.StatusSeeOther, next)
	case agent.Invalid:
		return f.again(http.StatusUnprocessableEntity, request.FieldErrors(words(c), err), "")
	case agent.Conflict:
		return f.again(http.StatusConflict, map[string]string{}, request.Said(words(c), err))
	case agent.Forbidden:
		if !f.ofReaders {
			return err
		}
		return f.again(http.StatusForbidden, map[string]string{}, request.Said(words(c), err))
	default:
		return err
	}
}

// maxQuery bounds what people search a page for, in characters.
const maxQuery = 200

// searched is what a page is searched for, "" for nothing.
func searched(c echo.Context) string {
	return agent.Clip(strings.TrimSpace(c.QueryParam("find")), maxQuery)
}
