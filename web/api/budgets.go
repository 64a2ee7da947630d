package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/present"
	"fusebox/web/request"
)

// Budgets answers the calls about budgets.
type Budgets struct {
	Store      service.BudgetStore
	Service    *service.Service
	Visibility *request.Visibility
}

// maxStandings bounds how many subjects of one budget are listed.
const maxStandings = 100

// budgetView is a budget as the API shows it. Subject is for whom it counts, ""
// for each by itself; CreatedBy is for admins.
type budgetView struct {
	agent.Budget
	SubjectName string  `json:"subjectName,omitempty"`
	CreatedBy   string  `json:"createdBy,omitempty"`
	StartsAt    *string `json:"startsAt,omitempty"`
	ResetsAt    *string `json:"resetsAt,omitempty"`
	// Accounts is how many subjects have used of it in this window.
	Accounts  int            `json:"accounts"`
	Standings []standingView `json:"standings"`
}

// standingView is how a budget stands for one subject.
type standingView struct {
	Subject         string `json:"subject,omitempty"`
	SubjectName     string `json:"subjectName,omitempty"`
	UsedTokens      int64  `json:"usedTokens"`
	UsedMicros      int64  `json:"usedMicros"`
	ReservedTokens  int64  `json:"reservedTokens"`
	ReservedMicros  int64  `json:"reservedMicros"`
	RaisedTokens    int64  `json:"raisedTokens"`
	RaisedMicros    int64  `json:"raisedMicros"`
	RemainingTokens *int64 `json:"remainingTokens,omitempty"`
	RemainingMicros *int64 `json:"remainingMicros,omitempty"`
	Percent         int64  `json:"percent"`
}

// List is GET /api/v1/budgets: all of them for admins, for others those
// that bound what they spend.
func (s *Budgets) List(c echo.Context) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	var standings []agent.BudgetStatus
	var err error
	if v.Role == agent.RoleAdmin {
		standings, err = s.Store.BudgetStatuses(ctx)
	} else {
		standings, err = s.Store.BudgetStatusesOf(ctx, v.UserID)
	}
	if err != nil {
		return err
	}
	items, err := s.views(c, standings)
	return answer(c, http.StatusOK, request.Listing[budgetView]{Items: items}, err)
}

func (s *Budgets) view(c echo.Context, id string) (*budgetView, error) {
	standings, err := s.Store.BudgetStatuses(c.Request().Context())
	if err != nil {
		return nil, err
	}
	views, err := s.views(c, slices.DeleteFunc(standings, func(st agent.BudgetStatus) bool { return st.ID != id }))
	if err != nil || len(views) == 0 {
		return nil, err
	}
	return &views[0], nil
}

func (s *Budgets) views(c echo.Context, standings []agent.BudgetStatus) ([]budgetView, error) {
	ctx, v := c.Request().Context(), request.Viewer(c)
	views := []budgetView{}
	if s.Visibility.TokensOnly(v) {
		standings = present.StandingsWithoutMoney(standings)
	}
	for _, accounts := range present.ByBudget(standings) {
		first := accounts[0]
		view := budgetView{Budget: first.Budget, StartsAt: request.RFC3339(first.StartsAt), ResetsAt: request.RFC3339(first.EndsAt), Standings: []standingView{}}
		if v.Role == agent.RoleAdmin {
			view.CreatedBy = first.Budget.CreatedBy
		}
		var err error
		if view.SubjectName, err = s.Service.Budgets.SubjectName(ctx, first.Budget, first.Subject); err != nil {
			return nil, err
		}
		for _, st := range accounts {
			if st.Of == "" && st.EachByItself() {
				continue // nobody has used it as yet
			}
			if view.Accounts++; view.Accounts > maxStandings {
				continue
			}
			standing := standingOf(st)
			if standing.SubjectName, err = s.Service.Budgets.SubjectName(ctx, st.Budget, st.Of); err != nil {
				return nil, err
			}
			view.Standings = append(view.Standings, standing)
		}
		views = append(views, view)
	}
	return views, nil
}

func standingOf(st agent.BudgetStatus) standingView {
	view := standingView{
		Subject: st.Of, UsedTokens: st.UsedTokens, UsedMicros: st.UsedMicros, ReservedTokens: st.ReservedTokens, ReservedMicros: st.ReservedMicros,
		RaisedTokens: st.RaisedTokens, RaisedMicros: st.RaisedMicros, Percent: st.Percent(),
	}
	if limit := st.TokenLimit(); limit > 0 {
		view.RemainingTokens = new(max(0, limit-st.UsedTokens-st.ReservedTokens))
	}
	if limit := st.MicroLimit(); limit > 0 {
		view.RemainingMicros = new(max(0, limit-st.UsedMicros-st.ReservedMicros))
	}
	return view
}

// Create is POST /api/v1/budgets: the budget applies from the next model call on.
func (s *Budgets) Create(c echo.Context) error {
	var in service.BudgetInput
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	b, err := s.Service.Budgets.Add(c.Request().Context(), request.Viewer(c), in)
	if err != nil {
		return err
	}
	view, err := s.view(c, b.ID)
	return answer(c, http.StatusCreated, view, err)
}

// Change is PATCH /api/v1/budgets/{id}: what is missing stays as it is.
func (s *Budgets) Change(c echo.Context) error {
	old, err := s.Store.Budget(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	in := service.BudgetInput{
		Who: old.Who, Subject: old.Subject, Span: old.Span, LimitTokens: old.LimitTokens, LimitMicros: old.LimitMicros,
		Soft: old.Soft, AtLimit: old.AtLimit, Model: old.Model,
	}
	if err := request.ReadJSON(c, &in); err != nil {
		return err
	}
	if err := sameBounds(*old, in); err != nil {
		return err
	}
	if err := s.Service.Budgets.Change(c.Request().Context(), request.Viewer(c), *old, in); err != nil {
		return err
	}
	view, err := s.view(c, old.ID)
	return answer(c, http.StatusOK, view, err)
}

// sameBounds refuses to move a budget to others: its accounts would not be theirs.
func sameBounds(old agent.Budget, in service.BudgetInput) error {
	for _, f := range []struct {
		name      string
		different bool
	}{
		{"who", in.Who != old.Who}, {"subject", strings.TrimSpace(in.Subject) != old.Subject}, {"window", in.Span != old.Span},
	} {
		if f.different {
			return agent.InvalidField(f.name, "cannot be changed; end this budget and add another one")
		}
	}
	return nil
}

// End is DELETE /api/v1/budgets/{id}: nothing is held against it any more,
// what was booked on it stays.
func (s *Budgets) End(c echo.Context) error {
	return noContent(c, http.StatusNoContent, s.Store.EndBudget(c.Request().Context(), request.Viewer(c), c.Param("id")))
}
