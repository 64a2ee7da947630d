package api

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Guards answers the calls about guards.
type Guards struct {
	Store   service.GuardStore
	Clock   agent.Clock
	Service *service.Service
}

// List is GET /api/v1/guards.
func (s *Guards) List(c echo.Context) error {
	ctx := c.Request().Context()
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return err
	}
	detectors, err := s.Service.Guards.Status(ctx, config)
	if err != nil {
		return err
	}
	rules, err := s.Store.GuardRules(ctx)
	return answer(c, http.StatusOK, struct {
		Detectors []service.DetectorStatus    `json:"detectors"`
		Numbers   []service.GuardNumberStatus `json:"numbers"`
		Rules     []agent.GuardRule           `json:"rules"`
	}{detectors, s.Service.Guards.Numbers(config), request.NotNull(rules)}, err)
}

// SetNumber is PUT /api/v1/guards/numbers/{key}. Empty texts go back to
// the configuration of the process.
func (s *Guards) SetNumber(c echo.Context) error {
	var in agent.GuardOverride
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	n, err := s.Service.Guards.SetNumber(c.Request().Context(), request.Viewer(c), c.Param("key"), in)
	return answer(c, http.StatusOK, n, err)
}

// Switch is PUT /api/v1/guards/detectors/{name}.
func (s *Guards) Switch(c echo.Context) error {
	var in struct {
		On *bool `json:"on"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	ctx, name := c.Request().Context(), c.Param("name")
	if err := s.Service.Guards.CheckDetector(name); err != nil {
		return err
	}
	if in.On == nil {
		return agent.InvalidField("on", "is missing; allowed: true, false")
	}
	if err := s.Service.Guards.Switch(ctx, request.Viewer(c), name, *in.On); err != nil {
		return err
	}
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return err
	}
	all, err := s.Service.Guards.Status(ctx, config)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(d service.DetectorStatus) bool { return d.Name == name })
	return c.JSON(http.StatusOK, all[i])
}

// Backtest is POST /api/v1/guards/backtest.
func (s *Guards) Backtest(c echo.Context) error {
	var in struct {
		From    string            `json:"from"`
		To      string            `json:"to"`
		Numbers map[string]string `json:"numbers"`
		Rule    agent.ToolRule    `json:"rule"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	q := agent.BacktestQuery{Numbers: in.Numbers, Rule: in.Rule}
	var err error
	if q.From, q.To, err = request.BacktestDays(in.From, in.To, s.Clock.Now()); err != nil {
		return err
	}
	result, err := s.Service.Guards.Backtest(c.Request().Context(), q)
	return answer(c, http.StatusOK, result, err)
}

// CreateRule is POST /api/v1/guards/rules: the rule is in force at once,
// in place of the one that its tool has.
func (s *Guards) CreateRule(c echo.Context) error {
	var in agent.ToolRule
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	g, err := s.Service.Guards.AddRule(c.Request().Context(), request.Viewer(c), in)
	return answer(c, http.StatusCreated, g, err)
}

// AcceptRule is POST /api/v1/guards/rules/{id}/accept.
func (s *Guards) AcceptRule(c echo.Context) error {
	g, err := s.Service.Guards.AcceptRule(c.Request().Context(), request.Viewer(c), c.Param("id"))
	return answer(c, http.StatusOK, g, err)
}

// DeleteRule is DELETE /api/v1/guards/rules/{id}: a rule goes out of
// force, a proposal off the list.
func (s *Guards) DeleteRule(c echo.Context) error {
	_, err := s.Service.Guards.DismissRule(c.Request().Context(), request.Viewer(c), c.Param("id"))
	return noContent(c, http.StatusNoContent, err)
}

// Learning is GET /api/v1/guards/learning.
func (s *Guards) Learning(c echo.Context) error {
	from, to, err := request.BacktestDays(c.QueryParam("from"), c.QueryParam("to"), s.Clock.Now())
	if err != nil {
		return err
	}
	search := c.QueryParam("search")
	if search != "" && search != "true" && search != "false" {
		return agent.InvalidField("search", "%q is not allowed; allowed: true, false", agent.Clip(search, 40))
	}
	learned, err := s.Service.Guards.Learning(c.Request().Context(), from, to, search == "true")
	return answer(c, http.StatusOK, learned, err)
}
