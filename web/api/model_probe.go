package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// probeView is the outcome of a test of a model.
type probeView struct {
	Model     string      `json:"model"`
	LatencyMS int64       `json:"latencyMs"`
	TotalMS   int64       `json:"totalMs"`
	Answer    agent.Check `json:"answer"`
	Streaming agent.Check `json:"streaming"`
	Tools     agent.Check `json:"tools"`
	Usage     agent.Check `json:"usage"`
	Reasoning agent.Check `json:"reasoning"`
}

// Test is POST /api/v1/models/test.
func (s *Models) Test(c echo.Context) error {
	var in struct {
		Model string `json:"model"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if err := s.Service.Models.Check(in.Model); err != nil {
		return err
	}
	r := s.Models.Probe(c.Request().Context(), in.Model)
	return c.JSON(http.StatusOK, probeView{
		Model: r.Model, LatencyMS: r.Latency.Milliseconds(), TotalMS: r.Total.Milliseconds(),
		Answer: r.Answer, Streaming: r.Streaming, Tools: r.Tools, Usage: r.Usage, Reasoning: r.Reasoning,
	})
}
