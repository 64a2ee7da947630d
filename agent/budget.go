package agent

import "fmt"

// minOutput is the least room for an answer that makes a model call worth its prompt.
const minOutput = 256

// scopeMoney names the money budget of a run on cards and in events.
const scopeMoney = "run_cost"

// reserve checks the worst case of the next model call against the budgets of
// run and conversation and lowers the call's output to what fits. What cannot
// fit asks a person before a token is spent.
func (f *flight) reserve(req *Request) (held bool, err error) {
	prompt, output := f.nextCall(*req)
	if f.fits(req) {
		return false, nil
	}
	for _, b := range f.budgets() {
		if b.limit != 0 && prompt+output > b.limit-b.used {
			return true, f.askBudget(b, prompt+output)
		}
	}
	return true, f.askMoney(prompt + output)
}

// fits reports whether the worst case of a model call fits all budgets, and
// lowers its output so that it cannot exceed them.
func (f *flight) fits(req *Request) bool {
	prompt, output := f.nextCall(*req)
	if req.MaxTokens == 0 {
		req.MaxTokens = f.Settings.MaxOutput
	}
	if window := f.window(); window > 0 {
		req.MaxTokens = min(req.MaxTokens, max(window-prompt, minOutput))
	}
	for _, b := range f.budgets() {
		if b.limit == 0 {
			continue
		}
		left := b.limit - b.used
		if prompt+output > left {
			return false
		}
		req.MaxTokens = min(req.MaxTokens, left-prompt)
	}
	return f.affordable(req.Model, prompt, output)
}

// affordable holds the price of the next call against the run's money budget.
func (f *flight) affordable(model string, prompt, output int64) bool {
	limit := f.run.Limits.CostMicros
	price, _ := f.Settings.Price(model)
	return limit == 0 || f.run.CostMicros+price.worst(prompt, output) <= limit
}

// nextCall estimates the next call: never below what the run's last call took,
// because a provider's own count is the better tokenizer, and histories grow.
func (f *flight) nextCall(req Request) (prompt, output int64) {
	prompt, output = f.Counter.CountPrompt(req), minOutput
	compacted := f.standing()
	for i := len(f.branch) - 1; i >= 0 && f.branch[i].RunID == f.run.ID; i-- {
		if compacted != nil && f.branch[i].ID == compacted.Leaf {
			break // what came before was larger than it is now
		}
		if u := f.branch[i].Usage; u != nil {
			return max(prompt, u.InputTokens), max(output, u.OutputTokens)
		}
	}
	return prompt, output
}

// tokenBudget is one limit that the next call must fit.
type tokenBudget struct {
	scope       string
	used, limit int64
}

func (f *flight) budgets() []tokenBudget {
	return []tokenBudget{
		{scope: "run", used: f.run.Usage.Total(), limit: f.run.Limits.Tokens},
		{scope: "conversation", used: f.convTokens, limit: f.run.Limits.ConversationTokens},
	}
}

// askBudget puts a budget that the next call would exceed before a person.
func (f *flight) askBudget(b tokenBudget, next int64) error {
	e := Entry{Run: f.with(StatusRunning)}
	message := fmt.Sprintf("The token budget of this %s would be exceeded: %d of %d tokens are used, and the next model call may need %d.",
		b.scope, b.used, b.limit, next)
	// Raising a budget spends money: that is for reviewers and admins.
	f.addApproval(&e, f.newApproval(KindBudget, RiskHigh, message, BudgetEvidence{
		Scope: b.scope, UsedTokens: b.used, LimitTokens: b.limit,
		UsedMicros: f.run.CostMicros, LimitMicros: f.run.Limits.CostMicros, NextStepTokens: next,
	}))
	e.Events = append(events(BudgetEvent{
		Scope: b.scope, UsedTokens: b.used, LimitTokens: b.limit,
		UsedMicros: f.run.CostMicros, LimitMicros: f.run.Limits.CostMicros,
	}), e.Events...)
	return f.commit(e)
}

// askMoney puts the money budget of the run before a person.
func (f *flight) askMoney(next int64) error {
	e := Entry{Run: f.with(StatusRunning)}
	ev := BudgetEvidence{
		Scope: scopeMoney, UsedTokens: f.run.Usage.Total(), LimitTokens: f.run.Limits.Tokens,
		UsedMicros: f.run.CostMicros, LimitMicros: f.run.Limits.CostMicros, NextStepTokens: next,
	}
	message := fmt.Sprintf("The money budget of this run would be exceeded: %s of %s are spent.", dollars(ev.UsedMicros), dollars(ev.LimitMicros))
	f.addApproval(&e, f.newApproval(KindBudget, RiskHigh, message, ev))
	e.Events = append(events(BudgetEvent{
		Scope: scopeMoney, UsedTokens: ev.UsedTokens, LimitTokens: ev.LimitTokens, UsedMicros: ev.UsedMicros, LimitMicros: ev.LimitMicros,
	}), e.Events...)
	return f.commit(e)
}

func dollars(micros int64) string { return fmt.Sprintf("$%.4f", float64(micros)/1e6) }

// raise lifts the token budget that a card was about. Where no amount is named
// the limit's own size is granted once more.
func (f *flight) raise(r *Run, a Approval) {
	var ev BudgetEvidence
	if err := decodeEvidence(a, &ev); err != nil {
		f.Log.Error("evidence of a budget approval does not decode", "approval_id", a.ID, "error", err)
	}
	if ev.Scope == scopeMoney {
		r.Limits.CostMicros += ev.LimitMicros // once more what was planned
		return
	}
	by := a.RaiseTokensBy
	if by == 0 {
		by = max(ev.LimitTokens, ev.NextStepTokens)
	}
	if ev.Scope == "conversation" {
		r.Limits.ConversationTokens += by
		return
	}
	r.Limits.Tokens += by
}

// estimate counts what a model call took whose usage the provider did not send.
func (f *flight) estimate() Usage {
	reasoning := f.Counter.CountText(f.draft.reasoning.String())
	return Usage{
		InputTokens:     f.Counter.CountPrompt(f.request()),
		OutputTokens:    f.Counter.CountText(f.draft.text.String()) + reasoning,
		ReasoningTokens: reasoning,
		Estimated:       true,
	}
}
