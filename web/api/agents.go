package api

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Agents answers the calls about agents.
type Agents struct {
	Store   service.AgentStore
	Service *service.Service
}

// agentView is an agent as the API shows it.
type agentView struct {
	agent.Agent
	UpdatedAt *string `json:"updatedAt"`
}

func agentJSON(a agent.Agent) agentView {
	return agentView{Agent: a, UpdatedAt: request.RFC3339(a.UpdatedAt)}
}

// List is GET /api/v1/agents.
func (s *Agents) List(c echo.Context) error {
	all, err := s.Store.Agents(c.Request().Context())
	if err != nil {
		return err
	}
	views := []agentView{}
	for _, a := range all {
		views = append(views, agentJSON(a))
	}
	return c.JSON(http.StatusOK, request.Listing[agentView]{Items: views})
}

// Get is GET /api/v1/agents/{name}?version=: the agent as it is, or a version that runs name.
func (s *Agents) Get(c echo.Context) error {
	version, err := versionParam(c)
	if err != nil {
		return err
	}
	a, err := s.Store.Agent(c.Request().Context(), c.Param("name"), version)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, agentJSON(*a))
}

// versionParam is ?version=, 0 for none.
func versionParam(c echo.Context) (int, error) {
	text := c.QueryParam("version")
	if text == "" {
		return 0, nil
	}
	version, err := strconv.Atoi(text)
	if err != nil || version < 1 {
		return 0, agent.InvalidField("version", "is not a version; allowed: a whole number from 1 on")
	}
	return version, nil
}

// Create is POST /api/v1/agents.
func (s *Agents) Create(c echo.Context) error {
	var in service.AgentInput
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if in.Version != 0 {
		return agent.InvalidField("version", "is not for a new agent; leave it out")
	}
	a, err := s.Service.Agents.Create(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/agents/"+a.Name)
	return c.JSON(http.StatusCreated, agentJSON(a))
}

// Update is PUT /api/v1/agents/{name}: a new version, which says all that the agent is.
func (s *Agents) Update(c echo.Context) error {
	in := service.AgentInput{Name: c.Param("name")}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if in.Name != c.Param("name") {
		return agent.InvalidField("name", "cannot be changed; make an agent of the other name and delete this one")
	}
	if in.Version == 0 {
		return agent.InvalidField("version", "is missing; send the one that you have read")
	}
	a, err := s.Service.Agents.Update(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, agentJSON(a))
}

// Delete is DELETE /api/v1/agents/{name}.
func (s *Agents) Delete(c echo.Context) error {
	if err := s.Store.DeleteAgent(c.Request().Context(), request.Viewer(c), c.Param("name")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
