package notify

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"fusebox/agent"
)

// Outbox is where deliveries wait.
type Outbox interface {
	// ClaimDeliveries takes what a channel has to deliver by now and counts the
	// attempt; no one else gets these rows before the time until.
	ClaimDeliveries(ctx context.Context, c agent.Channel, now, until time.Time, limit int) ([]agent.Delivery, error)
	// FinishDelivery records the outcome of an attempt.
	FinishDelivery(ctx context.Context, d agent.Delivery) error
}

// Sender delivers by one channel. It gives up when its context ends.
type Sender interface {
	Channel() agent.Channel
	Send(ctx context.Context, d agent.Delivery) error
	// Close lets go of connections that wait for another use.
	Close()
}

// The bounds of delivering. A claim outlasts the longest try and what it takes
// to write down its outcome.
const (
	parallel   = 4 // tries of one channel at the same time
	tryTimeout = 30 * time.Second
	claimFor   = time.Minute
	settleIn   = 5 * time.Second
	pollEvery  = time.Second
)

// When tries are repeated: after 30 s, then twice as long each time, at most an hour.
const (
	maxTries  = 12
	firstWait = 30 * time.Second
	maxWait   = time.Hour
)

// Worker delivers what is in the outbox.
type Worker struct {
	clock agent.Clock
	log   *slog.Logger
	lanes []*lane
}

// lane is one channel with its own tries, so that no channel waits for another.
type lane struct {
	sender Sender
	wake   chan struct{}
	slots  chan struct{}
}

// New makes a worker for the channels that are configured.
func New(clock agent.Clock, log *slog.Logger, senders ...Sender) *Worker {
	w := &Worker{clock: clock, log: log}
	for _, s := range senders {
		w.lanes = append(w.lanes, &lane{sender: s, wake: make(chan struct{}, 1), slots: make(chan struct{}, parallel)})
	}
	return w
}

// Wake says that something new may be due. It never blocks.
func (w *Worker) Wake() {
	for _, l := range w.lanes {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// Run delivers until ctx ends. What is in progress then has the grace period to come to
// its end; when Run returns, none of its goroutines is left.
func (w *Worker) Run(ctx context.Context, o Outbox, grace time.Duration) {
	tries, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var lanes sync.WaitGroup
	for _, l := range w.lanes {
		lanes.Go(func() { w.runLane(ctx, tries, l, o) })
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		lanes.Wait()
	}()
	<-ctx.Done()
	select {
	case <-done:
	case <-w.clock.After(grace):
		cancel()
		<-done
	}
}

// runLane claims as much as there are free slots, again and again.
func (w *Worker) runLane(ctx, tries context.Context, l *lane, o Outbox) {
	var busy sync.WaitGroup
	defer l.sender.Close()
	defer busy.Wait()
	for ctx.Err() == nil {
		free := l.take(ctx)
		if free == 0 {
			return
		}
		now := agent.Stamp(w.clock)
		claimed, err := o.ClaimDeliveries(ctx, l.sender.Channel(), now, now.Add(claimFor), free)
		if err != nil && ctx.Err() == nil {
			w.log.Error("claiming deliveries failed", "channel", l.sender.Channel(), "error", err)
		}
		for _, d := range claimed {
			busy.Go(func() {
				defer l.give(1)
				w.try(tries, l.sender, o, d)
			})
		}
		l.give(free - len(claimed))
		if len(claimed) < free {
			l.pause(ctx, w.clock)
		}
	}
}

// take waits for a slot, and takes what else is free. It is 0 once ctx ends.
func (l *lane) take(ctx context.Context) int {
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for n := 1; ; n++ {
		select {
		case l.slots <- struct{}{}:
		default:
			return n
		}
	}
}

func (l *lane) give(n int) {
	for range n {
		<-l.slots
	}
}

func (l *lane) pause(ctx context.Context, clock agent.Clock) {
	select {
	case <-ctx.Done():
	case <-l.wake:
	case <-clock.After(pollEvery):
	}
}

// try makes one attempt and stores its outcome. If that cannot be stored, the claim
// expires and the delivery is retried.
func (w *Worker) try(ctx context.Context, s Sender, o Outbox, d agent.Delivery) {
	sending, cancel := context.WithTimeout(ctx, tryTimeout)
	err := s.Send(sending, d)
	cancel()
	d = w.outcome(d, err, ctx.Err() != nil)
	log := w.log.With("delivery_id", d.ID, "event", d.Event, "channel", d.Channel, "attempts", d.Attempts)
	switch d.State {
	case agent.DeliverySent:
		log.Info("told")
	case agent.DeliveryDead:
		log.Error("notification failed for good", "problem", d.Problem)
	default:
		log.Warn("notification failed, retrying", "problem", d.Problem, "next_at", d.NextAt)
	}
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleIn)
	defer cancel()
	if err := o.FinishDelivery(writing, d); err != nil {
		log.Error("recording a delivery failed", "error", err)
	}
}

// outcome returns a delivery after an attempt. stopping says that the try was
// cut off by the end of the process: the next one begins where it left.
func (w *Worker) outcome(d agent.Delivery, err error, stopping bool) agent.Delivery {
	now := agent.Stamp(w.clock)
	if err == nil {
		d.State, d.SentAt, d.Problem, d.NextAt = agent.DeliverySent, now, "", time.Time{}
		return d
	}
	f, known := errors.AsType[*failure](err)
	if !known { // its text may contain anything, so it is not shown
		f = &failure{problem: "The attempt failed for an unknown reason."}
	}
	d.Problem = f.problem
	switch {
	case stopping:
		d.Problem, d.NextAt = "The server stopped during the attempt.", now
	case f.final || d.Attempts >= maxTries:
		d.State, d.NextAt = agent.DeliveryDead, time.Time{}
	default:
		d.NextAt = now.Add(min(max(backoff(d.Attempts), f.after), maxWait))
	}
	return d
}

func backoff(n int) time.Duration {
	wait := firstWait
	for range n - 1 {
		if wait *= 2; wait >= maxWait {
			return maxWait
		}
	}
	return wait
}

// failure is why a try failed, and what that means for the next one.
type failure struct {
	problem string // for people: without secrets, on one line, short
	final   bool   // trying again cannot help
	after   time.Duration
}

func (f *failure) Error() string { return f.problem }
