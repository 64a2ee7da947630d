package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Prices keeps what models cost, as admins have set it.
type Prices struct{ *core }

const priceColumns = `provider, model, valid_from, known, input, cached, output, reasoning, source, created_by, created_at`

// Prices are the rows of admins, by endpoint and model, oldest first.
func (s *Prices) Prices(ctx context.Context) ([]agent.PriceRow, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (p agent.PriceRow, err error) {
		err = r.Scan(&p.Provider, &p.Model, sqlite.Time(&p.ValidFrom), &p.Known, &p.Input, &p.Cached, &p.Output, &p.Reasoning,
			&p.Source, &p.CreatedBy, sqlite.Time(&p.CreatedAt))
		return p, err
	}, `SELECT `+priceColumns+` FROM prices ORDER BY provider, model, valid_from`)
}

// SavePrice sets what a model costs from a day on, in place of what was set for
// that day. A row with Known false takes the price back. Invalid for bad fields,
// Conflict where there are too many rows.
func (s *Prices) SavePrice(ctx context.Context, r agent.PriceRow) error {
	if err := r.Check(); err != nil {
		return err
	}
	action := "price.set"
	if !r.Known {
		action = "price.remove"
		r.Price = agent.Price{}
	}
	return s.audited(ctx, r.CreatedBy, action, r.Name(), r, func(t *sqlite.Tx) error { return putPrices(t, r) })
}

// ImportPrices sets many prices, all or none, with one line in the audit log.
func (s *Prices) ImportPrices(ctx context.Context, actor, source string, rows []agent.PriceRow, counts agent.PriceCounts) error {
	for _, r := range rows {
		if err := r.Check(); err != nil {
			return agent.Errorf(agent.Invalid, "%s: %s", r.Model, agent.MessageOf(err))
		}
	}
	detail := struct {
		agent.PriceCounts
		Source string `json:"source"`
	}{counts, source}
	return s.audited(ctx, actor, "price.import", "", detail, func(t *sqlite.Tx) error { return putPrices(t, rows...) })
}

// putPrices writes rows, within the bound of what each process keeps in memory, and has runs that lack a price look again.
func putPrices(t *sqlite.Tx, rows ...agent.PriceRow) error {
	for _, r := range rows {
		if _, err := t.Exec(`INSERT INTO prices (`+priceColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
			ON CONFLICT (provider, model, valid_from) DO UPDATE SET known = excluded.known, input = excluded.input, cached = excluded.cached,
			output = excluded.output, reasoning = excluded.reasoning, source = excluded.source, created_by = excluded.created_by, created_at = excluded.created_at`,
			r.Provider, r.Model, sqlite.MS(r.ValidFrom), r.Known, r.Input, r.Cached, r.Output, r.Reasoning, r.Source, r.CreatedBy,
			sqlite.MS(r.CreatedAt)); err != nil {
			return err
		}
	}
	if err := recheckPrices(t); err != nil {
		return err
	}
	var n int
	err := t.Row(`SELECT COUNT(*) FROM prices`).Scan(&n)
	if err == nil && n > agent.MaxPriceRows {
		err = agent.Errorf(agent.Conflict, "That would make %d prices; at most %d are allowed. Import only the models that are available here.", n, agent.MaxPriceRows)
	}
	return err
}
