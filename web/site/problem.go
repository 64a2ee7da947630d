package site

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
)

// ErrorPage tells a person what went wrong and what can be done.
func (s *Site) ErrorPage(c echo.Context, err error, p request.Problem) error {
	title := problemTitle(Words(c), p.Status)
	frame := s.Frame(c, title)
	if c.Request().Method != http.MethodGet {
		frame.Languages = nil // a link would ask for what was sent
	}
	if request.Viewer(c).UserID != "" {
		frame = s.Shell(c, title, "")
	}
	props := page.ProblemProps{
		Status: strconv.Itoa(p.Status), Title: title, Message: problemDetail(Words(c), err, p),
		Back: "/", BackLabel: Words(c).T("page.problem.back"),
	}
	if p.Status == http.StatusForbidden && frame.Viewer.Email == "" {
		props.Back, props.BackLabel = "/login", Words(c).T("page.problem.sign_in")
	}
	return s.Render(c, p.Status, page.Problem(frame, props))
}

// problemTitle names what went wrong, by its status.
func problemTitle(tr *text.Printer, status int) string {
	switch status {
	case http.StatusBadRequest:
		return tr.T("page.problem.bad_request")
	case http.StatusForbidden:
		return tr.T("page.problem.forbidden")
	case http.StatusNotFound:
		return tr.T("page.problem.not_found")
	case http.StatusMethodNotAllowed:
		return tr.T("page.problem.method")
	case http.StatusConflict:
		return tr.T("page.problem.conflict")
	case http.StatusGone:
		return tr.T("page.problem.gone")
	case http.StatusRequestEntityTooLarge:
		return tr.T("page.problem.too_large")
	case http.StatusUnprocessableEntity:
		return tr.T("page.problem.invalid")
	case http.StatusTooManyRequests:
		return tr.T("page.problem.too_many")
	case http.StatusServiceUnavailable:
		return tr.T("page.problem.unavailable")
	default:
		return tr.T("page.problem.internal")
	}
}

// problemDetail says what can be done. What the router refuses is said here;
// every other error has a message of its own.
func problemDetail(tr *text.Printer, err error, p request.Problem) string {
	var routed *echo.HTTPError
	if !errors.As(err, &routed) {
		return p.Detail
	}
	switch routed.Code {
	case http.StatusNotFound:
		return tr.T("page.problem.no_address")
	case http.StatusMethodNotAllowed:
		return tr.T("page.problem.wrong_method")
	case http.StatusRequestEntityTooLarge:
		return tr.T("page.problem.send_less")
	default:
		return p.Detail
	}
}
