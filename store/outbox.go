package store

import (
	"fmt"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Outbox keeps notifications until they are delivered, and their outcome.
type Outbox struct{ *core }

// letter is what tells deliveries of one change apart: no one gets the same twice.
type letter struct {
	event    agent.NotifyEvent
	approval string
	channel  agent.Channel
	receiver string
}

// postNotifications turns the notifications of one change into one delivery for each receiver.
func (c *core) postNotifications(t *sqlite.Tx, notes []agent.Notification) error {
	told := map[letter]bool{}
	for _, n := range notes {
		if c.channels.Webhook {
			if err := deliver(t, told, n, agent.ChannelWebhook, ""); err != nil {
				return err
			}
		}
		if !c.channels.Email {
			continue
		}
		emails, err := receivers(t, n)
		if err != nil {
			return err
		}
		for _, email := range emails {
			letter, err := shownTo(t, n, email)
			if err != nil {
				return err
			}
			if err := deliver(t, told, letter, agent.ChannelEmail, email); err != nil {
				return err
			}
		}
	}
	return nil
}

// shownTo is a notification as one receiver sees it: the webhook is the instance's
// own, but people are told only what they may see.
func shownTo(t *sqlite.Tx, n agent.Notification, email string) (agent.Notification, error) {
	var hidden int
	err := t.Row(`SELECT COUNT(*) FROM settings WHERE key = $1 AND value = 'true'
		AND NOT EXISTS (SELECT 1 FROM users WHERE email = $2 AND role = 'admin')`, agent.MoneyHiddenKey, normalEmail(email)).Scan(&hidden)
	if hidden > 0 {
		n = n.WithoutMoney()
	}
	return n, err
}

// deliver writes one delivery to one receiver, unless they already got it.
func deliver(t *sqlite.Tx, told map[letter]bool, n agent.Notification, channel agent.Channel, receiver string) error {
	key := letter{n.Event, n.ApprovalID, channel, receiver}
	if told[key] {
		return nil
	}
	told[key] = true
	return insertDelivery(t, t.NewID(), n, channel, receiver)
}

func insertDelivery(t *sqlite.Tx, id string, n agent.Notification, channel agent.Channel, receiver string) error {
	t.Posted = true
	now := sqlite.MS(t.Clock.Now())
	_, err := t.Exec(`INSERT INTO outbox (id, event, approval_id, conversation_id, channel, receiver, payload, state, next_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $9)`,
		id, n.Event, n.ApprovalID, n.ConversationID, channel, receiver, string(n.Payload), now, now)
	return err
}

// receivers are the addresses of an audience, without accounts that are disabled
// or want no e-mail. An address without an account gets what it is named for.
func receivers(t *sqlite.Tx, n agent.Notification) ([]string, error) {
	query, args := `SELECT email FROM users WHERE NOT disabled AND notify AND role IN ('reviewer', 'admin')`, []any(nil)
	switch n.To {
	case agent.ToNobody:
		return nil, nil
	case agent.ToReviewers:
	case agent.ToAdmins:
		query = `SELECT email FROM users WHERE NOT disabled AND notify AND role = 'admin'`
	case agent.ToOwner:
		query, args = `SELECT u.email FROM users u JOIN conversations c ON c.owner_id = u.id
			WHERE NOT u.disabled AND u.notify AND c.id = $1`, []any{n.ConversationID}
	default:
		email := normalEmail(string(n.To))
		var silent int
		err := t.Row(`SELECT COUNT(*) FROM users WHERE email = $1 AND (disabled OR NOT notify)`, email).Scan(&silent)
		if err != nil || silent > 0 {
			return nil, err
		}
		return []string{email}, nil
	}
	var all []string
	err := t.Each(func(r sqlite.Scanner) error {
		email, err := sqlite.ScanString(r)
		all = append(all, email)
		return err
	}, query, args...)
	return all, err
}

// record writes what an entry adds to the audit log and to the outbox.
func (c *core) record(t *sqlite.Tx, rows []agent.AuditRow, notes []agent.Notification) error {
	for _, row := range rows {
		if err := insertAudit(t, row); err != nil {
			return fmt.Errorf("write audit: %w", err)
		}
	}
	if err := c.postNotifications(t, notes); err != nil {
		return fmt.Errorf("write notifications: %w", err)
	}
	return nil
}
