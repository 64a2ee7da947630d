package agenttest

import (
	"context"
	"testing"
	"time"

	"fusebox/agent"
)

// Journal is what the conformance suite needs of a store.
type Journal interface {
	agent.Journal
	CommandStore
	CreateUser(ctx context.Context, u agent.User, passwordHash string) error
	CreateConversation(ctx context.Context, c agent.Conversation) error
	Events(ctx context.Context, conversationID string, after int64, limit int) ([]agent.Event, error)
}

// journalCase is one promise of agent.Journal.
type journalCase struct {
	name string
	run  func(t *testing.T, j Journal, clock *Clock)
}

var journalCases = []journalCase{
	{"a message starts its run where there is a place", startsWithMessage},
	{"events are numbered without holes and come back as they were", numbersEvents},
	{"a stale fencing number is refused and nothing of the entry stands", refusesStale},
	{"a status that may not follow is refused", refusesIllegalStatus},
	{"a call moves by compare-and-set", movesCallsByCompareAndSet},
	{"a pause never overtakes a decision", pauseMeetsDecision},
	{"the first decision wins", firstDecisionWins},
	{"a lease that ran out is claimed with a higher epoch", claimsAfterLease},
	{"the same client id starts nothing twice", enqueuesOnce},
	{"one run of a conversation at a time", oneActiveRun},
	{"a snapshot has the branch, the calls and the approvals", snapshots},
	{"a replay from any point is the tail of the whole log", replaysFromAnywhere},
	{"a run of another conversation takes no entry", refusesForeignRun},
	{"a failing part takes the whole entry back", takesBackWhole},
	{"a snapshot's branch is the run's own, whatever came after", branchesOfRuns},
	{"grants reach as far as their scope, and never further than what was approved", grantsByScope},
	{"what let a call run is found again, and what it showed", findsLastAllowed},
	{"a decision that comes too late is told what stands", tellsWhatStands},
	{"a decision binds to the generation it was made on", bindsToGeneration},
	{"an abort wakes a paused run once and names the first who asked", abortsOnce},
	{"a takeover wakes a paused run once with its answer", takesOverOnce},
	{"a pause never overtakes an abort", pauseMeetsAbort},
	{"people see what is theirs, reviewers what they decide on", seesByRole},
	{"approvals that are due come in the order of their time", overdueInOrder},
	{"a decision may take effect later, and wakes its run then", takesEffectLater},
	{"a decision that is taken back pauses its run", undoPauses},
	{"a run sleeps no longer than until a decision takes effect", sleepLeavesLaterDecisions},
	{"a claim is refused where what it rests on was revoked", claimNeedsItsBasis},
	{"a change of an approval names the version it saw", versionsDecide},
	{"a run that waits is claimed when its time has come", wakesInTime},
	{"an abort wakes a run that waits, and no wait overtakes it", abortWakes},
	{"a run knows what it has to deliver", keepsOutputs},
	{"a call gets the output that its budgets leave", lowersOutput},
	{"a call that does not fit is refused with the budget in its way", refusesBeyondBudget},
	{"the tokens of a conversation count over its runs", countsConversation},
	{"only who owns a run reserves for it", reservesForOwnRuns},
}

// TestJournal checks a journal against all promises of agent.Journal and
// CommandStore. open makes an empty one on the clock.
func TestJournal(t *testing.T, open func(t *testing.T, clock *Clock) Journal) {
	t.Helper()
	for _, tc := range journalCases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			clock := NewClock()
			tc.run(t, open(t, clock), clock)
		})
	}
}

// start makes a user, a conversation and a claimed run in it.
func start(t *testing.T, j Journal, clock *Clock) *agent.Run {
	t.Helper()
	ctx := t.Context()
	must(t, j.CreateUser(ctx, agent.User{ID: "u", Email: "ana@example.org", Role: agent.RoleUser, CreatedAt: clock.Now()}, "x"))
	must(t, j.CreateConversation(ctx, agent.Conversation{
		ID: "c", OwnerID: "u", ApprovalMode: agent.ModeDefault, CreatedAt: clock.Now(), UpdatedAt: clock.Now(),
	}))
	_, err := j.Enqueue(ctx, prompt("1"))
	must(t, err)
	run, err := j.Claim(ctx, "p1", time.Minute)
	must(t, err)
	return run
}

func prompt(n string) agent.NewMessage {
	return agent.NewMessage{
		ConversationID: "c", UserID: "u", MessageID: "m" + n, RunID: "r" + n, ClientID: "client" + n,
		Content: "question " + n, Model: "demo", Limits: agent.Limits{Steps: 5, Tokens: 1000}, Title: "question",
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code agent.Code) {
	t.Helper()
	if agent.CodeOf(err) != code {
		t.Fatalf("error %v, want code %s", err, code)
	}
}

func entry(run *agent.Run, data ...agent.EventData) agent.Change {
	e := agent.Change{ConversationID: "c", RunID: run.ID, Epoch: run.Epoch}
	for _, d := range data {
		e.Events = append(e.Events, agent.Event{RunID: run.ID, Step: 1, Data: d})
	}
	return e
}

// commit appends a change that has to be taken.
func commit(t *testing.T, j Journal, c agent.Change) {
	t.Helper()
	_, err := j.Append(t.Context(), c)
	must(t, err)
}

func snapshot(t *testing.T, j Journal, runID string) *agent.Snapshot {
	t.Helper()
	snap, err := j.Snapshot(t.Context(), runID)
	must(t, err)
	return snap
}
