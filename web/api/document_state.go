package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// State is GET /api/v1/documents/state.
func (s *Documents) State(c echo.Context) error {
	st, err := s.Service.Documents.State(c.Request().Context(), request.Viewer(c).UserID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, stateView(st, s.Visibility.TokensOnly(request.Viewer(c))))
}

type (
	documentLimits struct {
		Documents int   `json:"documents"`
		Bytes     int64 `json:"bytes"`
	}
	problemCount struct {
		Problem   agent.DocumentProblem `json:"problem"`
		Documents int                   `json:"documents"`
	}
	documentRead struct {
		ID    string  `json:"documentId"`
		Name  string  `json:"name"`
		Since *string `json:"since"`
	}
	indexRebuild struct {
		Done     int64 `json:"done"`
		Passages int64 `json:"passages"`
	}
	embeddingState struct {
		Model      string       `json:"model"`
		Passages   int64        `json:"passages"`
		Embedded   int64        `json:"embedded"`
		Stopped    bool         `json:"stopped"`
		OverBudget bool         `json:"overBudget"`
		ThisMonth  embeddingSum `json:"thisMonth"`
		Ever       embeddingSum `json:"ever"`
	}
	// embeddingSum has no cost for whom money is hidden from.
	embeddingSum struct {
		Tokens     int64  `json:"tokens"`
		CostMicros *int64 `json:"costMicros,omitempty"`
	}
	documentsState struct {
		Documents int            `json:"documents"`
		Searched  int            `json:"searched"`
		Versions  int            `json:"versions"`
		Passages  int64          `json:"passages"`
		Bytes     int64          `json:"bytes"`
		Limits    documentLimits `json:"limits"`
		Failed    int            `json:"failed"`
		// Problems are why documents failed.
		Problems  request.Items[problemCount] `json:"problems"`
		Waiting   int                         `json:"waiting"`
		Ahead     int                         `json:"ahead"`
		Reading   request.Items[documentRead] `json:"reading"`
		Rebuild   *indexRebuild               `json:"rebuild,omitempty"`
		Embedding *embeddingState             `json:"embedding,omitempty"`
	}
)

func stateView(st agent.DocumentsState, tokensOnly bool) documentsState {
	v := documentsState{
		Documents: st.Documents, Searched: st.Searched, Versions: st.Versions, Passages: st.Passages, Bytes: st.Bytes,
		Limits: documentLimits{agent.MaxDocuments, agent.MaxDocumentSpace}, Failed: st.Failed, Waiting: st.Waiting, Ahead: st.Ahead,
	}
	for _, p := range st.Problems {
		v.Problems = append(v.Problems, problemCount(p))
	}
	for _, r := range st.Reading {
		v.Reading = append(v.Reading, documentRead{r.ID, r.Name, request.RFC3339(r.Since)})
	}
	if st.Rebuild != nil {
		v.Rebuild = &indexRebuild{st.Rebuild.Done, st.Rebuild.Passages}
	}
	sum := func(s agent.SpendSum) embeddingSum {
		if tokensOnly {
			return embeddingSum{Tokens: s.InputTokens}
		}
		return embeddingSum{s.InputTokens, &s.CostMicros}
	}
	if e := st.Vectors; e.Model != "" {
		v.Embedding = &embeddingState{e.Model, e.Passages, e.Embedded, e.Problem != "", e.OverBudget, sum(st.EmbeddedThisMonth), sum(st.EmbeddedEver)}
	}
	return v
}

type (
	documentSums struct {
		Documents  int     `json:"documents"`
		Versions   int     `json:"versions"`
		Passages   int64   `json:"passages"`
		Bytes      int64   `json:"bytes"`
		Failed     int     `json:"failed"`
		Waiting    int     `json:"waiting"`
		Tokens     int64   `json:"tokens"`
		CostMicros int64   `json:"costMicros"`
		LastAdded  *string `json:"lastAddedAt,omitempty"`
	}
	documentUse struct {
		UserID string `json:"userId"`
		Email  string `json:"email"`
		Name   string `json:"name,omitempty"`
		documentSums
	}
)

func sumsView(u agent.DocumentUse) documentSums {
	return documentSums{u.Documents, u.Versions, u.Passages, u.Bytes, u.Failed, u.Waiting, u.Embedded.InputTokens, u.Embedded.CostMicros, request.RFC3339(u.LastAdded)}
}

// People is GET /api/v1/documents/people.
func (s *Documents) People(c echo.Context) error {
	p, err := request.Page(c)
	by := agent.DocumentUseOrder(c.QueryParam("sort"))
	if err == nil {
		err = request.OneOf("sort", by, agent.DocumentUseOrders()...)
	}
	if err != nil {
		return err
	}
	found, next, all, err := s.Service.Documents.Use(c.Request().Context(), c.QueryParam("search"), by, p)
	items := make([]documentUse, len(found))
	for i, u := range found {
		items[i] = documentUse{u.UserID, u.Email, u.Name, sumsView(u)}
	}
	return answer(c, http.StatusOK, struct {
		request.Listing[documentUse]
		All documentSums `json:"all"`
	}{request.Listing[documentUse]{Items: items, NextCursor: next}, sumsView(all)}, err)
}

// DeleteAll is DELETE /api/v1/users/{id}/documents.
func (s *Documents) DeleteAll(c echo.Context) error {
	return noContent(c, http.StatusNoContent, s.Service.Documents.DeleteAll(c.Request().Context(), c.Param("id")))
}
