package page

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
	"fusebox/web/request"
	"fusebox/web/site"
)

// knownEndpoints are offered to begin with: one click puts them into the form.
var knownEndpoints = []page.KnownEndpoint{
	{Name: "openai", Label: "OpenAI", BaseURL: "https://api.openai.com/v1"},
	{Name: "deepseek", Label: "DeepSeek", BaseURL: "https://api.deepseek.com/v1"},
	{Name: "gemini", Label: "Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai"},
	{Name: "kimi", Label: "Kimi", BaseURL: "https://api.moonshot.cn/v1"},
	{Name: "mistral", Label: "Mistral", BaseURL: "https://api.mistral.ai/v1"},
	{Name: "qwen", Label: "Qwen", BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1"},
	{Name: "openrouter", Label: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1"},
	{Name: "ollama", Label: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Local: true},
	{Name: "lmstudio", Label: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1", Local: true},
	{Name: "vllm", Label: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", Local: true},
}

// connectForm is the form as the address asks for it: with ?edit= for an endpoint that
// is there, with ?connect= for one that is known, else an empty one.
func (s *Models) connectForm(c echo.Context) (page.ConnectForm, error) {
	if name := c.QueryParam("edit"); name != "" {
		was, err := s.Service.Connections.One(c.Request().Context(), name)
		return editForm(was), err
	}
	f := page.ConnectForm{Known: knownEndpoints}
	wanted := c.QueryParam("connect")
	if i := slices.IndexFunc(f.Known, func(k page.KnownEndpoint) bool { return k.Name == wanted }); i >= 0 {
		k := f.Known[i]
		f.Name, f.BaseURL, f.Local, f.Chosen = k.Name, k.BaseURL, k.Local, k.Name
	}
	f.Open = wanted != ""
	return f, nil
}

func editForm(c agent.Connection) page.ConnectForm {
	return page.ConnectForm{Edit: true, Open: true, Name: c.Name, BaseURL: c.BaseURL, HasKey: c.SealedKey != "", Version: strconv.FormatInt(c.Version, 10)}
}

// typedConnection reads the form: a key that is left empty is the one before.
func typedConnection(c echo.Context, name string) service.ConnectionInput {
	in := service.ConnectionInput{Name: cmp.Or(name, c.FormValue("name")), BaseURL: c.FormValue("baseUrl"), Draft: c.FormValue("draft")}
	in.Version, _ = strconv.ParseInt(c.FormValue("version"), 10, 64) // 0 is the version of none
	none := ""
	switch key := c.FormValue("key"); {
	case key != "":
		in.Key = &key
	case c.FormValue("noKey") != "":
		in.Key = &none
	}
	return in
}

// What the buttons of the form do: the first one tests and saves.
const (
	onlyTest   = "test"
	saveAnyway = "anyway"
)

// Connect takes the form of a new endpoint.
func (s *Models) Connect(c echo.Context) error {
	in := typedConnection(c, "")
	return s.takeConnection(c, in, page.ConnectForm{Known: knownEndpoints, Name: in.Name}, s.Service.Connections.Add)
}

// ChangeConnection takes the form of an endpoint that is changed.
func (s *Models) ChangeConnection(c echo.Context) error {
	was, err := s.Service.Connections.One(c.Request().Context(), c.Param("name"))
	if err != nil {
		return s.connectionGone(c, err)
	}
	return s.takeConnection(c, typedConnection(c, was.Name), editForm(was), s.Service.Connections.Change)
}

// saving stores an endpoint.
type saving func(context.Context, agent.Viewer, service.ConnectionInput) (agent.Connection, error)

// takeConnection tests an endpoint and saves it if it works, or if the admin wants it
// anyway. Else the form comes back with all that was typed; the key, sealed.
func (s *Models) takeConnection(c echo.Context, in service.ConnectionInput, f page.ConnectForm, save saving) error {
	f.BaseURL, f.Open = in.BaseURL, true
	f.Draft = s.Service.Connections.Draft(in)
	f.NoKey = in.Key != nil && *in.Key == ""
	again := func(status int, fields map[string]string, problem string) error {
		f.Errors = fields
		return s.show(c, status, modelsInput{form: &f, problem: problem})
	}
	do := c.FormValue("do")
	if do != saveAnyway {
		report, err := s.test(c, in)
		if agent.CodeOf(err) == agent.Invalid {
			return again(http.StatusUnprocessableEntity, request.FieldErrors(site.Words(c), err), site.Words(c).T("connect.not_saved"))
		}
		if err != nil {
			return s.connectionGone(c, err)
		}
		if do == onlyTest || report.Fault != "" {
			return s.tested(c, in, f, report)
		}
	}
	return s.connectionGone(c, s.Answer(c, site.Form{
		Save: func() (said, next string, err error) {
			saved, err := save(c.Request().Context(), request.Viewer(c), in)
			return s.connected(site.Words(c), saved.Name), "/admin/models", err
		},
		Again: func(status int, fields map[string]string, problem string) error {
			return again(status, fields, cmp.Or(problem, site.Words(c).T("connect.not_saved")))
		},
	}))
}

// test asks an endpoint that a form names.
func (s *Models) test(c echo.Context, in service.ConnectionInput) (agent.EndpointReport, error) {
	if in.Name == "" { // which programs may leave out
		return agent.EndpointReport{}, agent.Connection{BaseURL: in.BaseURL}.Check()
	}
	return s.Service.Connections.Test(c.Request().Context(), in)
}

// tested shows what came of a test, above the form that can be saved all the same.
func (s *Models) tested(c echo.Context, in service.ConnectionInput, f page.ConnectForm, report agent.EndpointReport) error {
	f.Report = endpointReport(site.Words(c), in, f.HasKey || f.Draft != "", report)
	status := http.StatusOK
	if report.Fault != "" {
		status, f.Anyway = http.StatusUnprocessableEntity, report.Better == ""
	}
	f.BaseURL = cmp.Or(report.Better, f.BaseURL)
	return s.show(c, status, modelsInput{form: &f})
}

// connected says what has changed by an endpoint.
func (s *Models) connected(tr *text.Printer, name string) string {
	n := 0
	for _, m := range s.Service.Models.Offered() {
		if m.Endpoint == name {
			n++
		}
	}
	return tr.T("connect.saved", n, name)
}

// connectionGone shows the page as it is now where somebody else has removed the endpoint.
func (s *Models) connectionGone(c echo.Context, err error) error {
	if agent.CodeOf(err) != agent.NotFound {
		return err
	}
	return s.show(c, http.StatusNotFound, modelsInput{problem: site.Words(c).T("connect.gone")})
}

// TestConnection tests an endpoint as it is stored.
func (s *Models) TestConnection(c echo.Context) error {
	was, err := s.Service.Connections.One(c.Request().Context(), c.Param("name"))
	if err != nil {
		return s.connectionGone(c, err)
	}
	report, err := s.Service.Connections.TestStored(c.Request().Context(), was.Name)
	if agent.CodeOf(err) == agent.Invalid { // its key cannot be read
		f := editForm(was)
		f.Errors = request.FieldErrors(site.Words(c), err)
		return s.show(c, http.StatusUnprocessableEntity, modelsInput{form: &f})
	}
	if err != nil {
		return err
	}
	in := service.ConnectionInput{Name: was.Name, BaseURL: was.BaseURL}
	return s.show(c, http.StatusOK, modelsInput{endpoint: endpointReport(site.Words(c), in, was.SealedKey != "", report)})
}

// RemoveConnection disconnects an endpoint.
func (s *Models) RemoveConnection(c echo.Context) error {
	version, _ := strconv.ParseInt(c.FormValue("version"), 10, 64) // 0 is the version of none
	name := c.Param("name")
	err := s.Service.Connections.Remove(c.Request().Context(), request.Viewer(c), name, version)
	if agent.CodeOf(err) == agent.Conflict {
		return s.show(c, http.StatusConflict, modelsInput{problem: request.Said(site.Words(c), err)})
	}
	if err != nil {
		return s.connectionGone(c, err)
	}
	return s.Back(c, "/admin/models", site.Words(c).T("connect.removed", name))
}

// endpointReport is what came of a test of an endpoint in words, with what to do.
func endpointReport(tr *text.Printer, in service.ConnectionInput, hasKey bool, r agent.EndpointReport) *page.EndpointReport {
	p := &page.EndpointReport{Name: in.Name, Address: agent.ConnectionURL(in.BaseURL), OK: r.Fault == "", Said: tr.Recorded(invisible.Visible(r.Said))}
	switch {
	case r.Better != "":
		p.Text, p.Said, p.Mended = tr.T("connect.better", p.Address, r.Better), "", true
	case r.Fault == agent.FaultKey && !hasKey:
		p.Text = tr.T("connect.fault.key_missing")
	case r.Fault != "":
		p.Text = faultText(tr, r.Fault)
	case r.Answer.OK:
		p.Text, p.Said = tr.T("connect.works", len(r.Models), invisible.Visible(r.Asked)), ""
	default:
		p.Text = tr.T("connect.lists", len(r.Models), invisible.Visible(r.Asked))
		p.Said = tr.Recorded(invisible.Visible(r.Answer.Problem))
	}
	return p
}

// faultText says what to do about a fault.
func faultText(tr *text.Printer, f agent.EndpointFault) string {
	return map[agent.EndpointFault]string{
		agent.FaultRefused: tr.T("connect.fault.refused"), agent.FaultHost: tr.T("connect.fault.unknown_host"), agent.FaultTimeout: tr.T("connect.fault.timeout"),
		agent.FaultUnreachable: tr.T("connect.fault.unreachable"), agent.FaultCertificate: tr.T("connect.fault.certificate"),
		agent.FaultNoTLS: tr.T("connect.fault.no_tls"), agent.FaultTLSOnly: tr.T("connect.fault.tls_only"), agent.FaultRedirect: tr.T("connect.fault.redirect"),
		agent.FaultKey: tr.T("connect.fault.key"), agent.FaultForbidden: tr.T("connect.fault.forbidden"), agent.FaultCredit: tr.T("connect.fault.credit"),
		agent.FaultAddress: tr.T("connect.fault.address"), agent.FaultNotModels: tr.T("connect.fault.not_models"), agent.FaultNoModels: tr.T("connect.fault.no_models"),
		agent.FaultBusy: tr.T("connect.fault.busy"), agent.FaultFailing: tr.T("connect.fault.failing"), agent.FaultRejected: tr.T("connect.fault.rejected"),
	}[f]
}
