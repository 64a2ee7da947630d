package store

import (
	"database/sql"
	"errors"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

const reservationColumns = `id, run_id, step, kind, tokens, micros, accounts, at, group_name`

func scanReservation(r sqlite.Scanner) (agent.OpenReservation, error) {
	var h agent.OpenReservation
	var accounts string
	var at int64
	err := r.Scan(&h.ID, &h.RunID, &h.Step, &h.Kind, &h.Tokens, &h.Micros, &accounts, &at, &h.GroupName)
	if err != nil {
		return h, err
	}
	h.At = sqlite.FromMS(at)
	return h, fromJSON(accounts, &h.Accounts)
}

func putReservation(t *sqlite.Tx, r agent.OpenReservation, epoch int64) error {
	accounts, err := accountsText(r.Accounts)
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
	if errors.Is(err, sql.ErrNoRows) {
		return agent.OpenReservation{}, nil
	}
	return h, err
}

// dropReservation removes what a run's call in progress has reserved and returns it,
// zero for nothing.
func dropReservation(t *sqlite.Tx, runID string) (agent.OpenReservation, error) {
	h, err := scanReservation(t.Row(`DELETE FROM reservations WHERE run_id = $1 RETURNING `+reservationColumns, runID))
	if errors.Is(err, sql.ErrNoRows) {
		return agent.OpenReservation{}, nil
	}
	return h, err
}

func accountsText(accounts []agent.BudgetAccount) (string, error) {
	if len(accounts) == 0 {
		return "", nil
	}
	return toJSON(accounts)
}
