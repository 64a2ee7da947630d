package store

import (
	"context"
	"fmt"
)

// maxFaults is how many faults of a damaged database are named.
const maxFaults = 10

// QuickCheck reads the whole database and returns what is damaged in it, nothing for a
// sound one. Large ones take a while; reading and writing go on meanwhile.
func (s *Store) QuickCheck(ctx context.Context) (faults []string, err error) {
	rows, err := s.read.QueryContext(ctx, fmt.Sprintf(`PRAGMA quick_check(%d)`, maxFaults))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var fault string
		if err := rows.Scan(&fault); err != nil {
			return nil, err
		}
		if fault != "ok" {
			faults = append(faults, fault)
		}
	}
	return faults, rows.Err()
}
