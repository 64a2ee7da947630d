package agent_test

import (
	"encoding/json"
	"testing"

	"fusebox/agent"
)

func decided(run string, status agent.Status, change func(*agent.LoopDecision)) agent.LoopDecision {
	d := agent.LoopDecision{RunStatus: status, Approval: agent.Approval{
		RunID: run, Kind: agent.KindLoop, Decision: agent.DecideResume, Evidence: json.RawMessage(`{"detector":"cycle"}`),
	}}
	if change != nil {
		change(&d)
	}
	return d
}

func TestJudgeDecisions(t *testing.T) {
	t.Parallel()
	answer := func(a string) func(*agent.LoopDecision) { return func(d *agent.LoopDecision) { d.Answer = a } }
	verb := func(v agent.Verb) func(*agent.LoopDecision) { return func(d *agent.LoopDecision) { d.Decision = v } }
	for _, tc := range []struct {
		name   string
		status agent.Status
		change func(*agent.LoopDecision)
		want   agent.Judgement
	}{
		{"marked", agent.StatusAborted, func(d *agent.LoopDecision) { d.Decision, d.NotLoop = agent.DecideAbort, true }, agent.FalseAlarm},
		{"more repeats", agent.StatusStopped, answer(agent.ResumeAllowMore), agent.FalseAlarm},
		{"as polling", agent.StatusRunning, answer(agent.ResumeAsPolling), agent.FalseAlarm},
		{"continued and finished", agent.StatusFinished, answer(agent.ResumePlain), agent.FalseAlarm},
		{"continued and open", agent.StatusPaused, nil, agent.Unclear},
		{"continued and failed", agent.StatusFailed, nil, agent.Unclear},
		{"continued and out of budget", agent.StatusStopped, func(d *agent.LoopDecision) { d.StopReason = agent.StopTokenBudget }, agent.Unclear},
		{"continued and stopped as a loop", agent.StatusStopped, func(d *agent.LoopDecision) { d.StopReason = agent.StopLoop }, agent.RealLoop},
		{"continued and aborted", agent.StatusAborted, nil, agent.RealLoop},
		{"with guidance", agent.StatusFinished, func(d *agent.LoopDecision) { d.Comment = "look elsewhere" }, agent.RealLoop},
		{"wrapped up", agent.StatusFinished, answer(agent.ResumeFinishNow), agent.RealLoop},
		{"taken over", agent.StatusFinished, verb(agent.DecideTakeover), agent.RealLoop},
		{"rejected", agent.StatusStopped, verb(agent.DecideReject), agent.RealLoop},
		{"aborted", agent.StatusAborted, verb(agent.DecideAbort), agent.RealLoop},
	} {
		if got := decided("r", tc.status, tc.change).Judge(); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// TestContinuedThenWrappedUp: a run that a person had to end did not finish by itself.
func TestContinuedThenWrappedUp(t *testing.T) {
	t.Parallel()
	decisions := []agent.LoopDecision{
		decided("r", agent.StatusFinished, nil),
		decided("r", agent.StatusFinished, func(d *agent.LoopDecision) { d.Answer = agent.ResumeFinishNow }),
	}
	sums := agent.SumLoopDecisions(decisions)
	if len(sums) != 1 || sums[0].Loops != 2 || sums[0].FalseAlarms != 0 || !sums[0].TooFew || sums[0].Ways.Continued != 1 {
		t.Errorf("sums %+v", sums)
	}
}
