package page

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
)

// Raw shows the raw requests and responses of a run to admins.
func (s *Runs) Raw(c echo.Context) error {
	ctx := c.Request().Context()
	run, err := s.Store.Run(ctx, request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	list, err := s.Store.Exchanges(ctx, run.ID)
	if err != nil {
		return err
	}
	p := page.RawProps{RunID: run.ID, On: s.RawLog}
	for _, x := range list {
		p.Exchanges = append(p.Exchanges, exchangeProps(words(c), x))
	}
	return s.render(c, http.StatusOK, page.Raw(s.shell(c, words(c).T("page.title.raw"), ""), p))
}

func exchangeProps(tr *text.Printer, x agent.Exchange) page.RawExchange {
	p := page.RawExchange{
		ID: x.ID, At: x.At, URL: x.URL, Status: strconv.Itoa(x.Status), Bad: x.Status >= 400 || x.Error != "",
		Request: indented(x.Request), Response: indented(x.Response), Cut: x.Cut,
	}
	if x.Status == 0 {
		p.Status, p.Response = tr.T("page.raw.no_answer"), x.Error
	}
	return p
}

// indented lays JSON out for reading; anything else stays as it is.
func indented(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", "  ") != nil {
		return text
	}
	return out.String()
}
