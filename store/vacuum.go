package store

import (
	"context"
	"fmt"
)

// vacuumStep is how many pages one write gives back. It takes about a millisecond, so
// that runs do not wait for it.
const vacuumStep = 64

// spareShare is the share of a file that stays free for what is written next: one in so many pages.
const spareShare = 8

// ReturnSpace gives some of the pages that were freed back to the file system, in one
// short write, and returns how many; 0 where there is nothing left to do. A share of
// the file stays free for what is written next. Databases that were made before there
// was incremental vacuum return nothing: their free pages are used again.
func (s *EventLog) ReturnSpace(ctx context.Context) (pages int64, err error) {
	err = s.write.do(ctx, false, func(t *tx) error {
		pages, err = returnPages(t)
		return err
	})
	return pages, err
}

// returnPages gives at most vacuumStep pages back.
func returnPages(t *tx) (int64, error) {
	var mode, free, before, after int64
	for pragma, into := range map[string]*int64{"auto_vacuum": &mode, "freelist_count": &free, "page_count": &before} {
		if err := t.row(`PRAGMA ` + pragma).Scan(into); err != nil {
			return 0, err
		}
	}
	const incremental = 2
	if mode != incremental || free-before/spareShare < vacuumStep {
		return 0, nil
	}
	// Each row that is read is one page that is given back.
	if err := t.each(func(scanner) error { return nil }, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, vacuumStep)); err != nil {
		return 0, err
	}
	err := t.row(`PRAGMA page_count`).Scan(&after)
	return before - after, err
}
