package page

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// ShowChild is what a child run has said and done, which its card loads once it is opened.
// That of a root is the chat. NotFound for a run of another chat.
func (s *Chat) ShowChild(c echo.Context) error {
	v, ctx := request.Viewer(c), c.Request().Context()
	conv, err := s.Store.Conversation(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	run, err := s.Store.Run(ctx, v, c.Param("run"))
	if err == nil && run.ConversationID != conv.ID {
		err = agent.Errorf(agent.NotFound, agent.NoRun)
	}
	if err != nil {
		return err
	}
	if !run.Lineage.IsChild() {
		return c.Redirect(http.StatusSeeOther, "/c/"+conv.ID)
	}
	tree, err := s.Store.Tree(ctx, run.RootID())
	if err != nil {
		return err
	}
	var log []agent.Event // of the child, and of the runs below it
	for _, r := range append([]agent.Run{*run}, runsBelow(tree, run.ID)...) {
		events, err := s.Store.RunEvents(ctx, r.ID)
		if err != nil {
			return err
		}
		log = append(log, events...)
	}
	slices.SortFunc(log, func(a, b agent.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	p := s.Presenters.New(ctx, v, *conv)
	p.CSRF = s.Sessions.FormToken(c)
	p.Replay(agent.Transcript{Events: log, From: 1}, math.MaxInt64)
	return s.Render(c, http.StatusOK, p.Child(run.ID))
}

// runsBelow are the runs of a tree below one of them, each behind the one that made it.
func runsBelow(tree []agent.Run, runID string) (below []agent.Run) {
	for _, r := range tree {
		if r.Lineage.ParentRunID == runID {
			below = append(append(below, r), runsBelow(tree, r.ID)...)
		}
	}
	return below
}
