package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

const deliveryColumns = `id, event, approval_id, conversation_id, channel, receiver, payload, state, attempts, next_at, problem, created_at, sent_at,
	coalesce((SELECT u.language FROM users u WHERE u.email = outbox.receiver), '')`

func scanDelivery(r sqlite.Scanner) (agent.Delivery, error) {
	var d agent.Delivery
	var payload string
	var next, created, sent int64
	err := r.Scan(&d.ID, &d.Event, &d.ApprovalID, &d.ConversationID, &d.Channel, &d.Receiver, &payload, &d.State,
		&d.Attempts, &next, &d.Problem, &created, &sent, &d.Language)
	d.Payload = []byte(payload)
	d.CreatedAt, d.SentAt = sqlite.FromMS(created), sqlite.FromMS(sent)
	if d.State == agent.DeliveryPending {
		d.NextAt = sqlite.FromMS(next)
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
		claimed = nil
		return t.Each(func(r sqlite.Scanner) error {
			d, err := scanDelivery(r)
			claimed = append(claimed, d)
			return err
		}, `UPDATE outbox SET attempts = attempts + 1, next_at = $1 WHERE id IN (
			SELECT id FROM outbox WHERE state = 'pending' AND channel = $2 AND next_at <= $3 ORDER BY next_at, id LIMIT $4)
			RETURNING `+deliveryColumns, sqlite.MS(until), c, sqlite.MS(now), limit)
	})
	slices.SortFunc(claimed, func(a, b agent.Delivery) int { return cmp.Compare(a.ID, b.ID) })
	return claimed, err
}

// FinishDelivery records the outcome of an attempt. A try that took so long that
// another one has begun changes nothing.
func (s *Outbox) FinishDelivery(ctx context.Context, d agent.Delivery) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		_, err := t.Exec(`UPDATE outbox SET state = $1, next_at = $2, problem = $3, sent_at = $4
			WHERE id = $5 AND attempts = $6 AND state = 'pending'`, d.State, sqlite.MS(d.NextAt), d.Problem, sqlite.MS(d.SentAt), d.ID, d.Attempts)
		return err
	})
}

// Deliveries lists notifications sent outside, newest first.
func (s *Outbox) Deliveries(ctx context.Context, f agent.DeliveryFilter, p agent.Page) ([]agent.Delivery, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err != nil {
		return nil, "", err
	}
	limit, w := limitOf(p), &where{}
	w.and(`id < `, from.id, ``)
	if f.State != "" {
		w.and(`state = `, f.State, ``)
	}
	if f.Channel != "" {
		w.and(`channel = `, f.Channel, ``)
	}
	query := `SELECT ` + deliveryColumns + ` FROM outbox ` + w.String() + w.param(` ORDER BY id DESC LIMIT `, limit+1)
	items, err := sqlite.List(ctx, s.db, scanDelivery, query, w.args...)
	if err != nil {
		return nil, "", err
	}
	items, next := page(items, limit, func(d agent.Delivery) cursor { return cursor{id: d.ID} })
	return items, next, nil
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
