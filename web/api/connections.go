package api

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// endpointView is an endpoint as the API shows it: never its key.
type endpointView struct {
	Name    string `json:"name"`
	BaseURL string `json:"baseUrl"`
	Family  string `json:"family,omitempty"`
	// Configured says that the configuration names it: it is changed there.
	Configured bool `json:"configured"`
	// Used is false where the configuration has another one of that name.
	Used    bool   `json:"used"`
	HasKey  *bool  `json:"hasKey,omitempty"`
	Models  int    `json:"models"`
	Problem string `json:"problem,omitempty"`
	// Version is named by who changes it; absent for those of the configuration.
	Version   int64   `json:"version,omitempty"`
	ChangedBy string  `json:"changedBy,omitempty"`
	ChangedAt *string `json:"changedAt,omitempty"`
}

// endpoints are those in use, and those that the configuration keeps from use.
func (s *Models) endpoints(c echo.Context) ([]endpointView, error) {
	connected, err := s.Service.Connections.All(c.Request().Context())
	if err != nil {
		return nil, err
	}
	views, byName := []endpointView{}, map[string]int{}
	for _, e := range s.Models.Endpoints() {
		if s.Service.Models.Demo() != "" {
			break // which is none of anybody's
		}
		byName[e.Name] = len(views)
		views = append(views, endpointView{Name: e.Name, BaseURL: e.Address, Family: e.Family, Configured: true, Used: true, Models: e.Models, Problem: e.Problem})
	}
	for _, n := range connected {
		i, used := byName[n.Name]
		if used = used && !s.Service.Connections.Configured(n.Name); !used {
			i, views = len(views), append(views, endpointView{Name: n.Name})
		}
		v := &views[i]
		v.BaseURL, v.Configured, v.Used, v.HasKey = n.BaseURL, false, used, new(n.SealedKey != "")
		v.Version, v.ChangedBy, v.ChangedAt = n.Version, n.ChangedBy, request.RFC3339(n.ChangedAt)
	}
	return views, nil
}

// ListEndpoints is GET /api/v1/endpoints.
func (s *Models) ListEndpoints(c echo.Context) error {
	views, err := s.endpoints(c)
	return answer(c, http.StatusOK, request.Listing[endpointView]{Items: views}, err)
}

// Connect is POST /api/v1/endpoints: the endpoint is used at once, whether it answers or not.
func (s *Models) Connect(c echo.Context) error {
	var in service.ConnectionInput
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	n, err := s.Service.Connections.Add(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	return s.oneEndpoint(c, http.StatusCreated, n.Name)
}

// ChangeEndpoint is PATCH /api/v1/endpoints/{name}: what is missing stays as it is.
func (s *Models) ChangeEndpoint(c echo.Context) error {
	was, err := s.Service.Connections.One(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	in := service.ConnectionInput{Name: was.Name, BaseURL: was.BaseURL}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if in.Name != was.Name {
		return agent.InvalidField("name", "cannot be changed; connect the endpoint under the other name and remove this one")
	}
	if in.Version == 0 {
		return agent.InvalidField("version", "is missing; send the one that you have read")
	}
	if _, err := s.Service.Connections.Change(c.Request().Context(), request.Viewer(c), in); err != nil {
		return err
	}
	return s.oneEndpoint(c, http.StatusOK, was.Name)
}

func (s *Models) oneEndpoint(c echo.Context, status int, name string) error {
	views, err := s.endpoints(c)
	if err != nil {
		return err
	}
	for _, v := range views {
		if v.Name == name && !v.Configured {
			return c.JSON(status, v)
		}
	}
	return agent.Errorf(agent.NotFound, "There is no such endpoint.")
}

// RemoveEndpoint is DELETE /api/v1/endpoints/{name}?version=.
func (s *Models) RemoveEndpoint(c echo.Context) error {
	version, err := strconv.ParseInt(c.QueryParam("version"), 10, 64)
	if err != nil {
		return agent.InvalidField("version", "is missing; send the one that you have read")
	}
	return noContent(c, http.StatusNoContent, s.Service.Connections.Remove(c.Request().Context(), request.Viewer(c), c.Param("name"), version))
}

// endpointTest is the outcome of a test of an endpoint.
type endpointTest struct {
	OK     bool                `json:"ok"`
	Models []string            `json:"models"`
	Fault  agent.EndpointFault `json:"fault,omitempty"`
	Said   string              `json:"said,omitempty"`
	Better string              `json:"better,omitempty"`
	Asked  string              `json:"asked,omitempty"`
	Answer *agent.Check        `json:"answer,omitempty"`
}

// TestEndpoint is POST /api/v1/endpoints/test: an endpoint that is typed, or with its name
// alone one that is stored. Nothing is saved.
func (s *Models) TestEndpoint(c echo.Context) error {
	var in service.ConnectionInput
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	var r agent.EndpointReport
	var err error
	if in.Name != "" && in.BaseURL == "" {
		r, err = s.Service.Connections.TestStored(c.Request().Context(), in.Name)
	} else {
		r, err = s.Service.Connections.Test(c.Request().Context(), in)
	}
	if err != nil {
		return err
	}
	view := endpointTest{OK: r.Fault == "", Models: append([]string{}, r.Models...), Fault: r.Fault, Said: r.Said, Better: r.Better, Asked: r.Asked}
	if r.Asked != "" {
		view.Answer = &r.Answer
	}
	return c.JSON(http.StatusOK, view)
}

// ChooseDefault is PUT /api/v1/models/default.
func (s *Models) ChooseDefault(c echo.Context) error {
	var in struct {
		Model string `json:"model"`
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	return noContent(c, http.StatusNoContent, s.Service.Models.ChooseDefault(c.Request().Context(), request.Viewer(c), in.Model))
}
