package page

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/present/markdown"
	"fusebox/web/request"
	"fusebox/web/site"
)

// feedbackLimit is how many rows one page lists.
const feedbackLimit = 50

// Rate takes what a person says of an answer: a rating, or none to take it back.
func (s *Chat) Rate(c echo.Context) error {
	ctx, v, id, message := c.Request().Context(), request.Viewer(c), c.Param("id"), c.Param("message")
	if _, err := s.Store.Message(ctx, v, id, message); err != nil {
		return err
	}
	var err error
	if rating := agent.Rating(c.FormValue("rating")); rating == "" {
		err = s.Store.RemoveFeedback(ctx, v, message)
	} else {
		err = s.Service.Conversations.Rate(ctx, v, agent.Feedback{MessageID: message, Rating: rating, Reason: c.FormValue("reason")})
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, messageLink(id, message))
}

// messageLink leads to a message in its chat.
func messageLink(id, message string) string {
	return "/c/" + id + "?message=" + url.QueryEscape(message) + "#m-" + message
}

// Feedback is the page at /admin/feedback.
func (s *Chat) Feedback(c echo.Context) error {
	items, next, err := s.Store.Feedback(c.Request().Context(), agent.Page{Limit: feedbackLimit, Cursor: c.QueryParam("cursor")})
	if err != nil {
		return err
	}
	p := page.FeedbackProps{}
	for _, f := range items {
		f.Answer = markdown.Text(f.Answer)
		p.Rows = append(p.Rows, page.FeedbackRow{GivenFeedback: f, Chat: messageLink(f.ConversationID, f.MessageID)})
	}
	if next != "" {
		p.Next = "/admin/feedback?cursor=" + url.QueryEscape(next)
	}
	return s.Render(c, http.StatusOK, page.Feedback(s.Shell(c, site.Words(c).T("page.title.feedback"), "feedback"), p))
}
