package present

import (
	"fmt"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// toolLabel says the state of a call in a word or two.
func toolLabel(tr *text.Printer, s agent.CallState, failure agent.ErrorType) string {
	switch s {
	case "":
		return tr.T("present.tool.writing")
	case agent.CallValidating:
		return tr.T("present.tool.checking")
	case agent.CallScheduled:
		return tr.T("present.tool.next")
	case agent.CallAwaiting:
		return tr.T("present.tool.awaiting")
	case agent.CallExecuting:
		return tr.T("present.tool.running")
	case agent.CallSuccess:
		return tr.T("present.tool.done")
	case agent.CallCancelled:
		return tr.T("present.tool.cancelled")
	case agent.CallUncertain:
		return tr.T("present.tool.uncertain")
	default:
		return failureLabel(tr, failure)
	}
}

func failureLabel(tr *text.Printer, t agent.ErrorType) string {
	switch t {
	case agent.ErrRejected:
		return tr.T("present.tool.refused")
	case agent.ErrTimeout:
		return tr.T("present.tool.timeout")
	case agent.ErrInvalidParams:
		return tr.T("present.tool.bad_arguments")
	case agent.ErrNotRegistered:
		return tr.T("present.tool.unknown")
	default:
		return tr.T("present.tool.failed")
	}
}

// ModeLabel says in words what asks first.
func ModeLabel(tr *text.Printer, m agent.ApprovalMode) string {
	switch m {
	case agent.ModeYolo:
		return tr.T("present.mode.yolo")
	case agent.ModeAutoEdit:
		return tr.T("present.mode.auto_edit")
	default:
		return tr.T("present.mode.default")
	}
}

// EffectLabel says what calls of an effect do.
func EffectLabel(tr *text.Printer, e agent.Effect) string {
	switch e {
	case agent.EffectRead:
		return tr.T("present.effect.read")
	case agent.EffectWrite:
		return tr.T("present.effect.write")
	case agent.EffectExec:
		return tr.T("present.effect.exec")
	case agent.EffectNetwork:
		return tr.T("present.effect.network")
	default:
		return tr.T("present.effect.unknown")
	}
}

// CardHead says what a card asks in a few words.
func CardHead(tr *text.Printer, a agent.Approval) string {
	switch a.Kind {
	case agent.KindLoop:
		return tr.T("present.card.loop")
	case agent.KindBudget:
		return budgetHead(tr, a)
	case agent.KindQuestion:
		if ev, err := a.QuestionEvidence(); err == nil && ev.HandOver {
			return tr.T("present.card.hand_over")
		}
		if server := a.AskingServer(); server != "" {
			return tr.T("present.card.server_question", server)
		}
		return tr.T("present.card.question")
	case agent.KindOutcome:
		return tr.T("present.card.outcome", a.ToolName)
	default:
		ev, _ := a.ToolEvidence()
		switch {
		case ev.Command != "":
			return tr.T("present.card.command")
		case ev.Rule == agent.BuiltIn(agent.RuleMinConfidence):
			return tr.T("present.card.unsure")
		}
		return tr.T("present.card.tool", a.ToolName)
	}
}

// settledWords say what became of an approval, in the words of its buttons.
func settledWords(tr *text.Printer, a agent.Approval) string {
	switch {
	case a.Decision == agent.DecideReject && a.Kind == agent.KindQuestion:
		return tr.T("present.settled.skipped")
	case a.Decision == agent.DecideReject && a.Kind == agent.KindBudget:
		return tr.T("present.settled.limit_kept")
	case a.Decision == agent.DecideResume && a.Kind == agent.KindLoop:
		return wayTaken(tr, a)
	default:
		return SettledVerb(tr, a.Decision)
	}
}

func wayTaken(tr *text.Printer, a agent.Approval) string {
	switch {
	case a.Answer == agent.ResumeFinishNow:
		return tr.T("present.settled.wrapped_up")
	case a.Answer == agent.ResumeAllowMore:
		return tr.T("present.settled.allowed_more")
	case a.Answer == agent.ResumeAsPolling:
		return tr.T("present.settled.polling")
	case a.Comment != "":
		return tr.T("present.settled.guided")
	default:
		return tr.T("present.settled.resumed")
	}
}

// SettledVerb is a decision in the past tense.
func SettledVerb(tr *text.Printer, d agent.Verb) string {
	switch d {
	case agent.DecideApprove:
		return tr.T("present.settled.approved")
	case agent.DecideEdit:
		return tr.T("present.settled.edited")
	case agent.DecideReject:
		return tr.T("present.settled.rejected")
	case agent.DecideAnswer:
		return tr.T("present.settled.answered")
	case agent.DecideResume:
		return tr.T("present.settled.resumed")
	case agent.DecideTakeover:
		return tr.T("present.settled.taken_over")
	case agent.DecideAbort:
		return tr.T("present.settled.aborted")
	default:
		return ""
	}
}

// settledTones are the tones of what decisions lead to.
var settledTones = map[agent.Verb]string{
	agent.DecideApprove: "good", agent.DecideEdit: "good", agent.DecideReject: "tripped", agent.DecideAnswer: "good",
	agent.DecideResume: "good", agent.DecideTakeover: "good", agent.DecideAbort: "tripped",
}

func settledOf(tr *text.Printer, a agent.Approval) *part.Settled {
	switch a.Status {
	case agent.ApprovalExpired:
		return &part.Settled{Tone: "warm", Verb: tr.T("present.settled.expired"), At: a.ExpiresAt}
	case agent.ApprovalCancelled:
		at := a.DecidedAt
		if at.IsZero() {
			at = a.RequestedAt
		}
		return &part.Settled{Tone: "warm", Verb: tr.T("present.settled.cancelled"), At: at}
	case agent.ApprovalPending, agent.ApprovalDecided:
	}
	return &part.Settled{
		Tone: settledTones[a.Decision], Verb: settledWords(tr, a), By: a.DecidedBy, Comment: a.Comment, At: a.DecidedAt,
	}
}

func waitOf(tr *text.Printer, e agent.Event) part.Wait {
	switch d := e.Data.(type) {
	case agent.RetryEvent:
		return part.Wait{Text: retryText(tr, d), Retry: true, Until: e.At.Add(time.Duration(d.DelayMS) * time.Millisecond)}
	case agent.FallbackEvent:
		if d.Model != "" {
			return part.Wait{Text: tr.T("present.wait.other_model", d.Model)}
		}
		return part.Wait{Text: tr.T("present.wait.another_way", fallbackReason(tr, d.Reason))}
	default:
		return part.Wait{}
	}
}

func fallbackReason(tr *text.Printer, reason string) string {
	switch reason {
	case "incomplete-tool-chain":
		return tr.T("present.wait.broken_calls")
	case "stream-cut":
		return tr.T("present.wait.cut")
	case "model-unavailable":
		return tr.T("present.wait.unavailable")
	case "budget":
		return tr.T("present.wait.budget")
	default:
		return strings.ReplaceAll(reason, "-", " ")
	}
}

func retryText(tr *text.Printer, d agent.RetryEvent) string {
	switch {
	case d.Attempt == 0: // it waits for what another call was told
		return tr.Recorded(d.Message)
	case d.Message != "":
		return tr.T("present.wait.retry_because", d.Attempt, d.MaxAttempts, tr.Recorded(d.Message))
	case d.Status != 0:
		return tr.T("present.wait.retry_status", d.Attempt, d.MaxAttempts, d.Status)
	default:
		return tr.T("present.wait.retry", d.Attempt, d.MaxAttempts)
	}
}

func guardLine(tr *text.Printer, id string, d agent.GuardEvent) part.Line {
	if d.Level == agent.Stop.String() {
		return part.Line{ID: id, Tone: "tripped", Icon: "bolt", Head: tr.T("present.line.tripped"), Text: tr.Recorded(d.Message)}
	}
	return part.Line{ID: id, Tone: "warm", Icon: "warning", Head: tr.T("present.line.warning"), Text: tr.Recorded(d.Message)}
}

// EndHead says how a run ended; a stop is never reported as a success.
func EndHead(tr *text.Printer, r agent.StopReason) string {
	switch r {
	case agent.StopGoal, agent.StopTerminateTool:
		return tr.T("present.end.done")
	case agent.StopMaxSteps:
		return tr.T("present.end.steps")
	case agent.StopTimeout:
		return tr.T("present.end.time")
	case agent.StopTokenBudget:
		return tr.T("present.end.tokens")
	case agent.StopCostBudget:
		return tr.T("present.end.money")
	case agent.StopLoop:
		return tr.T("present.end.loop")
	case agent.StopConsecutiveErrors:
		return tr.T("present.end.errors")
	case agent.StopProviderError:
		return tr.T("present.end.model")
	case agent.StopRejected:
		return tr.T("present.end.rejected")
	case agent.StopApprovalExpired:
		return tr.T("present.end.undecided")
	case agent.StopUserAbort:
		return tr.T("present.end.aborted")
	default:
		return ""
	}
}

// endOf is the last line of a run. told is the text of the error or the breaker
// shown before it, which need not be said twice.
func endOf(tr *text.Printer, e agent.Event, d agent.Finish, told string) part.End {
	end := part.End{
		ID: fmt.Sprintf("e-%d", e.Seq), Tone: "tripped", Icon: "bolt", Head: EndHead(tr, d.StopReason),
		Text: tr.Recorded(d.Message), Model: d.Model, Tokens: tr.T("present.usage.in_out", tr.Amount(d.Usage.InputTokens), tr.Amount(d.Usage.OutputTokens)),
		UsageHint: UsageHint(tr, d.Usage),
		RunHref:   "/runs/" + e.RunID,
	}
	if told = strings.Join(strings.Fields(told), " "); told != "" { // as the end of a run has it, on one line
		end.Text = tr.Recorded(strings.TrimSpace(strings.TrimPrefix(d.Message, told)))
	}
	if d.Usage.Estimated {
		end.Tokens = tr.T("present.usage.in_out_estimated", tr.Amount(d.Usage.InputTokens), tr.Amount(d.Usage.OutputTokens))
	}
	switch {
	case d.Status == agent.StatusFinished:
		end.Tone, end.Icon = "good", "check"
	case d.StopReason == agent.StopProviderError && told != "":
		end.Text = "" // what failed says what helps
	case d.StopReason == agent.StopTerminateTool:
		end.Head = tr.T("present.end.failed")
	case d.Status == agent.StatusAborted:
		end.Tone, end.Icon = "warm", "stop"
	}
	return end
}
