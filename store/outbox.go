package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

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
	return sqlite.ListIn(t, sqlite.ScanString, query, args...)
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

const deliveryColumns = `id, event, approval_id, conversation_id, channel, receiver, payload, state, attempts, next_at, problem, created_at, sent_at,
	coalesce((SELECT u.language FROM users u WHERE u.email = outbox.receiver), '')`

func scanDelivery(r sqlite.Scanner) (d agent.Delivery, err error) {
	var payload string
	var next time.Time
	err = r.Scan(&d.ID, &d.Event, &d.ApprovalID, &d.ConversationID, &d.Channel, &d.Receiver, &payload, &d.State,
		&d.Attempts, sqlite.Time(&next), &d.Problem, sqlite.Time(&d.CreatedAt), sqlite.Time(&d.SentAt), &d.Language)
	d.Payload = []byte(payload)
	if d.State == agent.DeliveryPending {
		d.NextAt = next
	}
	return d, err
}

// ClaimDeliveries takes what a channel has to deliver by now, the oldest first,
// and counts the attempt. No one else gets these rows before the time until; if
// they are not settled by then, as after a crash, they are due again.
func (s *Outbox) ClaimDeliveries(ctx context.Context, c agent.Channel, now, until time.Time, limit int) ([]agent.Delivery, error) {
	some, err := sqlite.List(ctx, s.db, sqlite.ScanString, `SELECT id FROM outbox WHERE state = 'pending' AND channel = $1 AND next_at <= $2 LIMIT 1`, c, sqlite.MS(now))
	if err != nil || len(some) == 0 { // a look costs the writer nothing
		return nil, err
	}
	var claimed []agent.Delivery
	err = s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		claimed, err = sqlite.ListIn(t, scanDelivery, `UPDATE outbox SET attempts = attempts + 1, next_at = $1 WHERE id IN (
			SELECT id FROM outbox WHERE state = 'pending' AND channel = $2 AND next_at <= $3 ORDER BY next_at, id LIMIT $4)
			RETURNING `+deliveryColumns, sqlite.MS(until), c, sqlite.MS(now), limit)
		return err
	})
	slices.SortFunc(claimed, func(a, b agent.Delivery) int { return cmp.Compare(a.ID, b.ID) })
	return claimed, err
}

// FinishDelivery records the outcome of an attempt. A try that took so long that
// another one has begun changes nothing.
func (s *Outbox) FinishDelivery(ctx context.Context, d agent.Delivery) error {
	return s.db.Exec(ctx, true, `UPDATE outbox SET state = $1, next_at = $2, problem = $3, sent_at = $4
		WHERE id = $5 AND attempts = $6 AND state = 'pending'`, d.State, sqlite.MS(d.NextAt), d.Problem, sqlite.MS(d.SentAt), d.ID, d.Attempts)
}

// Deliveries lists notifications sent outside, newest first.
func (s *Outbox) Deliveries(ctx context.Context, f agent.DeliveryFilter, p agent.Page) ([]agent.Delivery, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err != nil {
		return nil, "", err
	}
	limit, w := limitOf(p), &where{}
	w.And(`id < `, from.id, ``)
	w.AndIf(f.State != "", `state = `, f.State)
	w.AndIf(f.Channel != "", `channel = `, f.Channel)
	query := `SELECT ` + deliveryColumns + ` FROM outbox ` + w.String() + w.Param(` ORDER BY id DESC LIMIT `, limit+1)
	items, err := sqlite.List(ctx, s.db, scanDelivery, query, w.Args...)
	return page(items, err, limit, func(d agent.Delivery) cursor { return cursor{id: d.ID} })
}

// Resend sends a delivery that is at its end once more, as a new one with an
// idempotency key of its own, and returns its id. NotFound where there is none,
// Conflict while it is on its way or where its channel is not configured any more.
func (s *Outbox) Resend(ctx context.Context, actor, id string) (string, error) {
	fresh := s.newID()
	err := s.audited(ctx, actor, "notify.resend", id, map[string]string{"delivery": fresh}, func(t *sqlite.Tx) error {
		d, err := scanDelivery(t.Row(`SELECT `+deliveryColumns+` FROM outbox WHERE id = $1`, id))
		if err != nil {
			return sqlite.NotFound(err, "There is no such delivery; those of more than a month ago are gone.")
		}
		if d.State == agent.DeliveryPending {
			return agent.Errorf(agent.Conflict, "This delivery is still in progress and is retried automatically.")
		}
		return s.repost(t, fresh, d)
	})
	return fresh, err
}

// PostTest sends a test through a channel and returns the id of its delivery;
// Conflict where the channel is not configured.
func (s *Outbox) PostTest(ctx context.Context, actor string, c agent.Channel) (string, error) {
	fresh := s.newID()
	d := agent.Delivery{Event: agent.NotifyTest, Channel: c, Payload: agent.TestPayload(actor, agent.Stamp(s.clock))}
	if c == agent.ChannelEmail {
		d.Receiver = actor
	}
	err := s.audited(ctx, actor, "notify.test", fresh, map[string]agent.Channel{"channel": c}, func(t *sqlite.Tx) error {
		return s.repost(t, fresh, d)
	})
	return fresh, err
}

// repost writes a delivery that is to start over.
func (c *core) repost(t *sqlite.Tx, id string, d agent.Delivery) error {
	if !c.channels.has(d.Channel) {
		return agent.Errorf(agent.Conflict, "The channel %s is not configured. Set it in the configuration and restart the server.", d.Channel)
	}
	n := agent.Notification{Event: d.Event, ApprovalID: d.ApprovalID, ConversationID: d.ConversationID, Payload: d.Payload}
	if d.Channel == agent.ChannelEmail {
		var err error
		if n, err = shownTo(t, n, d.Receiver); err != nil { // they may have been allowed to see more when it was written
			return err
		}
	}
	return insertDelivery(t, id, n, d.Channel, d.Receiver)
}

// pruneDeliveries bounds how many deliveries one call of PruneDeliveries removes.
const pruneDeliveries = 1000

// PruneDeliveries removes notifications from before the given time, alerts
// too, a bounded number at a time; what is that old and still pending helps no one.
func (s *Outbox) PruneDeliveries(ctx context.Context, before time.Time) error {
	return s.db.Write(ctx, false, func(t *sqlite.Tx) error {
		_, err := t.Exec(`DELETE FROM outbox WHERE id IN (
			SELECT id FROM (SELECT id, created_at FROM outbox ORDER BY id LIMIT $1) AS oldest WHERE created_at < $2)`, pruneDeliveries, sqlite.MS(before))
		if err != nil {
			return err
		}
		_, err = t.Exec(`DELETE FROM alerts WHERE id IN (SELECT id FROM alerts WHERE at < $1 ORDER BY at LIMIT $2)`, sqlite.MS(before), pruneDeliveries)
		return err
	})
}
