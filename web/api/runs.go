package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/agent/workflow"
	"fusebox/web/present"
	"fusebox/web/request"
)

// Runs answers the calls about runs.
type Runs struct {
	Store      service.RunRecords
	Commands   *service.Runs
	Messages   *service.Messages
	Visibility *request.Visibility
	Outputs    service.Outputs
}

type runBody struct {
	ID                 string           `json:"id"`
	ConversationID     string           `json:"conversationId"`
	Status             agent.Status     `json:"status"`
	StopReason         agent.StopReason `json:"stopReason,omitempty"`
	Model              string           `json:"model"`
	Steps              int              `json:"steps"`
	Usage              agent.Usage      `json:"usage"`
	CostMicros         int64            `json:"costMicros"`
	Limits             agent.Limits     `json:"limits"`
	StartedAt          *string          `json:"startedAt"`
	EndedAt            *string          `json:"endedAt,omitempty"`
	PendingApprovalIDs []string         `json:"pendingApprovalIds"`
	ParentRunID        string           `json:"parentRunId,omitempty"`
	RootRunID          string           `json:"rootRunId"`
	Agent              string           `json:"agent,omitempty"`
	AgentVersion       int              `json:"agentVersion,omitempty"`
	// Workflow is what the run works by in the place of an agent.
	Workflow *progressBody `json:"workflow,omitempty"`
	// Children are the runs that it has made, Tree what it and those below it have used.
	Children []string  `json:"children"`
	Tree     *treeBill `json:"tree,omitempty"`
	// QueuePlace is the place among the runs that wait, 0 where it does not wait for one.
	QueuePlace int `json:"queuePlace,omitempty"`
	// Outputs are names and types that the run has to deliver, Values what it has delivered.
	Outputs map[string]string          `json:"outputs,omitempty"`
	Values  map[string]json.RawMessage `json:"values,omitempty"`
	// OutputPurposes say what outputs are for.
	OutputPurposes map[string]string `json:"outputPurposes,omitempty"`
	Plan           []agent.PlanStep  `json:"plan,omitempty"`
	DeletedAt      *string           `json:"deletedAt,omitempty"`
}

// Get is GET /api/v1/runs/{id}.
func (s *Runs) Get(c echo.Context) error {
	ctx := c.Request().Context()
	run, err := s.Store.Run(ctx, request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	pending, err := s.Store.PendingApprovalIDs(ctx, run.ID)
	if err != nil {
		return err
	}
	place, err := s.Store.QueuePlace(ctx, run.ID)
	if err != nil {
		return err
	}
	tree, err := s.Store.Tree(ctx, run.RootID())
	if err != nil {
		return err
	}
	if s.Visibility.TokensOnly(request.Viewer(c)) {
		*run = present.RunWithoutMoney(*run)
		for i := range tree {
			tree[i] = present.RunWithoutMoney(tree[i])
		}
	}
	children, bill := below(*run, tree)
	started := run.StartedAt
	if started.IsZero() {
		started = run.CreatedAt
	}
	body := runBody{
		ID: run.ID, ConversationID: run.ConversationID, Status: run.Status, StopReason: run.StopReason,
		Model: run.Model, Steps: run.Steps, Usage: run.Usage, CostMicros: run.CostMicros, Limits: run.Limits,
		StartedAt: request.RFC3339(started), EndedAt: request.RFC3339(run.EndedAt), PendingApprovalIDs: pending, QueuePlace: place,
		ParentRunID: run.Lineage.ParentRunID, RootRunID: run.RootID(), Agent: run.Agent, AgentVersion: run.AgentVersion, Children: children, Tree: bill,
		Outputs: run.State.Outputs, Values: run.State.Values, OutputPurposes: run.State.Purposes, Plan: run.State.Plan.Steps,
		DeletedAt: request.RFC3339(run.DeletedAt),
	}
	body.Workflow, err = s.workflow(ctx, request.Viewer(c), *run, tree)
	return answer(c, http.StatusOK, body, err)
}

// treeBill is what a run and all runs below it have used, in all and by agent.
type treeBill struct {
	billLine
	Agents []billLine `json:"agents"`
}

type billLine struct {
	Agent      string      `json:"agent,omitempty"`
	Runs       int         `json:"runs"`
	Usage      agent.Usage `json:"usage"`
	CostMicros int64       `json:"costMicros"`
}

func (l *billLine) add(r agent.Run) {
	l.Runs++
	l.Usage, l.CostMicros = l.Usage.Add(r.Usage), l.CostMicros+r.CostMicros
}

// below are the children of a run of a tree, whose runs come after their parents, and the
// bill of all below it and itself; nil where there is none below.
func below(run agent.Run, tree []agent.Run) (children []string, bill *treeBill) {
	children, bill = []string{}, &treeBill{}
	in := map[string]bool{run.ID: true}
	for _, r := range tree {
		if r.ID != run.ID && !in[r.Lineage.ParentRunID] {
			continue
		}
		in[r.ID] = true
		if r.Lineage.ParentRunID == run.ID {
			children = append(children, r.ID)
		}
		bill.add(r)
		i := slices.IndexFunc(bill.Agents, func(l billLine) bool { return l.Agent == r.WorksBy() })
		if i < 0 {
			i, bill.Agents = len(bill.Agents), append(bill.Agents, billLine{Agent: r.WorksBy()})
		}
		bill.Agents[i].add(r)
	}
	if len(children) == 0 {
		return children, nil
	}
	return children, bill
}

// Abort is POST /api/v1/runs/{id}/abort.
func (s *Runs) Abort(c echo.Context) error {
	return noContent(c, http.StatusAccepted, s.Commands.Abort(c.Request().Context(), request.Viewer(c), c.Param("id")))
}

// CancelCall is POST /api/v1/runs/{id}/calls/{call}/cancel.
func (s *Runs) CancelCall(c echo.Context) error {
	_, err := s.Commands.CancelCall(c.Request().Context(), request.Viewer(c), c.Param("id"), c.Param("call"))
	return noContent(c, http.StatusAccepted, err)
}

// TakeOver is POST /api/v1/runs/{id}/takeover: a person's text becomes the answer.
func (s *Runs) TakeOver(c echo.Context) error {
	var body struct {
		Answer string `json:"answer"`
	}
	if err := request.ReadJSON(c, &body); err != nil {
		return err
	}
	return noContent(c, http.StatusAccepted, s.Commands.TakeOver(c.Request().Context(), request.Viewer(c), c.Param("id"), body.Answer))
}

// ChangePlan is PUT /api/v1/runs/{id}/plan: a person's plan for a run that waits.
func (s *Runs) ChangePlan(c echo.Context) error {
	var body agent.PlanArgs
	if err := request.ReadJSON(c, &body); err != nil {
		return err
	}
	return noContent(c, http.StatusNoContent, s.Commands.ChangePlan(c.Request().Context(), request.Viewer(c), c.Param("id"), body))
}

// Retry is POST /api/v1/runs/{id}/again.
func (s *Runs) Retry(c echo.Context) error {
	var body struct {
		Step   string                     `json:"step"`
		Inputs map[string]json.RawMessage `json:"inputs"`
	}
	if err := request.ReadJSON(c, &body); err != nil {
		return err
	}
	switch {
	case body.Step != "":
		done, err := s.Messages.Again(c.Request().Context(), request.Viewer(c), service.AgainFrom{RunID: c.Param("id"), Step: body.Step, Inputs: body.Inputs})
		return answer(c, http.StatusAccepted, done, err)
	case body.Inputs != nil:
		return agent.InvalidField("inputs", "are for a workflow that goes back to a step; name it in step")
	}
	done, err := s.Messages.Retry(c.Request().Context(), request.Viewer(c), c.Param("id"))
	return answer(c, http.StatusAccepted, map[string]string{"runId": done.RunID}, err)
}

// Verdicts is GET /api/v1/runs/{id}/verdicts, oldest first.
func (s *Runs) Verdicts(c echo.Context) error {
	ctx := c.Request().Context()
	run, err := s.Store.Run(ctx, request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	verdicts, err := s.Store.Verdicts(ctx, run.ID)
	if err != nil {
		return err
	}
	if s.Visibility.TokensOnly(request.Viewer(c)) {
		for i := range verdicts {
			verdicts[i].CostMicros, verdicts[i].SavedMicros = 0, 0
		}
	}
	return c.JSON(http.StatusOK, request.Listing[agent.VerdictRecord]{Items: verdicts})
}

// Output is GET /api/v1/runs/{id}/output: the whole output of the call that is named.
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

// Image is GET /api/v1/runs/{id}/images/{name}: a picture of a tool's result.
func (s *Runs) Image(c echo.Context) error {
	run, err := s.Store.Run(c.Request().Context(), request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	f, file, err := s.Outputs.Image(run.ConversationID, run.ID, c.Param("name"))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return request.SendFile(c, f, file)
}

// progressBody is the workflow that a run works by, and how its steps stand.
type progressBody struct {
	Name       string         `json:"name"`
	Version    int            `json:"version"`
	Steps      []progressStep `json:"steps"`
	CostMicros int64          `json:"costMicros"`
	// MaxCostMicros is the most that CostMicros can come to; it is missing where nothing limits it.
	MaxCostMicros *int64 `json:"maxCostMicros,omitempty"`
}

type progressStep struct {
	ID     string             `json:"id"` // the name of the step
	Agent  string             `json:"agent,omitempty"`
	Person agent.PersonStep   `json:"person,omitempty"`
	State  workflow.StepState `json:"state"`
	Needs  []string           `json:"needs"`
	Runs   []string           `json:"runs"`
	Tries  int                `json:"tries"`
	// TakenOver says that the result is that of an earlier run.
	TakenOver  bool  `json:"takenOver,omitempty"`
	CostMicros int64 `json:"costMicros"`
}

// workflow is nil for a run that works by none.
func (s *Runs) workflow(ctx context.Context, v agent.Viewer, run agent.Run, tree []agent.Run) (*progressBody, error) {
	p, err := service.ProgressOf(ctx, s.Store, run, tree)
	if p == nil || err != nil {
		return nil, err
	}
	body := &progressBody{
		Name: run.State.Workflow.Name, Version: run.State.Workflow.Version, Steps: []progressStep{},
		CostMicros: p.CostMicros, MaxCostMicros: p.MaxCostMicros,
	}
	if s.Visibility.TokensOnly(v) {
		body.MaxCostMicros = nil
	}
	for _, step := range p.Steps {
		body.Steps = append(body.Steps, progressStep{
			ID: step.Name, Agent: step.Agent, Person: step.Person, State: step.State, Needs: step.Needs, Runs: step.Runs,
			Tries: step.Tries, TakenOver: step.TakenOver, CostMicros: step.CostMicros,
		})
	}
	return body, nil
}
