package loop

import (
	"context"

	"fusebox/agent"
)

// weigh asks the risk model about the calls of the newest answer that do more
// than read, and then decides of all of them. A step is judged once: what a
// crash cut off is not asked again, because an opinion can only raise a risk
// that policy has judged anyway.
func (f *execution) weigh(ctx context.Context) error {
	calls := f.weighty()
	if f.Settings.RiskModel == "" || f.RiskJudge == nil || len(calls) == 0 || f.run.State.RiskStep == f.run.Steps {
		return f.triage()
	}
	r := f.with(agent.StatusRunning)
	r.State.RiskStep, r.State.Risks = r.Steps, nil
	if err := f.commit(agent.Entry{Run: r}); err != nil {
		return err
	}
	comp, err := f.askAside(ctx, f.RiskJudge.Request(f.Settings.RiskModel, f.task(), calls), agent.StepRisk)
	if err != nil || comp == nil {
		return err // with no opinion the next move decides
	}
	risks, err := f.RiskJudge.Read(comp.Content)
	if err != nil {
		f.Log.Warn("the risk model's answer does not fit its schema", "run_id", f.run.ID, "model", f.Settings.RiskModel, "error", err)
		return nil
	}
	r = f.with(agent.StatusRunning)
	r.State.Risks = risks
	return f.commit(agent.Entry{Run: r})
}

// weighty are the calls that are to be decided on and may do harm.
func (f *execution) weighty() []agent.ToolCall {
	var calls []agent.ToolCall
	for _, c := range f.calls {
		if spec, known := f.Tools.Lookup(c.Name); known && c.State == agent.CallValidating && spec.Effect != agent.EffectRead {
			calls = append(calls, c)
		}
	}
	return calls
}

// judgedOf is what the risk model thinks of a call, nil for nothing.
func (f *execution) judgedOf(c agent.ToolCall) *agent.Judged {
	j, ok := f.run.State.Risks[c.ID]
	if !ok || f.run.State.RiskStep != c.Step {
		return nil
	}
	return &j
}
