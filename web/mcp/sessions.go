package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
)

// The bounds of sessions: how many there are, and of one person, how many calls one has
// at work, and how long one is kept that nobody uses.
const (
	maxSessions = 1000
	maxOfPerson = 32
	maxCalls    = 16
	sessionIdle = 10 * time.Minute
)

var (
	errStopping = errors.New("the server is stopping")
	errHungUp   = errors.New("the session was ended")
)

// seat is the place of a session.
type seat struct {
	session *sdk.ServerSession
	owner   agent.Viewer
	used    time.Time
	calls   int
	// ended is over when the session is.
	ended context.Context
	end   context.CancelFunc
}

// sessions knows those that are open. Many clients never end theirs: where a person has
// too many, the one that was not used for longest makes room.
type sessions struct {
	mu    sync.Mutex
	seats map[*sdk.ServerSession]*seat
}

// open gives a session a seat, which it leaves when it ends.
func (x *sessions) open(ss *sdk.ServerSession, owner agent.Viewer) error {
	idle, err := x.take(ss, owner)
	if err != nil {
		return err
	}
	if idle != nil {
		go idle.close()
	}
	go func() {
		_ = ss.Wait() // how it ended does not matter
		x.leave(ss)
	}()
	return nil
}

// take takes a seat, and returns the one that has to make room for it.
func (x *sessions) take(ss *sdk.ServerSession, owner agent.Viewer) (idle *seat, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for _, k := range x.seats {
		if k.owner.UserID != owner.UserID {
			continue
		}
		n++
		if k.calls == 0 && (idle == nil || k.used.Before(idle.used)) {
			idle = k
		}
	}
	switch {
	case n < maxOfPerson && len(x.seats) >= maxSessions:
		return nil, errors.New("too many sessions are open on this server; try again in a few minutes")
	case n < maxOfPerson:
		idle = nil
	case idle == nil:
		return nil, errors.New("too many of your sessions are at work; end one, or wait until one has finished")
	default:
		delete(x.seats, idle.session)
	}
	ended, end := context.WithCancel(context.Background())
	x.seats[ss] = &seat{session: ss, owner: owner, used: time.Now(), ended: ended, end: end}
	return idle, nil
}

func (x *sessions) leave(ss *sdk.ServerSession) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if k := x.seats[ss]; k != nil {
		k.end()
		delete(x.seats, ss)
	}
}

// begin notes a call, and returns what ends with its session; done is to be called
// after it. A request that stands for itself has no seat.
func (x *sessions) begin(ss *sdk.ServerSession) (ended context.Context, done func(), err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	k := x.seats[ss]
	if k == nil {
		return context.Background(), func() {}, nil
	}
	if k.calls >= maxCalls {
		return nil, nil, errors.New("too many calls at the same time; wait until one has finished")
	}
	k.calls++
	return k.ended, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		k.calls--
		k.used = time.Now()
	}, nil
}

// hangUp ends what the calls of a session wait for, so that it can be closed at once.
func (x *sessions) hangUp(id string, by agent.Viewer) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, k := range x.seats {
		if k.session.ID() == id && k.owner.UserID == by.UserID && k.owner.Token == by.Token {
			k.end()
		}
	}
}

func (x *sessions) endAll() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, k := range x.seats {
		go k.close()
	}
}

func (k *seat) close() {
	k.end()
	_ = k.session.Close() // it is over either way
}
