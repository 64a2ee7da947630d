package service

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
)

// Approvals are the commands about approvals: decisions and their undoing, rules that last,
// and what time does to those that nobody decides.
type Approvals struct {
	Store  DecisionStore
	Runner Waker
	Tools  agent.Toolbox
	Clock  agent.Clock
	NewID  agent.NewID
	// Policy judges edited arguments.
	Policy agent.Policy
	// OwnerMayConfirm lets a conversation's owner decide low and medium risk.
	OwnerMayConfirm bool
	// FourEyes forbids to decide what one has asked for oneself.
	FourEyes bool
	// OnTimeout is what happens to an approval that no one decided in time, Timeout
	// that time; EscalateTo is the person it is escalated to shortly before.
	OnTimeout  agent.OnTimeout
	Timeout    time.Duration
	EscalateTo agent.Audience
	// UndoWindow is how long an approving decision can be undone before the call runs.
	UndoWindow time.Duration
}

// MayDecide reports whether the viewer's role gives them the right to decide a.
// A question is its owner's alone to answer.
func (s *Approvals) MayDecide(v agent.Viewer, a agent.Approval) bool {
	owner := a.OwnerID == v.UserID
	switch {
	case a.Kind == agent.KindQuestion:
		return owner
	case owner && s.FourEyes:
		return false
	}
	return v.Role.Reviews() || (owner && s.OwnerMayConfirm && a.Risk.AtMost(agent.RiskMedium))
}

// Decide commits a decision on an approval. NotFound for what the viewer may
// not see, Forbidden for what they may not decide, Conflict with Standing (an
// *Approval) for what is decided or has changed, Invalid for bad input; the
// approval stays pending unless the decision is committed. What needs two people
// stays pending after the first vote, and so do arguments edited by someone
// who may not approve their own work.
func (s *Approvals) Decide(ctx context.Context, v agent.Viewer, approvalID string, dec agent.Decision) (*agent.Approval, error) {
	a, err := s.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return nil, err
	}
	may := s.MayDecide(v, *a)
	switch {
	case !may && a.Kind == agent.KindQuestion:
		return nil, agent.Errorf(agent.Forbidden, "Only the owner of the conversation can answer this question.")
	case !may:
		return nil, agent.Errorf(agent.Forbidden, "Only a reviewer can decide a call of %s risk.", a.Risk)
	case a.Status != agent.ApprovalPending:
		return nil, showing(a, agent.Errorf(agent.Conflict, "%s", standingText(*a)))
	case dec.ArgsHash != "" && dec.ArgsHash != a.ArgsHash, dec.Generation != 0 && dec.Generation != a.Generation:
		return nil, showing(a, agent.Errorf(agent.Conflict, "The request has changed since it was shown. Review it and decide again."))
	}
	if err := checkDecision(*a, dec); err != nil {
		return nil, err
	}
	if err := checkNamed(*a, dec); err != nil {
		return nil, err
	}
	if a.Kind == agent.KindBudget && (dec.Verb == agent.DecideApprove || dec.Verb == agent.DecideResume) && !agent.MayRaise(v, *a) {
		return nil, agent.Errorf(agent.Forbidden, "Only an admin can raise this budget.")
	}
	e, err := s.entryOf(ctx, v, *a, dec)
	if err != nil {
		return nil, err
	}
	return s.commit(ctx, e)
}

// abort decides an approval, for somebody who may end its run, so that the run ends in a moment.
func (s *Approvals) abort(ctx context.Context, v agent.Viewer, approvalID string) error {
	a, err := s.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return err
	}
	e, err := s.entryOf(ctx, v, *a, agent.Decision{Verb: agent.DecideAbort})
	if err != nil {
		return err
	}
	_, err = s.commit(ctx, e)
	return err
}

// commit stores what was decided, and has the run go on.
func (s *Approvals) commit(ctx context.Context, e agent.ApprovalUpdate) (*agent.Approval, error) {
	done, err := s.Store.ChangeApproval(ctx, e)
	if err == nil {
		s.Runner.Wake()
	}
	return done, err
}

// showing is a refusal with the approval as it stands, from which the caller can go on.
func showing(a *agent.Approval, e *agent.Error) error {
	e.Current = a
	return e
}

// checkNamed has a program that lets a dangerous call run name what was shown, so that
// it approves nothing else.
func checkNamed(a agent.Approval, dec agent.Decision) error {
	decided := a
	decided.Decision, decided.Answer = dec.Verb, dec.Answer
	switch {
	case !dec.ByProgram || !releases(decided) || a.Risk != agent.RiskHigh && a.Risk != agent.RiskCritical:
		return nil
	case dec.Generation == 0:
		return agent.InvalidField("generation", "is missing; a call of %s risk is approved with the generation and argsHash that were shown", a.Risk)
	case dec.ArgsHash == "" && a.ArgsHash != "":
		return agent.InvalidField("argsHash", "is missing; a call of %s risk is approved with the generation and argsHash that were shown", a.Risk)
	default:
		return nil
	}
}

// standingText says in a sentence what became of an approval.
func standingText(a agent.Approval) string {
	switch a.Status {
	case agent.ApprovalDecided:
		return "Already decided: " + string(a.Decision) + " by " + a.DecidedBy + " at " + a.DecidedAt.Format(time.RFC3339) + "."
	case agent.ApprovalExpired:
		return "This approval expired before anyone decided. Ask again first."
	case agent.ApprovalPending:
		return "It is waiting for a decision."
	default:
		return "This approval is " + string(a.Status) + "; its run has continued without it."
	}
}

// abortUndo is how long a person can undo that they have aborted a waiting run.
const abortUndo = 10 * time.Second

// entryOf returns the update of an approval for a decision that was checked.
func (s *Approvals) entryOf(ctx context.Context, v agent.Viewer, a agent.Approval, dec agent.Decision) (agent.ApprovalUpdate, error) {
	to := a
	to.Status, to.Decision, to.Comment, to.RaiseTokensBy = agent.ApprovalDecided, dec.Verb, dec.Comment, dec.RaiseTokensBy
	to.RaiseMicrosBy = dec.RaiseMicrosBy
	to.Answer, to.N, to.Scope = dec.Answer, dec.N, agent.Scope(cmp.Or(string(dec.Scope), string(agent.ScopeOnce)))
	if dec.Verb == agent.DecideEdit && to.Scope != agent.ScopeRun {
		to.Scope = agent.ScopeOnce // edited arguments cover no other call
	}
	to.DecidedBy, to.DecidedAt = v.Email, agent.Stamp(s.Clock)
	if dec.Verb == agent.DecideEdit {
		return s.edit(ctx, v, a, to, dec)
	}
	if a.Kind == agent.KindQuestion && dec.Verb == agent.DecideAnswer {
		var err error
		if to.Answer, err = answerOf(a, dec); err != nil {
			return agent.ApprovalUpdate{}, err
		}
	}
	if dec.Verb == agent.DecideAbort && !dec.ByProgram {
		to.EffectiveAt = to.DecidedAt.Add(abortUndo)
	}
	if !releases(to) {
		return s.closingUpdate(v, to), nil
	}
	return s.approve(ctx, v, a, to, dec)
}

// releases reports whether a decision lets a call run.
func releases(a agent.Approval) bool {
	switch a.Decision {
	case agent.DecideApprove, agent.DecideEdit:
		return a.Kind == agent.KindTool || a.Kind == agent.KindOutcome || a.ToolCallID != ""
	case agent.DecideResume:
		return a.ToolCallID != "" && a.Answer != agent.ResumeFinishNow
	default:
		return false
	}
}

// approve counts an approving decision. Where more people are needed it is a
// vote, and the approval stays pending.
func (s *Approvals) approve(ctx context.Context, v agent.Viewer, a, to agent.Approval, dec agent.Decision) (agent.ApprovalUpdate, error) {
	others, err := s.others(ctx, v, a)
	if err != nil {
		return agent.ApprovalUpdate{}, err
	}
	voted := slices.ContainsFunc(a.Votes, func(w agent.Vote) bool { return w.By == v.Email })
	switch {
	case a.Author == v.Email && others > 0:
		return agent.ApprovalUpdate{}, agent.Errorf(agent.Forbidden, "You edited these arguments, so another reviewer has to approve them.")
	case voted && others > 0:
		return agent.ApprovalUpdate{}, agent.Errorf(agent.Forbidden, "You have already approved this; another reviewer is needed as well.")
	}
	if !voted { // else they are the only one left
		to.Votes = append(slices.Clone(a.Votes), agent.Vote{By: v.Email, At: to.DecidedAt, Comment: dec.Comment})
	}
	if needs := agent.NeededVotes(a.Risk, others+1); len(to.Votes) < needs {
		a.Votes, a.Needs = to.Votes, needs
		return agent.ApprovalUpdate{
			To: a, Events: []agent.EventData{a.Requested()},
			Audit: []agent.AuditRow{s.auditRow(v, "approval.vote", a, map[string]any{"votes": len(a.Votes), "needs": needs})},
		}, nil
	}
	if s.UndoWindow > 0 {
		to.EffectiveAt = to.DecidedAt.Add(s.UndoWindow)
	}
	rule, err := s.extend(ctx, v, &to, dec)
	if err != nil {
		return agent.ApprovalUpdate{}, err
	}
	e := s.closingUpdate(v, to) // what it covers is in its line of the audit log
	if e.Rule = rule; rule != nil {
		detail := to.DecisionDetail(to.Decision)
		detail["rule"], detail["for"] = rule.ID, cmp.Or(rule.Who, string(agent.ForEverybody))
		e.Audit = []agent.AuditRow{s.auditRow(v, "approval.decide", to, detail)}
	}
	return e, nil
}

// others counts the people who may approve, other than the viewer and the author of
// edited arguments.
func (s *Approvals) others(ctx context.Context, v agent.Viewer, a agent.Approval) (int, error) {
	without := []string{v.Email}
	if a.Author != "" {
		without = append(without, a.Author)
	}
	if s.FourEyes {
		without = append(without, a.OwnerEmail)
	}
	return s.Store.CountDeciders(ctx, without)
}

// closingUpdate is a decision as it is committed.
func (s *Approvals) closingUpdate(v agent.Viewer, a agent.Approval) agent.ApprovalUpdate {
	decision := a.Decision
	if a.Status == agent.ApprovalExpired {
		decision = agent.Verb(agent.ApprovalExpired)
	}
	return agent.ApprovalUpdate{
		To: a, Frees: a.Status == agent.ApprovalDecided, WakeAt: a.EffectiveAt,
		Events: []agent.EventData{agent.ApprovalDecidedEvent{
			ApprovalID: a.ID, Kind: string(a.Kind), ToolCallID: a.ToolCallID, Decision: string(decision),
			DecidedBy: cmp.Or(a.DecidedBy, agent.System), Comment: a.Comment, UndoUntil: a.EffectiveAt,
			Scope: a.CoverScope(), Covers: a.Covers, Answer: a.ToldAnswer(),
		}},
		Audit:  []agent.AuditRow{s.auditRow(v, "approval.decide", a, a.DecisionDetail(decision))},
		Notify: []agent.Notification{agent.NewNotification(agent.NotifyDecided, a, agent.ToNobody, a.DecidedAt)},
	}
}

// auditRow is a line of the audit log about what a person does with an approval.
func (s *Approvals) auditRow(v agent.Viewer, action string, a agent.Approval, more map[string]any) agent.AuditRow {
	detail := a.AuditDetail()
	maps.Copy(detail, more)
	return agent.AuditRow{
		ID: s.NewID(), At: agent.Stamp(s.Clock), Actor: v.Email, Role: v.Role, Action: action, Target: a.ID,
		Place: v.Place, Shown: a.ShownHash(), Detail: string(agent.MustJSON(detail)),
	}
}

// argsError points the problems of edited arguments at the field args.
func argsError(err error) error {
	var e *agent.Error
	if !errors.As(err, &e) || e.Code != agent.Invalid {
		return err
	}
	out := agent.Errorf(agent.Invalid, "The edited arguments do not fit the tool: %s", e.Message)
	for _, f := range e.Fields {
		out.Fields = append(out.Fields, agent.FieldError{Field: strings.TrimSuffix("args."+f.Field, "."), Detail: f.Detail})
	}
	return out
}
