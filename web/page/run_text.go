package page

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Text shows one whole text of a run: thoughts or an answer of a message, arguments or
// the result of a call. Where none is named it leads to the run.
func (s *Runs) Text(c echo.Context) error {
	ctx := c.Request().Context()
	run, err := s.Store.Run(ctx, request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	call, message, of := c.QueryParam("call"), c.QueryParam("message"), c.QueryParam("of")
	if call == "" && message == "" {
		return c.Redirect(http.StatusSeeOther, "/runs/"+run.ID)
	}
	p := page.RunTextProps{RunID: run.ID, Label: present.RunTextLabel(site.Words(c), of)}
	if call != "" {
		err = s.Records.callText(ctx, call, of, &p)
	} else {
		err = s.Records.messageText(ctx, message, of, &p)
	}
	if err != nil {
		return err
	}
	return s.Render(c, http.StatusOK, page.RunWholeText(s.Shell(c, site.Within(p.Label, site.Words(c).T("page.title.run")), ""), p))
}

// callText fills in the arguments or the result of a call.
func (s *RunRecords) callText(ctx context.Context, id, of string, p *page.RunTextProps) error {
	calls, err := s.Store.ToolCalls(ctx, p.RunID)
	if err != nil {
		return err
	}
	for _, c := range calls {
		switch {
		case c.ID != id:
			continue
		case of == present.TextArguments:
			p.Mono, p.Body = true, jsontext.Indent(c.Args)
			return nil
		case of == present.TextResult:
			p.Mono, p.Body = true, invisible.Visible(c.Result)
			if c.Truncated {
				p.Output = present.OutputHref(p.RunID, c.ID)
			}
			return nil
		}
	}
	return noText(ctx)
}

// messageText fills in the thoughts or the answer of a message.
func (s *RunRecords) messageText(ctx context.Context, id, of string, p *page.RunTextProps) error {
	events, err := s.Store.RunEvents(ctx, p.RunID)
	if err != nil {
		return err
	}
	for _, e := range events {
		m, ok := e.Data.(agent.MessageEvent)
		switch {
		case !ok || m.Message.ID != id || m.Message.Role != agent.FromAssistant:
			continue
		case of == present.TextThoughts:
			p.Body = invisible.Visible(m.Message.Reasoning)
			return nil
		case of == present.TextAnswer:
			p.Body = invisible.Visible(m.Message.Content)
			return nil
		}
	}
	return noText(ctx)
}

func noText(ctx context.Context) error {
	return agent.Errorf(agent.NotFound, "%s", text.T(ctx, "run.text.gone"))
}

// Output sends the output of a call that was too long to be its result.
func (s *Runs) Output(c echo.Context) error {
	run, err := s.Store.Run(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	out, err := s.Outputs.Output(c.Request().Context(), run.ConversationID, run.ID, c.QueryParam("call"))
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	return c.Stream(http.StatusOK, echo.MIMETextPlainCharsetUTF8, out)
}

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
		row := page.RawExchange{
			ID: x.ID, At: x.At, URL: x.URL, Status: strconv.Itoa(x.Status), Bad: x.Status >= 400 || x.Error != "",
			Request: indented(x.Request), Response: indented(x.Response), Cut: x.Cut,
		}
		if x.Status == 0 {
			row.Status, row.Response = site.Words(c).T("page.raw.no_answer"), x.Error
		}
		p.Exchanges = append(p.Exchanges, row)
	}
	return s.Render(c, http.StatusOK, page.Raw(s.Shell(c, site.Words(c).T("page.title.raw"), ""), p))
}

// indented lays JSON out for reading; anything else stays as it is.
func indented(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", "  ") != nil {
		return text
	}
	return out.String()
}
