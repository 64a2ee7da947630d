package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"fusebox/agent"
	"fusebox/store/spend"
	"fusebox/store/sqlite"
)

// Ledger reserves what model calls may take at worst, and lists and checks what
// was booked.
type Ledger struct{ *core }

// enterLedger appends rows to the ledger.
func enterLedger(t *sqlite.Tx, rows []agent.LedgerEntry) error {
	now := sqlite.MS(t.Clock.Now())
	values := make([][]any, len(rows))
	for i, e := range rows {
		accounts, err := partJSON(e.Accounts, len(e.Accounts))
		if err != nil {
			return err
		}
		values[i] = []any{now, e.Kind, e.ReservationID, e.RunID, e.Step, e.StepKind, e.Debit, e.Credit, e.Tokens, e.Micros, accounts}
	}
	err := t.InsertRows(`INSERT INTO ledger (at, kind, reservation_id, run_id, step, step_kind, debit, credit, tokens, micros, accounts) VALUES`, ``, values)
	if err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return nil
}

// Ledger lists the rows of one run, or all for "", oldest first, each with the
// line of the bill that it leads to.
func (s *Ledger) Ledger(ctx context.Context, runID string, p agent.Page) ([]agent.LedgerEntry, string, error) {
	from, err := cursorOf(p, oldestFirst)
	if err != nil {
		return nil, "", err
	}
	limit, w := limitOf(p), &where{}
	w.And(`l.seq > `, from.at, ``)
	w.AndIf(runID != "", `l.run_id = `, runID)
	items, err := sqlite.List(ctx, s.db, scanLedger, `SELECT l.seq, l.at, l.kind, l.reservation_id, l.run_id, l.step, l.step_kind, l.debit, l.credit,
		l.tokens, l.micros, l.accounts, u.conversation_id, `+spend.UserName(`a.email`, `u.user_id`)+`, u.group_name, u.model, u.provider, u.request_id,
		u.tools, u.input_tokens, u.cached_tokens, u.output_tokens, u.reasoning_tokens, u.estimated, u.priced, u.named_micros
		FROM ledger l LEFT JOIN usage u ON l.debit = 'spent' AND u.run_id = l.run_id AND u.step = l.step AND u.kind = l.step_kind
		LEFT JOIN users a ON a.id = u.user_id `+w.String()+w.Param(` ORDER BY l.seq LIMIT `, limit+1), w.Args...)
	return page(items, err, limit, func(e agent.LedgerEntry) cursor { return cursor{at: e.Seq, id: e.RunID} })
}

func scanLedger(r sqlite.Scanner) (e agent.LedgerEntry, err error) {
	var accounts string
	var conversation, user, group, model, provider, request, tools sql.NullString
	var input, cached, output, reasoning, named sql.NullInt64
	var estimated, priced sql.NullBool
	err = r.Scan(&e.Seq, sqlite.Time(&e.At), &e.Kind, &e.ReservationID, &e.RunID, &e.Step, &e.StepKind, &e.Debit, &e.Credit, &e.Tokens,
		&e.Micros, &accounts, &conversation, &user, &group, &model, &provider, &request, &tools, &input, &cached, &output, &reasoning,
		&estimated, &priced, &named)
	if err != nil {
		return e, err
	}
	if e.StepKind == agent.StepTitle {
		e.RunID = ""
	}
	if conversation.Valid {
		e.Line = &agent.LedgerLine{
			ConversationID: conversation.String, User: user.String, Group: group.String, Model: model.String, Provider: provider.String,
			RequestID: request.String, Unpriced: !priced.Bool, NamedMicros: named.Int64, Usage: agent.Usage{
				Tokens: agent.Tokens{
					InputTokens: input.Int64, CachedTokens: cached.Int64, OutputTokens: output.Int64, ReasoningTokens: reasoning.Int64,
				},
				Estimated: estimated.Bool,
			},
		}
		err = fromJSON(tools.String, &e.Line.Tools)
	}
	err = errors.Join(err, fromJSON(accounts, &e.Accounts))
	return e, err
}

const stepColumns = `run_id, step, kind, conversation_id, user_id, model, input_tokens, cached_tokens, output_tokens,
	reasoning_tokens, estimated, cost_micros, finish_reason, started_at, ended_at, group_name, provider, request_id, tools, priced, named_micros`

// insertStep adds a line to the bill and to its sums.
func insertStep(t *sqlite.Tx, s agent.Step, by agent.Run, reservationID string) error {
	s.Tools = slices.Clone(s.Tools)
	starts, err := spend.MarkFirsts(t, &s)
	if err != nil {
		return err
	}
	tools, err := partJSON(s.Tools, len(s.Tools))
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO usage (`+stepColumns+`, reservation_id, starts_run, starts_model, root_run_id, agent)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
			$16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)`,
		s.RunID, s.N, s.Kind, s.ConversationID, s.UserID, s.Model, s.Usage.InputTokens, s.Usage.CachedTokens, s.Usage.OutputTokens,
		s.Usage.ReasoningTokens, s.Usage.Estimated, s.CostMicros, s.FinishReason, sqlite.MS(s.StartedAt), sqlite.MS(s.EndedAt),
		s.GroupName, s.Provider, s.RequestID, tools, !s.Unpriced, s.NamedMicros, reservationID, starts.Run, starts.Model, by.Lineage.RootRunID, by.Agent)
	if err != nil {
		return err
	}
	return spend.Add(t, s, starts)
}

// Steps lists a run's lines in the ledger.
func (s *Ledger) Steps(ctx context.Context, runID string) ([]agent.Step, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (st agent.Step, err error) {
		var tools string
		var priced bool
		err = r.Scan(&st.RunID, &st.N, &st.Kind, &st.ConversationID, &st.UserID, &st.Model, &st.Usage.InputTokens,
			&st.Usage.CachedTokens, &st.Usage.OutputTokens, &st.Usage.ReasoningTokens, &st.Usage.Estimated,
			&st.CostMicros, &st.FinishReason, sqlite.Time(&st.StartedAt), sqlite.Time(&st.EndedAt), &st.GroupName, &st.Provider,
			&st.RequestID, &tools, &priced, &st.NamedMicros)
		if err != nil {
			return st, err
		}
		st.Unpriced = !priced
		err = fromJSON(tools, &st.Tools)
		return st, err
	}, `SELECT `+stepColumns+` FROM usage WHERE run_id = $1 ORDER BY step, kind`, runID)
}

const reservationColumns = `id, run_id, step, kind, tokens, micros, accounts, at, group_name`

func scanReservation(r sqlite.Scanner) (h agent.OpenReservation, err error) {
	var accounts string
	err = r.Scan(&h.ID, &h.RunID, &h.Step, &h.Kind, &h.Tokens, &h.Micros, &accounts, sqlite.Time(&h.At), &h.GroupName)
	err = cmp.Or(err, fromJSON(accounts, &h.Accounts))
	return h, err
}

func putReservation(t *sqlite.Tx, r agent.OpenReservation, epoch int64) error {
	accounts, err := partJSON(r.Accounts, len(r.Accounts))
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO reservations (run_id, id, epoch, step, kind, tokens, micros, accounts, at, group_name)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (run_id) DO UPDATE SET tokens = excluded.tokens, micros = excluded.micros, accounts = excluded.accounts`,
		r.RunID, r.ID, epoch, r.Step, r.Kind, r.Tokens, r.Micros, accounts, sqlite.MS(r.At), r.GroupName)
	return err
}

// openReservation is what a run's call in progress has reserved, zero for nothing.
func openReservation(t *sqlite.Tx, runID string) (agent.OpenReservation, error) {
	h, err := scanReservation(t.Row(`SELECT `+reservationColumns+` FROM reservations WHERE run_id = $1`, runID))
	return h, sqlite.OrNone(err)
}

// dropReservation removes what a run's call in progress has reserved and returns it,
// zero for nothing.
func dropReservation(t *sqlite.Tx, runID string) (agent.OpenReservation, error) {
	h, err := scanReservation(t.Row(`DELETE FROM reservations WHERE run_id = $1 RETURNING `+reservationColumns, runID))
	return h, sqlite.OrNone(err)
}
