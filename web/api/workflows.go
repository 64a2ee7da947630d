package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/request"
)

// Workflows answers the calls about workflows.
type Workflows struct {
	Store   service.WorkflowStore
	Service *service.Service
}

// workflowView is a workflow as the API shows it.
type workflowView struct {
	agent.Workflow
	UpdatedAt *string `json:"updatedAt"`
}

func workflowJSON(w agent.Workflow) workflowView {
	return workflowView{Workflow: w, UpdatedAt: request.RFC3339(w.UpdatedAt)}
}

// workflowBody is what an admin says of a workflow.
type workflowBody struct {
	Name    string                `json:"name"`
	Purpose string                `json:"purpose"`
	Kind    agent.WorkflowKind    `json:"kind"`
	Inputs  []agent.WorkflowInput `json:"inputs"`
	Steps   []agent.WorkflowStep  `json:"steps"`
	Rounds  int                   `json:"rounds"`
	Accept  string                `json:"accept"`
	Join    agent.WorkflowJoin    `json:"join"`
	Count   int                   `json:"count"`
	Judge   string                `json:"judge"`
	// Version is the newest one, which was seen; a new workflow has none.
	Version int `json:"version"`
}

func (b workflowBody) workflow() agent.Workflow {
	return agent.Workflow{
		Name: b.Name, Purpose: b.Purpose, Kind: b.Kind, Inputs: b.Inputs, Steps: b.Steps,
		Rounds: b.Rounds, Accept: b.Accept, Join: b.Join, Count: b.Count, Judge: b.Judge, Version: b.Version,
	}
}

// List is GET /api/v1/workflows.
func (s *Workflows) List(c echo.Context) error {
	all, err := s.Store.Workflows(c.Request().Context())
	if err != nil {
		return err
	}
	views := []workflowView{}
	for _, w := range all {
		views = append(views, workflowJSON(w))
	}
	return c.JSON(http.StatusOK, request.Listing[workflowView]{Items: views})
}

// Get is GET /api/v1/workflows/{name}?version=: the workflow as it is, or a version that runs name.
func (s *Workflows) Get(c echo.Context) error {
	version, err := versionParam(c)
	if err != nil {
		return err
	}
	w, err := s.Store.Workflow(c.Request().Context(), c.Param("name"), version)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, workflowJSON(*w))
}

// Create is POST /api/v1/workflows.
func (s *Workflows) Create(c echo.Context) error {
	var in workflowBody
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if in.Version != 0 {
		return agent.InvalidField("version", "is not for a new workflow; leave it out")
	}
	w, err := s.Service.Workflows.Create(c.Request().Context(), request.Viewer(c), in.workflow())
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/workflows/"+w.Name)
	return c.JSON(http.StatusCreated, workflowJSON(w))
}

// Update is PUT /api/v1/workflows/{name}: a new version, which says all that the workflow is.
func (s *Workflows) Update(c echo.Context) error {
	in := workflowBody{Name: c.Param("name")}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if in.Name != c.Param("name") {
		return agent.InvalidField("name", "cannot be changed; make a workflow of the other name and delete this one")
	}
	if in.Version == 0 {
		return agent.InvalidField("version", "is missing; send the one that you have read")
	}
	w, err := s.Service.Workflows.Update(c.Request().Context(), request.Viewer(c), in.workflow())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, workflowJSON(w))
}

// Delete is DELETE /api/v1/workflows/{name}.
func (s *Workflows) Delete(c echo.Context) error {
	if err := s.Store.DeleteWorkflow(c.Request().Context(), request.Viewer(c), c.Param("name")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
