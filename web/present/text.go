package present

import (
	"fmt"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
)

// toolLabel says the state of a call in a word or two.
func toolLabel(s agent.CallState, failure agent.ErrorType) string {
	switch s {
	case "":
		return "being written"
	case agent.CallValidating:
		return "checking"
	case agent.CallScheduled:
		return "next"
	case agent.CallAwaiting:
		return "waits for approval"
	case agent.CallExecuting:
		return "running"
	case agent.CallSuccess:
		return "done"
	case agent.CallCancelled:
		return "cancelled"
	case agent.CallUncertain:
		return "outcome unknown"
	default:
		return failureLabel(failure)
	}
}

func failureLabel(t agent.ErrorType) string {
	switch t {
	case agent.ErrRejected:
		return "refused"
	case agent.ErrTimeout:
		return "timed out"
	case agent.ErrInvalidParams:
		return "bad arguments"
	case agent.ErrNotRegistered:
		return "no such tool"
	default:
		return "failed"
	}
}

func effectLabel(e agent.Effect) string {
	switch e {
	case agent.EffectRead:
		return "reads"
	case agent.EffectWrite:
		return "changes files"
	case agent.EffectExec:
		return "runs a program"
	case agent.EffectNetwork:
		return "reaches the network"
	default:
		return "unknown"
	}
}

// CardHead says what a card asks in a few words.
func CardHead(a agent.Approval) string {
	switch a.Kind {
	case agent.KindLoop:
		return "Loop breaker tripped"
	case agent.KindBudget:
		return budgetHead(a)
	case agent.KindQuestion:
		return "The agent asks"
	case agent.KindOutcome:
		return "Did " + a.ToolName + " happen?"
	default:
		return "Run " + a.ToolName + "?"
	}
}

// SettledVerbs say a decision in the past tense, with the tone of its effect.
var SettledVerbs = map[agent.Verb]struct{ Verb, tone string }{
	agent.DecideApprove:  {"Approved", "good"},
	agent.DecideEdit:     {"Approved as edited", "good"},
	agent.DecideReject:   {"Rejected", "tripped"},
	agent.DecideAnswer:   {"Answered", "good"},
	agent.DecideResume:   {"Resumed", "good"},
	agent.DecideTakeover: {"Taken over", "good"},
	agent.DecideAbort:    {"Aborted", "tripped"},
}

func settledOf(a agent.Approval) *part.Settled {
	switch a.Status {
	case agent.ApprovalExpired:
		return &part.Settled{Tone: "warm", Verb: "Expired, undecided", At: a.ExpiresAt}
	case agent.ApprovalCancelled:
		at := a.DecidedAt
		if at.IsZero() {
			at = a.RequestedAt
		}
		return &part.Settled{Tone: "warm", Verb: "Not decided: the run ended first", At: at}
	case agent.ApprovalPending, agent.ApprovalDecided:
	}
	said := SettledVerbs[a.Decision]
	return &part.Settled{Tone: said.tone, Verb: said.Verb, By: a.DecidedBy, Comment: a.Comment, At: a.DecidedAt}
}

func waitOf(e agent.Event) part.Wait {
	switch d := e.Data.(type) {
	case agent.RetryEvent:
		text := fmt.Sprintf("Retry %d of %d. ", d.Attempt, d.MaxAttempts)
		if d.Message == "" && d.Status != 0 {
			text += fmt.Sprintf("The model's endpoint answered with status %d.", d.Status)
		}
		text += d.Message
		return part.Wait{Text: text, Retry: true, Until: e.At.Add(time.Duration(d.DelayMS) * time.Millisecond)}
	case agent.FallbackEvent:
		if d.Model != "" {
			return part.Wait{Text: "The model is out of reach. " + d.Model + " is asked instead."}
		}
		return part.Wait{Text: "Asked another way: " + strings.ReplaceAll(d.Reason, "-", " ") + "."}
	default:
		return part.Wait{}
	}
}

func guardLine(id string, d agent.GuardEvent) part.Line {
	l := part.Line{ID: id, Tone: "warm", Icon: "warning", Head: "Breaker warning.", Text: d.Message}
	if d.Level == agent.Stop.String() {
		l.Tone, l.Icon, l.Head = "tripped", "bolt", "Breaker tripped."
	}
	return l
}

func failure(id string, d agent.ErrorEvent) part.Failure {
	f := part.Failure{ID: id, Text: d.Message, Advice: "Trying again as it is will not help. Choose another model in the chat's menu, change the message, or ask an admin to look at the model's settings."}
	if d.Retryable {
		f.Advice = "Nothing that was done is lost, and nothing of it will be done again."
	}
	return f
}

// Ends say how a run ended; a stop is never reported as a success.
var Ends = map[agent.StopReason]string{
	agent.StopGoal:              "Done",
	agent.StopTerminateTool:     "Done",
	agent.StopMaxSteps:          "Stopped at the step limit",
	agent.StopTimeout:           "Stopped at the time limit",
	agent.StopTokenBudget:       "Stopped at the token budget",
	agent.StopCostBudget:        "Stopped at the money budget",
	agent.StopLoop:              "Stopped: it turned in circles",
	agent.StopConsecutiveErrors: "Stopped after too many errors",
	agent.StopProviderError:     "The model failed",
	agent.StopRejected:          "Stopped: rejected",
	agent.StopApprovalExpired:   "Stopped: nobody decided in time",
	agent.StopUserAbort:         "Aborted",
}

// endOf is the last line of a run. told is the text of the error or the breaker
// shown before it, which need not be said twice.
func endOf(e agent.Event, d agent.Finish, told string) part.End {
	end := part.End{
		ID: fmt.Sprintf("e-%d", e.Seq), Tone: "tripped", Icon: "bolt", Head: Ends[d.StopReason],
		Text: d.Message, Model: d.Model, Tokens: Tokens(d.Usage.InputTokens) + " tokens in, " + Tokens(d.Usage.OutputTokens) + " out",
		UsageHint: UsageHint(d.Usage),
		RunHref:   "/runs/" + e.RunID,
	}
	if told != "" {
		end.Text = strings.TrimSpace(strings.TrimPrefix(d.Message, told))
	}
	if d.Usage.Estimated {
		end.Tokens += " (estimated)"
	}
	switch {
	case d.Status == agent.StatusFinished:
		end.Tone, end.Icon = "good", "check"
	case d.StopReason == agent.StopTerminateTool:
		end.Head = "Ended by the agent, without success"
	case d.Status == agent.StatusAborted:
		end.Tone, end.Icon = "warm", "stop"
	}
	return end
}
