package page

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// placeInChat is the part of a chat that a page shows: so many messages of a branch, before an event,
// 0 for the newest.
type placeInChat struct {
	path     agent.Path
	before   int64
	messages int
}

// maxPageMessages bounds a page that begins with a certain message.
const maxPageMessages = 1000

// place is the part of a conversation that a request asks for: of the branch that it names by a message
// or a run, or that is chosen; by a number, by a message that is to be in it, or from a message on. A message that
// is on another branch is shown on its own.
func (s *Chat) place(c echo.Context, id string) (at placeInChat, err error) {
	ctx := c.Request().Context()
	at.messages = pageMessages
	if run := c.QueryParam("run"); run != "" {
		at.path, err = s.Store.PathOfRun(ctx, id, run)
	} else {
		at.path, err = s.Store.Path(ctx, id, c.QueryParam("branch"))
	}
	if err != nil {
		return at, err
	}
	message, from := c.QueryParam("message"), c.QueryParam("from")
	switch {
	case message != "":
		err = s.placeOf(ctx, id, message, &at)
	case from != "":
		if i := indexOf(at.path, from); i >= 0 {
			at.messages = min(max(len(at.path.Messages)-i+2, pageMessages), maxPageMessages)
		}
	default:
		at.before, err = beforeParam(c)
	}
	return at, err
}

// placeOf finds the part of a conversation that has a message in its middle.
func (s *Chat) placeOf(ctx context.Context, id, message string, at *placeInChat) error {
	if indexOf(at.path, message) < 0 {
		if other, err := s.Store.Path(ctx, id, message); err == nil && indexOf(other, message) >= 0 {
			at.path = other
		}
	}
	var err error
	at.before, err = s.Store.PlaceOf(ctx, id, message, at.path.Runs, pageMessages)
	return err
}

func indexOf(path agent.Path, message string) int {
	return slices.IndexFunc(path.Messages, func(m agent.PathMessage) bool { return m.ID == message })
}

func beforeParam(c echo.Context) (int64, error) {
	raw := c.QueryParam("before")
	if raw == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || n < 1 {
		return 0, agent.InvalidField("before", "%q is not a position in a conversation; use a positive number", agent.Clip(raw, 40))
	}
	return n, nil
}

// ChooseBranch shows another version of a message, with what follows it.
func (s *Chat) ChooseBranch(c echo.Context) error {
	v, id := request.Viewer(c), c.Param("id")
	conv, err := s.Service.Conversations.Own(c.Request().Context(), v, id)
	if err != nil {
		return err
	}
	version := c.FormValue("version")
	if version == "" { // the last one has none behind it
		return c.Redirect(http.StatusSeeOther, fromMessage(id, c.FormValue("from")))
	}
	if _, err := s.Service.Conversations.Update(c.Request().Context(), v, *conv, agent.ConversationPatch{LeafID: &version}); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, fromMessage(id, version))
}

// fromMessage leads to a chat with all from a message on.
func fromMessage(id, message string) string {
	return "/c/" + id + "?from=" + url.QueryEscape(message) + "#m-" + message
}
