package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Memory keeps what is remembered about people. Every method is about one person's facts.
type Memory struct{ *core }

const factColumns = `f.id, f.user_id, f.text, COALESCE(c.id, ''), f.created_at, f.changed_at`

const factsOf = `SELECT ` + factColumns + ` FROM facts f LEFT JOIN conversations c ON c.id = f.conversation_id WHERE f.user_id = $1 ORDER BY f.id DESC`

func scanFact(r sqlite.Scanner) (f agent.Fact, err error) {
	err = r.Scan(&f.ID, &f.UserID, &f.Text, &f.ConversationID, sqlite.Time(&f.CreatedAt), sqlite.Time(&f.ChangedAt))
	return f, err
}

const noFact = "There is no such fact."

// Facts lists a person's facts, newest first.
func (s *Memory) Facts(ctx context.Context, userID string) ([]agent.Fact, error) {
	return sqlite.List(ctx, s.db, scanFact, factsOf, userID)
}

// FactsForRun is Facts, and Forbidden where the person has switched their memory off.
func (s *Memory) FactsForRun(ctx context.Context, userID string) ([]agent.Fact, error) {
	if err := memoryOn(s.db.QueryRowContext(ctx, memoryOff, userID)); err != nil {
		return nil, err
	}
	return s.Facts(ctx, userID)
}

const memoryOff = `SELECT memory_off FROM users WHERE id = $1`

func memoryOn(row sqlite.Scanner) error {
	var off bool
	if err := row.Scan(&off); err != nil {
		return sqlite.NotFound(err, "There is no such account.")
	}
	if off {
		return agent.Errorf(agent.Forbidden, "The person has switched their memory off: nothing is remembered or recalled.")
	}
	return nil
}

// AddFact stores a fact. fresh is false where the person has it already. Conflict where
// they have as many as they may. Forbidden where a run remembers it, and the person has
// switched their memory off.
func (s *Memory) AddFact(ctx context.Context, f agent.Fact) (fresh bool, err error) {
	err = s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if f.ConversationID != "" {
			if err := memoryOn(t.Row(memoryOff, f.UserID)); err != nil {
				return err
			}
		}
		n, err := t.Exec(`INSERT INTO facts (id, user_id, text, same, conversation_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT DO NOTHING`, f.ID, f.UserID, f.Text, f.Same(), f.ConversationID, sqlite.MS(f.CreatedAt))
		if fresh = n > 0; err != nil || !fresh {
			return err
		}
		var all int
		if err := t.Row(`SELECT COUNT(*) FROM facts WHERE user_id = $1`, f.UserID).Scan(&all); err != nil {
			return err
		}
		if all > agent.MaxFacts {
			return agent.Errorf(agent.Conflict, "The memory is full: it has %d facts. Delete some that are no longer needed.", agent.MaxFacts)
		}
		return nil
	})
	return fresh && err == nil, err
}

// ChangeFact changes the text of a fact. NotFound for others' facts; Conflict where the
// person has the new text already.
func (s *Memory) ChangeFact(ctx context.Context, f agent.Fact) error {
	return s.erasing(ctx, func(t *sqlite.Tx) error {
		var twin int
		err := t.Row(`SELECT COUNT(*) FROM facts WHERE user_id = $1 AND same = $2 AND id <> $3`, f.UserID, f.Same(), f.ID).Scan(&twin)
		if err == nil && twin > 0 {
			err = agent.Errorf(agent.Conflict, "You have this fact already.")
		}
		if err != nil {
			return err
		}
		return t.ExecOr(agent.Errorf(agent.NotFound, noFact), `UPDATE facts SET text = $1, same = $2, changed_at = $3 WHERE id = $4 AND user_id = $5`,
			f.Text, f.Same(), sqlite.MS(f.ChangedAt), f.ID, f.UserID)
	})
}

// DeleteFact deletes a fact. NotFound for others' facts.
func (s *Memory) DeleteFact(ctx context.Context, userID, id string) error {
	return s.erasing(ctx, func(t *sqlite.Tx) error {
		return t.ExecOr(agent.Errorf(agent.NotFound, noFact), `DELETE FROM facts WHERE id = $1 AND user_id = $2`, id, userID)
	})
}

// DeleteFacts deletes all facts of a person.
func (s *Memory) DeleteFacts(ctx context.Context, userID string) error {
	return s.erasing(ctx, func(t *sqlite.Tx) error {
		_, err := t.Exec(`DELETE FROM facts WHERE user_id = $1`, userID)
		return err
	})
}

// SetMemory switches a person's memory on or off. What is in it stays.
func (s *Memory) SetMemory(ctx context.Context, userID string, on bool) error {
	return s.setOfUser(ctx, `UPDATE users SET memory_off = $1 WHERE id = $2`, !on, userID)
}
