package loop

import (
	"context"

	"fusebox/agent"
)

// assessRisk asks the risk model about the calls of the newest answer that do more
// than read. asked says that the next move decides. A step is judged once: what a
// crash cut off is not asked again, because an opinion can only raise a risk
// that policy has judged anyway.
func (ad *advisers) assessRisk(ctx context.Context) (asked bool, err error) {
	calls := ad.risky()
	if ad.riskModel == "" || ad.riskJudge == nil || len(calls) == 0 || ad.run.State.RiskStep == ad.run.Steps {
		return false, nil
	}
	r := ad.with(agent.StatusRunning)
	r.State.RiskStep, r.State.Risks = r.Steps, nil
	if err := ad.commit(agent.Change{Run: r}); err != nil {
		return true, err
	}
	comp, err := ad.ask(ctx, ad.riskJudge.Request(ad.riskModel, ad.transcript.task(), calls), agent.StepRisk)
	if err != nil || comp == nil {
		return true, err // with no opinion the next move decides
	}
	risks, err := ad.riskJudge.Read(comp.Content)
	if err != nil {
		ad.log.Warn("the risk model's answer does not match its schema", "run_id", ad.run.ID, "model", ad.riskModel, "error", err)
		return true, nil
	}
	r = ad.with(agent.StatusRunning)
	r.State.Risks = risks
	return true, ad.commit(agent.Change{Run: r})
}

// risky are the calls that are to be decided on and may do harm.
func (ad *advisers) risky() []agent.ToolCall {
	var calls []agent.ToolCall
	for _, c := range ad.calls.open() {
		if spec, known := ad.tools.Lookup(c.Name); known && c.State == agent.CallValidating && spec.Effect != agent.EffectRead {
			calls = append(calls, c)
		}
	}
	return calls
}
