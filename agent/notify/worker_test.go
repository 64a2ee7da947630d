package notify

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// memOutbox is an outbox that tests can look into. It tells each settled try on settled.
type memOutbox struct {
	mu      sync.Mutex
	rows    map[string]agent.Delivery
	looks   int  // at what is due
	broken  bool // settling fails, as when the process dies before it
	settled chan agent.Delivery
}

func newOutbox(rows ...agent.Delivery) *memOutbox {
	o := &memOutbox{rows: map[string]agent.Delivery{}, settled: make(chan agent.Delivery, 100)}
	for _, d := range rows {
		d.State = agent.DeliveryPending
		o.rows[d.ID] = d
	}
	return o
}

func (o *memOutbox) ClaimDeliveries(_ context.Context, c agent.Channel, now, until time.Time, limit int) ([]agent.Delivery, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.looks++
	var claimed []agent.Delivery
	for id, d := range o.rows {
		if d.Channel == c && d.State == agent.DeliveryPending && !d.NextAt.After(now) && len(claimed) < limit {
			d.Attempts, d.NextAt = d.Attempts+1, until
			o.rows[id] = d
			claimed = append(claimed, d)
		}
	}
	return claimed, nil
}

func (o *memOutbox) FinishDelivery(_ context.Context, d agent.Delivery) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() { o.settled <- d }()
	if o.broken {
		return errors.New("the disk is gone")
	}
	o.rows[d.ID] = d
	return nil
}

func (o *memOutbox) breaks(broken bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.broken = broken
}

// next waits for the outcome of a try.
func (o *memOutbox) next(t *testing.T) agent.Delivery {
	t.Helper()
	return agenttest.Receive(t, "a try that is settled", o.settled)
}

// looksInVain has a worker look at what is due now, and finds that nothing is tried.
func (o *memOutbox) looksInVain(t *testing.T, w *Worker) {
	t.Helper()
	looks, before := o.seen()
	agenttest.Eventually(t, "a look that began now", func() bool {
		w.Wake()
		now, _ := o.seen()
		return now >= looks+2 // one may have begun before
	})
	if _, after := o.seen(); after != before {
		t.Fatalf("it was tried: %d attempts, then %d", before, after)
	}
}

func (o *memOutbox) seen() (looks, attempts int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range o.rows {
		attempts += d.Attempts
	}
	return o.looks, attempts
}

// senderFunc is a channel made of a function.
type senderFunc struct {
	channel agent.Channel
	send    func(context.Context, agent.Delivery) error
}

func (s senderFunc) Channel() agent.Channel                           { return s.channel }
func (s senderFunc) Send(ctx context.Context, d agent.Delivery) error { return s.send(ctx, d) }
func (s senderFunc) Close()                                           {}

// started runs a worker until the test ends.
func started(t *testing.T, clock agent.Clock, o Outbox, grace time.Duration, senders ...Sender) (w *Worker, stop func()) {
	t.Helper()
	w = New(clock, slog.New(slog.DiscardHandler), senders...)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx, o, grace)
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return w, stop
}

// TestTriesGetRarerAndEnd: twelve tries, each wait twice the one before up to an
// hour, then the delivery is dead and says why.
func TestTriesGetRarerAndEnd(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	o := newOutbox(agent.Delivery{ID: "d", Channel: agent.ChannelWebhook})
	w, _ := started(t, clock, o, 0, senderFunc{agent.ChannelWebhook, func(context.Context, agent.Delivery) error {
		return &failure{problem: "It is down."}
	}})
	var waits []time.Duration
	d := o.next(t)
	for d.State == agent.DeliveryPending {
		wait := d.NextAt.Sub(clock.Now())
		waits = append(waits, wait)
		clock.Advance(wait - time.Millisecond)
		o.looksInVain(t, w)
		clock.Advance(time.Millisecond)
		w.Wake()
		d = o.next(t)
	}
	m := time.Minute
	want := []time.Duration{m / 2, m, 2 * m, 4 * m, 8 * m, 16 * m, 32 * m, 60 * m, 60 * m, 60 * m, 60 * m}
	if !slices.Equal(waits, want) {
		t.Errorf("waits %v\nwant  %v", waits, want)
	}
	if d.State != agent.DeliveryDead || d.Attempts != 12 || d.Problem != "It is down." {
		t.Errorf("in the end %+v", d)
	}
}

// TestAHangingChannelHoldsUpNoOther: while all tries of the webhook hang, e-mails go out.
func TestAHangingChannelHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	o := newOutbox()
	for _, id := range strings.Fields("1 2 3 4 5 6 7 8 9") {
		o.rows["w"+id] = agent.Delivery{ID: "w" + id, Channel: agent.ChannelWebhook, State: agent.DeliveryPending}
		o.rows["m"+id] = agent.Delivery{ID: "m" + id, Channel: agent.ChannelEmail, State: agent.DeliveryPending}
	}
	hanging := make(chan struct{}, 100)
	clock := agenttest.NewClock()
	_, stop := started(t, clock, o, 0,
		senderFunc{agent.ChannelWebhook, func(ctx context.Context, _ agent.Delivery) error {
			hanging <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}},
		senderFunc{agent.ChannelEmail, func(context.Context, agent.Delivery) error { return nil }})
	for range parallel {
		<-hanging
	}
	for range 9 {
		if d := o.next(t); d.Channel != agent.ChannelEmail || d.State != agent.DeliverySent {
			t.Errorf("settled %+v", d)
		}
	}
	if len(hanging) > 0 {
		t.Error("more tries at the same time than are allowed")
	}
	stop()
	for range parallel { // cut off by the end: due at once, not lost
		if d := o.next(t); d.State != agent.DeliveryPending || d.NextAt.After(clock.Now()) || !strings.Contains(d.Problem, "stopped") {
			t.Errorf("after the stop %+v", d)
		}
	}
}

// TestOneDeliveryIsTriedByOne: a try that takes its time is not made a second
// time beside the first, however often the worker is woken.
func TestOneDeliveryIsTriedByOne(t *testing.T) {
	t.Parallel()
	o := newOutbox(agent.Delivery{ID: "d", Channel: agent.ChannelEmail})
	begun, goOn := make(chan struct{}, 10), make(chan struct{})
	w, _ := started(t, agenttest.NewClock(), o, time.Minute, senderFunc{agent.ChannelEmail, func(context.Context, agent.Delivery) error {
		begun <- struct{}{}
		<-goOn
		return nil
	}})
	<-begun
	for range 50 {
		w.Wake()
		runtime.Gosched()
	}
	close(goOn)
	if d := o.next(t); d.State != agent.DeliverySent || d.Attempts != 1 || len(begun) > 0 {
		t.Errorf("%+v, begun once more: %d", d, len(begun))
	}
}

// TestStopLetsTriesEnd: what is under way within the grace is sent and written down.
func TestStopLetsTriesEnd(t *testing.T) {
	t.Parallel()
	o := newOutbox(agent.Delivery{ID: "d", Channel: agent.ChannelEmail})
	clock := agenttest.NewClock()
	begun, goOn := make(chan struct{}), make(chan struct{})
	const grace = 17 * time.Second
	_, stop := started(t, clock, o, grace, senderFunc{agent.ChannelEmail, func(ctx context.Context, _ agent.Delivery) error {
		close(begun)
		select {
		case <-goOn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}})
	<-begun
	go stop()
	clock.Await(t, grace)
	close(goOn)
	if d := o.next(t); d.State != agent.DeliverySent {
		t.Errorf("%+v", d)
	}
}

// TestUnknownErrorsAreNotShown: an error that nobody has cleaned may hold a secret.
func TestUnknownErrorsAreNotShown(t *testing.T) {
	t.Parallel()
	o := newOutbox(agent.Delivery{ID: "d", Channel: agent.ChannelEmail})
	started(t, agenttest.NewClock(), o, 0, senderFunc{agent.ChannelEmail, func(context.Context, agent.Delivery) error {
		return errors.New("login with hunter2 failed")
	}})
	if d := o.next(t); strings.Contains(d.Problem, "hunter2") || d.Problem == "" {
		t.Errorf("problem %q", d.Problem)
	}
}
