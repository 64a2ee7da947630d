package page

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/page/money"
	"fusebox/web/present"
	"fusebox/web/present/invisible"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Models shows the pages about models and takes their forms.
type Models struct {
	*site.Site
	Models service.Endpoints
	Prices service.PriceBook
	// Samples says that tools have sample data until the program is started again.
	Samples bool
}

// modelsInput is what a form of the page has brought.
type modelsInput struct {
	problem  string
	report   *agent.ModelReport   // of a model that was just tested
	endpoint *page.EndpointReport // of an endpoint that was just tested
	form     *page.ConnectForm    // as it was typed, nil for the one of the address
}

// Show lists endpoints and models, and tests a model.
func (s *Models) Show(c echo.Context) error {
	if c.QueryParam("refresh") != "" {
		s.Models.Refresh(c.Request().Context())
	}
	return s.show(c, http.StatusOK, modelsInput{})
}

// show renders the page, with what a form has brought.
func (s *Models) show(c echo.Context, status int, in modelsInput) error {
	standard, err := s.Service.Models.Default(c.Request().Context())
	if err != nil {
		return err
	}
	p := page.ModelsProps{
		Query: site.Searched(c), Problem: in.problem, Tested: in.endpoint, Demo: s.Service.Models.Demo() != "", Configured: s.Service.Models.Configured,
		NoDefault: standard == "",
	}
	p.Samples = s.Samples && !p.Demo
	if s.Service.Models.Fixed() == "" {
		p.Choices = site.ModelChoices(site.Words(c), s.Service.Models, standard)
	}
	if p.Endpoints, err = s.endpointRows(c); err != nil {
		return err
	}
	if in.form != nil {
		p.Form = *in.form
	} else if p.Form, err = s.connectForm(c); err != nil {
		return s.connectionGone(c, err)
	}
	found := service.Search(s.Service.Models.All(), p.Query)
	p.Found = len(found)
	for _, m := range found[:min(len(found), shownModels)] {
		row := page.ModelRow{ID: m.ID, Family: m.Family, Vision: m.Vision, Thinking: m.Thinking, Whole: m.Whole, NoChat: m.NoChat, Default: m.ID == standard}
		if m.Window > 0 {
			row.Window = site.Words(c).Amount(m.Window)
		}
		row.Price = money.PriceNow(site.Words(c), s.Prices, s.Clock, m.ID)
		p.Models = append(p.Models, row)
	}
	if p.Vectors, err = s.vectors(c); err != nil {
		return err
	}
	if in.report != nil {
		p.Report = reportProps(site.Words(c), *in.report)
	}
	frame := s.Shell(c, site.Words(c).T("page.title.models"), "models")
	frame.Wide = true
	return s.Render(c, status, page.Models(frame, p))
}

// vectors says how far documents have been embedded, nil where no model does that.
func (s *Models) vectors(c echo.Context) (*page.VectorProps, error) {
	v, err := s.Service.Documents.Finder.Status(c.Request().Context(), "")
	if err != nil || v.Model == "" {
		return nil, err
	}
	p := &page.VectorProps{VectorStatus: v}
	p.Problem = site.Words(c).Recorded(invisible.Visible(v.Problem))
	if v.Priced {
		p.Cost = present.Money(v.CostMicros)
	}
	return p, nil
}

// RetryVectors has the model that embeds documents asked again.
func (s *Models) RetryVectors(c echo.Context) error {
	if err := s.Service.Documents.Finder.Retry(c.Request().Context()); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/admin/models")
}

// endpointRows are the endpoints in use, and those that the configuration keeps from use.
func (s *Models) endpointRows(c echo.Context) ([]page.EndpointRow, error) {
	connected, err := s.Service.Connections.All(c.Request().Context())
	if err != nil {
		return nil, err
	}
	var rows []page.EndpointRow
	for _, e := range s.Models.Endpoints() {
		rows = append(rows, page.EndpointRow{
			Name: e.Name, Address: e.Address, Family: e.Family, Models: e.Models, Problem: site.Words(c).Recorded(invisible.Visible(e.Problem)), Open: e.Open,
		})
	}
	for _, n := range connected {
		i := slices.IndexFunc(rows, func(r page.EndpointRow) bool { return r.Name == n.Name && !s.Service.Connections.Configured(n.Name) })
		if i < 0 {
			i, rows = len(rows), append(rows, page.EndpointRow{Name: n.Name, Unused: true})
		}
		r := &rows[i]
		r.Address, r.Connected, r.Version, r.HasKey, r.By, r.At = n.BaseURL, true, n.Version, n.SealedKey != "", n.ChangedBy, n.ChangedAt
	}
	return rows, nil
}

// shownModels is how many models the page shows; others are found by a search.
const shownModels = 200

// ChooseDefault makes a model the one of chats that name none.
func (s *Models) ChooseDefault(c echo.Context) error {
	if err := s.Service.Models.ChooseDefault(c.Request().Context(), request.Viewer(c), c.FormValue("model")); err != nil {
		return err
	}
	if c.FormValue("back") == "chat" {
		return c.Redirect(http.StatusSeeOther, "/")
	}
	return c.Redirect(http.StatusSeeOther, "/admin/models")
}

// reportProps is the outcome of a test in words.
func reportProps(tr *text.Printer, r agent.ModelReport) *page.ModelReport {
	p := &page.ModelReport{Model: r.Model}
	if r.Answer.OK {
		p.Latency, p.Total = present.Millis(r.Latency), present.Millis(r.Total)
	}
	for _, row := range []struct {
		name, good string
		check      agent.Check
		optional   bool
	}{
		{tr.T("page.models.answer"), tr.T("page.models.answer_good"), r.Answer, false},
		{tr.T("page.models.streaming"), tr.T("page.models.streaming_good"), r.Streaming, false},
		{tr.T("page.models.tools"), tr.T("page.models.tools_good"), r.Tools, false},
		{tr.T("page.models.usage"), tr.T("page.models.usage_good"), r.Usage, true},
		{tr.T("page.models.reasoning"), tr.T("page.models.reasoning_good"), r.Reasoning, true},
	} {
		c := page.ModelCheck{Name: row.name, Text: row.good, Tone: "good"}
		if !row.check.OK {
			c.Text, c.Tone = row.check.Problem, "tripped"
			if row.optional && r.Answer.OK {
				c.Tone = "" // models may do without
			}
		}
		p.Checks = append(p.Checks, c)
	}
	return p
}

// Test tests a model from the page; its answer is the page with the report.
func (s *Models) Test(c echo.Context) error {
	model := c.FormValue("model")
	if err := s.Service.Models.Check(model); err != nil {
		return err
	}
	report := s.Models.Probe(c.Request().Context(), model)
	return s.show(c, http.StatusOK, modelsInput{report: &report})
}
