package store

import (
	"fmt"

	"fusebox/agent"
)

// record writes what an entry adds to the audit log and to the outbox.
func record(t *tx, rows []agent.AuditRow, notes []agent.Notification) error {
	for _, row := range rows {
		if err := insertAudit(t, row); err != nil {
			return fmt.Errorf("write audit: %w", err)
		}
	}
	if err := postNotifications(t, notes); err != nil {
		return fmt.Errorf("write notifications: %w", err)
	}
	return nil
}
