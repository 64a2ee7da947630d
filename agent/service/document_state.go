package service

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
)

// State says how the documents of a person stand.
func (s *Documents) State(ctx context.Context, userID string) (agent.DocumentsState, error) {
	st, err := s.Store.DocumentsState(ctx, userID, s.Queue.Reading())
	if err != nil {
		return st, err
	}
	slices.SortFunc(st.Reading, func(a, b agent.DocumentRead) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	st.Vectors, err = s.Finder.Status(ctx, userID)
	return st, err
}

// ReadFailedAgain has all documents of a person be read once more that the reader has failed on, and says
// how many.
func (s *Documents) ReadFailedAgain(ctx context.Context, userID string) (n int64, err error) {
	for _, p := range agent.DocumentProblems() {
		if p.MayPass() && err == nil {
			var more int64
			more, err = s.Store.ReadFailedAgain(ctx, userID, p)
			n += more
		}
	}
	s.Queue.Wake()
	return n, err
}

// DeleteAll deletes all documents of a person, a few with each write, and notes it in the audit
// log before. The caller has checked that the viewer is an admin. Where it breaks off, it can be
// repeated. NotFound where there is no such account.
func (s *Documents) DeleteAll(ctx context.Context, userID string) error {
	last, err := s.Store.BeginDeletingDocuments(ctx, userID)
	for more := last != ""; more && err == nil; {
		var ids []string
		ids, err = s.Store.DeleteSomeDocuments(ctx, userID, last)
		for _, id := range ids {
			s.Queue.Forget(id)
		}
		more = len(ids) > 0
	}
	if err != nil {
		return err
	}
	s.Queue.Wake()
	if err := s.Sweep(ctx); err != nil {
		s.Log.Warn("removing the files of deleted documents failed, they are tried again", "user_id", userID, "error", err)
	}
	return nil
}

// number is what an order compares.
func number(o agent.DocumentUseOrder, u agent.DocumentUse) int64 {
	switch o {
	case agent.OrderName:
		return 0
	case agent.OrderDocuments:
		return int64(u.Documents)
	case agent.OrderVersions:
		return int64(u.Versions)
	case agent.OrderPassages:
		return u.Passages
	case agent.OrderFailed:
		return int64(u.Failed)
	case agent.OrderWaiting:
		return int64(u.Waiting)
	case agent.OrderTokens:
		return u.Embedded.InputTokens
	case agent.OrderCost:
		return u.Embedded.CostMicros
	case agent.OrderAdded:
		if u.LastAdded.IsZero() {
			return 0
		}
		return u.LastAdded.UnixMilli()
	default:
		return u.Bytes
	}
}

// usualUse is how many people a page lists.
const usualUse = 50

// Use is a page of what the documents of people take whose address or name has a part of a text, in an
// order, with where the next one begins, and the sum of all people. Invalid for a cursor that is none.
func (s *Documents) Use(ctx context.Context, search string, by agent.DocumentUseOrder, p agent.Page) (found []agent.DocumentUse, next string, all agent.DocumentUse, err error) {
	found, err = s.Store.DocumentUse(ctx)
	if err != nil {
		return nil, "", all, err
	}
	for _, u := range found {
		all.DocumentSums, all.Embedded = all.DocumentSums.Add(u.DocumentSums), all.Embedded.Add(u.Embedded)
	}
	search = strings.ToLower(strings.TrimSpace(search))
	found = slices.DeleteFunc(found, func(u agent.DocumentUse) bool { return !strings.Contains(strings.ToLower(u.Email+" "+u.Name), search) })
	slices.SortStableFunc(found, func(a, b agent.DocumentUse) int {
		return cmp.Or(cmp.Compare(number(by, b), number(by, a)), cmp.Compare(a.Email, b.Email))
	})
	from, err := strconv.Atoi(cmp.Or(p.Cursor, "0"))
	if err != nil || from < 0 {
		return nil, "", all, agent.InvalidField("cursor", "is not valid; pass the nextCursor of the previous page, or leave it out")
	}
	found = found[min(from, len(found)):]
	if limit := cmp.Or(p.Limit, usualUse); len(found) > limit {
		found, next = found[:limit], strconv.Itoa(from+limit)
	}
	return found, next, all, nil
}
