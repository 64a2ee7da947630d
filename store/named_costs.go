package store

import (
	"context"
	"time"

	"fusebox/agent"
)

// NamedCosts are what endpoints have said of calls between two instants, by model, the
// most first. Calls of which they said nothing, and those without a price, are left out.
func (s *Spending) NamedCosts(ctx context.Context, from, to time.Time) ([]agent.NamedCost, error) {
	return list(ctx, s.read, func(r scanner) (agent.NamedCost, error) {
		var c agent.NamedCost
		err := r.Scan(&c.Model, &c.Calls, &c.NamedMicros, &c.CostMicros)
		return c, err
	}, `SELECT model, COUNT(*), SUM(named_micros) AS named, SUM(cost_micros) FROM usage
		WHERE named_micros > 0 AND priced AND ended_at >= $1 AND ended_at < $2 GROUP BY model ORDER BY named DESC, model`, ms(from), ms(to))
}
