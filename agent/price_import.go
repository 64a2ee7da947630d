package agent

// PriceList is the content of a price file.
type PriceList struct {
	Rows    []PriceRow
	Skipped []PriceSkip
}

// PriceSkip is an entry of a file that is not taken, and why.
type PriceSkip struct {
	Model string `json:"model"`
	Why   string `json:"why"`
}

// PriceChange is a row of a file and the price now in effect; Before has Known false
// if unknown a price.
type PriceChange struct{ Before, After PriceRow }

// PricePlan is what an import would change. New are models that had no price,
// Changed those whose price differs, Same is how many stay as they are.
type PricePlan struct {
	New, Changed []PriceChange
	Same         int
	Skipped      []PriceSkip
}

// Rows are those that the import writes.
func (p PricePlan) Rows() []PriceRow {
	rows := make([]PriceRow, 0, len(p.New)+len(p.Changed))
	for _, c := range append(p.New[:len(p.New):len(p.New)], p.Changed...) {
		rows = append(rows, c.After)
	}
	return rows
}

// PriceCounts are a plan in numbers, for people and the audit log.
type PriceCounts struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Skipped int `json:"skipped"`
}

// Counts are the plan in numbers.
func (p PricePlan) Counts() PriceCounts {
	return PriceCounts{New: len(p.New), Changed: len(p.Changed), Same: p.Same, Skipped: len(p.Skipped)}
}
