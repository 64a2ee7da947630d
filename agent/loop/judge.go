package loop

import (
	"context"
	"errors"
	"fmt"
	"math"

	"fusebox/agent"
)

// The detector's name and how many messages it reads.
const (
	modelJudge    = "model_judge"
	judgeMessages = 20
)

// consultJudge asks the judge model when its time has come. Its answers are
// lines of the ledger of their own. A step is judged once: what a crash cut off
// is not asked again.
func (f *execution) consultJudge(ctx context.Context) (held bool, err error) {
	s := f.guards.settings
	due := max(s.JudgeAfter, f.run.State.JudgeAt)
	if s.JudgeModel == "" || f.Judge == nil || f.run.Steps < due || f.run.State.JudgedStep >= f.run.Steps {
		return false, nil
	}
	r := f.with(agent.StatusRunning)
	r.State.JudgedStep = r.Steps
	r.State.JudgeAt = r.Steps + judgeInterval(0)
	if err := f.commit(agent.Entry{Run: r}); err != nil {
		return false, err
	}
	first, err := f.opinion(ctx, s.JudgeModel, agent.StepJudge)
	if err != nil || first == nil {
		return false, err
	}
	threshold := float64(s.JudgeConfidence) / 100
	if first.Confidence <= threshold {
		r := f.with(agent.StatusRunning)
		r.State.JudgeAt = r.Steps + judgeInterval(first.Confidence)
		return false, f.commit(agent.Entry{Run: r})
	}
	second, err := f.opinion(ctx, f.model(), agent.StepOpinion)
	if err != nil || second == nil || second.Confidence <= threshold {
		return false, err
	}
	v := agent.Verdict{
		Level: agent.Pause, Detector: modelJudge, Key: fmt.Sprintf("%s:%d", modelJudge, f.run.Steps), Count: f.run.Steps, Threshold: s.JudgeAfter,
		Message: "Two models find that this run goes in circles: " + clip(first.Reasoning), Excerpt: clip(second.Reasoning), Reason: agent.StopLoop,
	}
	r = f.with(agent.StatusRunning)
	var a agent.Assessment
	a.Observe(v, &r.State.Trips, s.Off)
	return f.act(a, r)
}

// judgeInterval is after how many steps the judge looks again: the surer it is
// of a loop, the sooner.
func judgeInterval(confidence float64) int {
	return int(math.Round(5 + 10*(1-min(max(confidence, 0), 1))))
}

// opinion makes one call to a judge and settles it. nil is no opinion: the
// model is out of reach or does not answer as it was asked, which is no reason
// to hold the run up.
func (f *execution) opinion(ctx context.Context, model string, kind agent.StepKind) (*agent.Opinion, error) {
	req := f.Judge.Request(model, f.task(), f.branch[max(len(f.branch)-judgeMessages, 0):])
	comp, err := f.askAside(ctx, req, kind)
	if err != nil || comp == nil {
		return nil, err
	}
	o, err := f.Judge.Read(comp.Content)
	if err != nil {
		f.Log.Warn("the judge model's answer does not fit its schema", "run_id", f.run.ID, "model", model, "error", err)
		return nil, nil
	}
	return &o, nil
}

// askAside makes one model call beside the run's own and settles it. nil is no
// answer, which is no reason to hold the run up.
func (f *execution) askAside(ctx context.Context, req agent.Request, kind agent.StepKind) (*agent.Completion, error) {
	req.RunID = f.run.ID
	if short, err := f.hold(&req, kind); short != nil || err != nil {
		return nil, err // the next model call asks for the budget
	}
	comp, err := f.Provider.Complete(ctx, req, func(agent.Delta) error { return context.Cause(ctx) })
	var failed *agent.ProviderError
	var short *agent.Short
	switch {
	case ended(ctx): // what it took is billed, also where nobody waits for it any more
		return nil, f.settleAside(comp, req.Model, kind)
	case errors.As(err, &failed), errors.As(err, &short):
		f.Log.Warn("the judge model did not answer", "run_id", f.run.ID, "model", req.Model, "error", err)
		return nil, f.settleAside(comp, req.Model, kind)
	case err != nil:
		return nil, err
	}
	return &comp, f.settleAside(comp, req.Model, kind)
}

// settleAside writes the line of a call beside the run's own into the ledger: its
// tokens count against the budgets like all others. What took nothing holds nothing.
func (f *execution) settleAside(comp agent.Completion, model string, kind agent.StepKind) error {
	if comp.Usage.Total() == 0 {
		return f.letGo()
	}
	return f.settleLines(comp, kind, model)
}

// settleLines writes the lines of a call into the ledger that nothing else is to
// be kept of.
func (f *execution) settleLines(comp agent.Completion, kind agent.StepKind, model string) error {
	e := agent.Entry{Run: f.with(agent.StatusRunning)}
	f.addToLedger(&e, comp, kind, model)
	return f.commit(e)
}

// task is the person's message that the run answers.
func (f *execution) task() string {
	if i := f.taskIndex(); i >= 0 {
		return f.branch[i].Content
	}
	return ""
}

// taskIndex is where the person's message stands that the run answers, -1 for nowhere.
func (f *execution) taskIndex() int {
	for i := len(f.branch) - 1; i >= 0; i-- {
		if f.branch[i].Role == agent.FromUser {
			return i
		}
	}
	return -1
}
