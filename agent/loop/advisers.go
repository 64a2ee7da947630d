package loop

import (
	"context"
	"errors"
	"fmt"
	"math"

	"fusebox/agent"
	"fusebox/agent/sources"
)

// The detector's name and how many messages it reads.
const (
	modelJudge    = "model_judge"
	judgeMessages = 20
)

// advisers are the models that are asked in addition to the run's own: whether it goes in
// circles, and how risky its calls are.
type advisers struct {
	*rows
	account  *account
	settings agent.GuardSettings
}

// judgeRun asks the judge model when its time has come, nil for no verdict. Its answers are
// lines of the ledger of their own. A step is judged once: what a crash cut off
// is not asked again.
func (ad *advisers) judgeRun(ctx context.Context) (*agent.Verdict, error) {
	s := ad.settings
	due := max(s.JudgeAfter, ad.run.State.JudgeAt)
	if s.JudgeModel == "" || ad.loop.Judge == nil || ad.run.Steps < due || ad.run.State.JudgedStep >= ad.run.Steps {
		return nil, nil
	}
	r := ad.with(agent.StatusRunning)
	r.State.JudgedStep = r.Steps
	r.State.JudgeAt = r.Steps + judgeInterval(0)
	if err := ad.commit(agent.Change{Run: r}); err != nil {
		return nil, err
	}
	first, err := ad.opinion(ctx, s.JudgeModel, agent.StepJudge)
	if err != nil || first == nil {
		return nil, err
	}
	threshold := float64(s.JudgeConfidence) / 100
	if first.Confidence <= threshold {
		r := ad.with(agent.StatusRunning)
		r.State.JudgeAt = r.Steps + judgeInterval(first.Confidence)
		return nil, ad.commit(agent.Change{Run: r})
	}
	second, err := ad.opinion(ctx, ad.account.model(), agent.StepOpinion)
	if err != nil || second == nil || second.Confidence <= threshold {
		return nil, err
	}
	return &agent.Verdict{
		Level: agent.Pause, Detector: modelJudge, Key: fmt.Sprintf("%s:%d", modelJudge, ad.run.Steps), Count: ad.run.Steps, Threshold: s.JudgeAfter,
		Message: "Two models find that this run is going in circles: " + clip(first.Reasoning), Excerpt: clip(second.Reasoning), Reason: agent.StopLoop,
	}, nil
}

// judgeInterval is the number of steps until the judge looks again: the surer it is
// of a loop, the sooner.
func judgeInterval(confidence float64) int {
	return int(math.Round(5 + 10*(1-min(max(confidence, 0), 1))))
}

// opinion makes one call to a judge and settles it. nil is not an opinion: the
// model is out of reach or does not answer as it was asked, which is not a reason
// to stop the run.
func (ad *advisers) opinion(ctx context.Context, model string, kind agent.StepKind) (*agent.Opinion, error) {
	newest := ad.transcript.branch[max(len(ad.transcript.branch)-judgeMessages, 0):]
	req := ad.loop.Judge.Request(model, ad.transcript.task(), sources.Readable(newest, ad.transcript.closed))
	comp, err := ad.ask(ctx, req, kind)
	if err != nil || comp == nil {
		return nil, err
	}
	o, err := ad.loop.Judge.Read(comp.Content)
	if err != nil {
		ad.log.Warn("the judge model's answer does not match its schema", "run_id", ad.run.ID, "model", model, "error", err)
		return nil, nil
	}
	return &o, nil
}

// ask makes one model call in addition to the run's own and settles it. nil is no
// answer, which is not a reason to stop the run.
func (ad *advisers) ask(ctx context.Context, req agent.Request, kind agent.StepKind) (*agent.Completion, error) {
	req.RunID = ad.run.ID
	if short, err := ad.account.reserve(&req, kind, agent.Change{}); short != nil || err != nil {
		return nil, err // the next model call asks for the budget
	}
	comp, err := ad.loop.Provider.Complete(ctx, req, func(agent.Delta) error { return context.Cause(ctx) })
	var failed *agent.ProviderError
	var short *agent.InsufficientBudget
	switch {
	case ended(ctx): // what it used is billed, even if no one waits for it any more
		return nil, ad.account.settleOrRelease(comp, req.Model, kind)
	case errors.As(err, &failed), errors.As(err, &short):
		ad.log.Warn("the judge model did not answer", "run_id", ad.run.ID, "model", req.Model, "error", err)
		return nil, ad.account.settleOrRelease(comp, req.Model, kind)
	case err != nil:
		return nil, err
	}
	return &comp, ad.account.settleOrRelease(comp, req.Model, kind)
}

// assessRisk asks the risk model about the calls of the newest answer that do more
// than read. asked says that the next move decides. A step is judged once: what a
// crash cut off is not asked again, because an opinion can only raise a risk
// that policy has judged anyway.
func (ad *advisers) assessRisk(ctx context.Context) (asked bool, err error) {
	if ad.loop.Settings.RiskModel == "" || ad.loop.RiskJudge == nil || ad.run.State.RiskStep == ad.run.Steps {
		return false, nil
	}
	var calls []agent.ToolCall // that are to be decided on and may do harm
	for _, c := range ad.calls.open() {
		if spec, known := ad.tools.Lookup(c.Name); known && c.State == agent.CallValidating && spec.Effect != agent.EffectRead {
			calls = append(calls, c)
		}
	}
	if len(calls) == 0 {
		return false, nil
	}
	r := ad.with(agent.StatusRunning)
	r.State.RiskStep, r.State.Risks = r.Steps, nil
	if err := ad.commit(agent.Change{Run: r}); err != nil {
		return true, err
	}
	comp, err := ad.ask(ctx, ad.loop.RiskJudge.Request(ad.loop.Settings.RiskModel, ad.transcript.task(), calls), agent.StepRisk)
	if err != nil || comp == nil {
		return true, err // with no opinion the next move decides
	}
	risks, err := ad.loop.RiskJudge.Read(comp.Content)
	if err != nil {
		ad.log.Warn("the risk model's answer does not match its schema", "run_id", ad.run.ID, "model", ad.loop.Settings.RiskModel, "error", err)
		return true, nil
	}
	r = ad.with(agent.StatusRunning)
	r.State.Risks = risks
	return true, ad.commit(agent.Change{Run: r})
}
