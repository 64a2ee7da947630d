package looptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/guards"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/service"
	"fusebox/store"
)

// TestMain lets the test binary be a process that is killed at a chosen point.
func TestMain(m *testing.M) {
	dir := os.Getenv("FUSEBOX_CRASH_DIR")
	if dir == "" {
		agenttest.Prepare()
		os.Exit(m.Run())
	}
	if err := crashChild(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// crashPoint is where a process kills itself.
type crashPoint string

const (
	beforeAnswer  crashPoint = "before the answer is stored"
	beforeReaders crashPoint = "stored, and no reader has heard of it"
	beforeCall    crashPoint = "claimed, and nothing is done"
	beforeResult  crashPoint = "done, and nothing is returned"
	afterResult   crashPoint = "the result is stored, and the run stands"
	whileWaiting  crashPoint = "while it waits for a person"
	whileDeciding crashPoint = "while a decision is committed"
)

var crashPoints = []crashPoint{beforeAnswer, beforeReaders, beforeCall, beforeResult, afterResult, whileWaiting, whileDeciding}

// The conversations of one process, the calls of each that have an effect, and
// how often a point is passed at least in a life without a crash.
const (
	crashTalks   = 3
	crashEffects = 4
	crashPasses  = 5
)

// crashTurns is what the model says in each conversation.
func crashTurns() []agenttest.Turn {
	call := func(id, tool string) agent.CallRequest { return agenttest.Call(id, tool, `{"call":"`+id+`"}`) }
	return []agenttest.Turn{
		{Text: "First.", Calls: []agent.CallRequest{call("a", "mark"), call("b", "look"), call("c", "mark")}},
		{Calls: []agent.CallRequest{call("d", "mark")}},
		{Text: "Now the last one.", Calls: []agent.CallRequest{call("e", "look"), call("f", "mark")}},
		{Text: "All is done."},
	}
}

// child is a process that works off some conversations, and decides what they ask.
type child struct {
	dir     string
	point   crashPoint
	left    chan struct{} // how often the point is passed before it kills
	store   *store.Store
	service agenttest.Commands
	runner  *loop.Runner
}

// passes kills the process with all that is in it when a point is passed for
// the chosen time.
func (c *child) passes(p crashPoint) {
	if p != c.point {
		return
	}
	select {
	case <-c.left:
	default:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func markFile(dir string) string { return filepath.Join(dir, "marks") }

// mark is the effect that must happen once: a line with the call's key, on the disk.
func (c *child) mark(_ context.Context, in agent.ToolInput) agent.ToolResult {
	c.passes(beforeCall)
	f, err := os.OpenFile(markFile(c.dir), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(in.IdempotencyKey + "\n")
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		return agent.ToolResult{Content: err.Error(), ErrorType: agent.ErrExecution}
	}
	c.passes(beforeResult)
	return agent.ToolResult{Content: "marked " + string(in.Args)}
}

// marks are the keys of what has happened.
func marks(dir string) []string {
	text, _ := os.ReadFile(markFile(dir)) // there is none before the first effect
	var keys []string
	for line := range bytes.Lines(text) {
		keys = append(keys, string(bytes.TrimSpace(line)))
	}
	return keys
}

// crashJournal passes the points around the entries of a run.
type crashJournal struct {
	agent.Journal
	*child
}

func (j crashJournal) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	has := func(event agent.CallEvent) bool {
		return slices.ContainsFunc(e.Calls, func(c agent.CallChange) bool { return c.Event == event })
	}
	if has(agent.CallAsked) {
		j.passes(beforeAnswer)
	}
	done, err := j.Journal.Append(ctx, e)
	if err == nil && has(agent.CallReturned) {
		j.passes(afterResult)
	}
	return done, err
}

// crashStore dies at any moment around the commit of a decision.
type crashStore struct {
	agenttest.CommandStore
	*child
}

func (s crashStore) ChangeApproval(ctx context.Context, e agent.ApprovalUpdate) (*agent.Approval, error) {
	if s.point == whileDeciding {
		go func() {
			time.Sleep(rand.N(4 * time.Millisecond)) // any moment is the right one
			s.passes(whileDeciding)
		}()
	}
	return s.CommandStore.ChangeApproval(ctx, e)
}

func (c *child) committed(events []agent.Event) {
	for _, e := range events {
		if m, ok := e.Data.(agent.MessageEvent); ok && len(m.Message.ToolCalls) > 0 {
			c.passes(beforeReaders)
		}
	}
}

// crashChild is the whole life of such a process.
func crashChild(dir string) error {
	after, err := strconv.Atoi(os.Getenv("FUSEBOX_CRASH_AFTER"))
	if err != nil {
		return err
	}
	c := &child{dir: dir, point: crashPoint(os.Getenv("FUSEBOX_CRASH_POINT")), left: make(chan struct{}, after)}
	for range after {
		c.left <- struct{}{}
	}
	ctx := context.Background()
	if err := c.open(ctx); err != nil {
		return err
	}
	if err := c.begin(ctx); err != nil {
		return err
	}
	go c.runner.Run(ctx, time.Second)
	return c.review(ctx)
}

func (c *child) open(ctx context.Context) (err error) {
	id := func() string { return ulid.Make().String() }
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	c.store, err = store.Open(ctx, store.Options{
		Path: filepath.Join(c.dir, "f.db"), Clock: agent.SystemClock{}, NewID: id, Logger: log, OnCommit: c.committed,
	})
	if err != nil {
		return err
	}
	tools := newToolbox()
	tools.specs = append(tools.specs, agent.ToolSpec{Name: "mark", Effect: agent.EffectExec})
	tools.do["mark"] = c.mark
	model := agenttest.Script(crashTurns()...)
	model.Stateless = true
	engine := &loop.Loop{
		Journal: crashJournal{c.store, c}, Provider: model, Counter: model, Tools: tools, Policy: policy.New(),
		Guards: guards.All, Streams: guards.Streams, Reminder: guards.Reminder, Clock: agent.SystemClock{}, NewID: id, Log: log,
		Settings: loop.Settings{
			Guards: agent.DefaultGuardSettings(), Parallel: 8, MaxOutput: 1000, ApprovalTimeout: time.Hour,
			Price: func(string) (agent.Price, bool) { return agent.Price{}, true },
		},
	}
	c.runner = &loop.Runner{Loop: engine, Clock: agent.SystemClock{}, Log: log, Owner: id(), Lease: time.Minute, Parallel: crashTalks}
	c.service = agenttest.NewCommands(crashStore{c.store, c}, c.runner, tools, agent.SystemClock{}, id)
	c.service.Limits, c.service.Guards = agent.Limits{Tokens: 200_000}, engine.Settings.Guards
	c.service.Timeout, c.service.Policy = time.Hour, engine.Policy
	return nil
}

// begin writes the first messages, or takes over what another process has left.
func (c *child) begin(ctx context.Context) error {
	if n, err := c.store.CountUsers(ctx); err != nil || n > 0 {
		_, recoverErr := c.store.RecoverLeases(ctx)
		return errors.Join(err, recoverErr)
	}
	for _, v := range []agent.Viewer{ana, rex} {
		if err := c.store.CreateUser(ctx, agent.User{ID: v.UserID, Email: v.Email, Role: v.Role, CreatedAt: time.Now()}, "x"); err != nil {
			return err
		}
	}
	for i := range crashTalks {
		conv := agent.Conversation{
			ID: crashTalk(i), OwnerID: ana.UserID, ApprovalMode: agent.ModeDefault, CreatedAt: time.Now(), UpdatedAt: time.Now(),
		}
		if err := c.store.CreateConversation(ctx, conv); err != nil {
			return err
		}
		if _, err := c.service.Post(ctx, ana, service.Post{ConversationID: conv.ID, Content: "Do it."}); err != nil {
			return err
		}
	}
	return nil
}

func crashTalk(i int) string { return fmt.Sprint("talk", i) }

// review decides what is asked until all runs are over. A process that is to be
// killed while it waits decides nothing from some point on, and says that it waits.
func (c *child) review(ctx context.Context) error {
	decided := 0
	for {
		active := 0
		for i := range crashTalks {
			run, err := c.store.ActiveRun(ctx, crashTalk(i))
			switch {
			case agent.CodeOf(err) == agent.NotFound:
			case err != nil:
				return err
			case run.Status != agent.StatusPaused:
				active = crashTalks + 1 // it does not wait
			default:
				active++
			}
		}
		if active == 0 {
			return c.store.Close()
		}
		if c.point == whileWaiting && decided >= cap(c.left) {
			if active <= crashTalks {
				fmt.Println("waiting")
				select {}
			}
		} else if n, err := c.decide(ctx); err != nil {
			return err
		} else {
			decided += n
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// decide answers everything that is pending: calls may run, and of a call that
// was cut off it looks whether it has happened.
func (c *child) decide(ctx context.Context) (int, error) {
	cards, _, err := c.store.Approvals(ctx, rex, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{Limit: 100})
	if err != nil {
		return 0, err
	}
	for _, card := range cards {
		dec := agent.Decision{Verb: agent.DecideApprove, ArgsHash: card.ArgsHash, Generation: card.Generation}
		if card.Kind == agent.KindOutcome && slices.Contains(marks(c.dir), card.RunID+"/"+card.ToolCallID) {
			dec.Verb, dec.Answer = agent.DecideAnswer, "it happened"
		}
		if _, err := c.service.Decide(ctx, rex, card.ID, dec); err != nil {
			return 0, err
		}
	}
	return len(cards), nil
}
