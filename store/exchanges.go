package store

import (
	"context"

	"fusebox/agent"
)

// maxExchangeBytes bounds what is kept of one run's exchanges; the newest stay.
const maxExchangeBytes = 8 << 20

func scanExchange(r scanner) (agent.Exchange, error) {
	var x agent.Exchange
	var at int64
	err := r.Scan(&x.ID, &x.RunID, &at, &x.URL, &x.Request, &x.Status, &x.Response, &x.Cut, &x.Error)
	x.At = fromMS(at)
	return x, err
}

// AddExchange keeps an exchange with a model's endpoint, and lets go of the
// run's oldest ones where there is too much of them.
func (s *Runs) AddExchange(ctx context.Context, x agent.Exchange) error {
	return s.db.Write(ctx, false, func(t *tx) error {
		_, err := t.exec(`INSERT INTO exchanges (id, run_id, at, url, request, status, response, cut, error)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			x.ID, x.RunID, ms(x.At), x.URL, x.Request, x.Status, x.Response, x.Cut, x.Error)
		if err != nil {
			return err
		}
		_, err = t.exec(`DELETE FROM exchanges WHERE id IN (SELECT id FROM (
			SELECT id, SUM(LENGTH(request) + LENGTH(response)) OVER (ORDER BY id DESC) AS bytes FROM exchanges WHERE run_id = $1
		) AS sums WHERE bytes > $2)`, x.RunID, maxExchangeBytes)
		return err
	})
}

// Exchanges are those of a run, oldest first.
func (s *Runs) Exchanges(ctx context.Context, runID string) ([]agent.Exchange, error) {
	return list(ctx, s.db, scanExchange, `SELECT id, run_id, at, url, request, status, response, cut, error
		FROM exchanges WHERE run_id = $1 ORDER BY id`, runID)
}
