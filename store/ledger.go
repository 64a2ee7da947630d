package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"fusebox/agent"
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
		accounts, err := accountsText(e.Accounts)
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
	w.and(`l.seq > `, from.at, ``)
	if runID != "" {
		w.and(`l.run_id = `, runID, ``)
	}
	items, err := sqlite.List(ctx, s.db, scanLedger, `SELECT l.seq, l.at, l.kind, l.reservation_id, l.run_id, l.step, l.step_kind, l.debit, l.credit,
		l.tokens, l.micros, l.accounts, u.conversation_id, `+userName(`a.email`, `u.user_id`)+`, u.group_name, u.model, u.provider, u.request_id,
		u.tools, u.input_tokens, u.cached_tokens, u.output_tokens, u.reasoning_tokens, u.estimated, u.priced, u.named_micros
		FROM ledger l LEFT JOIN usage u ON l.debit = 'spent' AND u.run_id = l.run_id AND u.step = l.step AND u.kind = l.step_kind
		LEFT JOIN users a ON a.id = u.user_id `+w.String()+w.param(` ORDER BY l.seq LIMIT `, limit+1), w.args...)
	if err != nil {
		return nil, "", err
	}
	items, next := page(items, limit, func(e agent.LedgerEntry) cursor { return cursor{at: e.Seq, id: e.RunID} })
	return items, next, nil
}

func scanLedger(r sqlite.Scanner) (agent.LedgerEntry, error) {
	var e agent.LedgerEntry
	var at int64
	var accounts string
	var conversation, user, group, model, provider, request, tools sql.NullString
	var input, cached, output, reasoning, named sql.NullInt64
	var estimated, priced sql.NullBool
	err := r.Scan(&e.Seq, &at, &e.Kind, &e.ReservationID, &e.RunID, &e.Step, &e.StepKind, &e.Debit, &e.Credit, &e.Tokens, &e.Micros, &accounts,
		&conversation, &user, &group, &model, &provider, &request, &tools, &input, &cached, &output, &reasoning, &estimated, &priced, &named)
	if err != nil {
		return e, err
	}
	e.At = sqlite.FromMS(at)
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
	return e, errors.Join(err, fromJSON(accounts, &e.Accounts))
}
