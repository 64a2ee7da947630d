package present

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/views/text"
)

// TestCostWithoutPrice: a chat whose model has no price shows that in its panel
// and at its end; as soon as a call has cost something, the sum is shown.
func TestCostWithoutPrice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		steps       []agent.StepFinish
		has, hasNot string
	}{
		{"nobody knows", []agent.StepFinish{{Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 9}}, Unpriced: true}}, "no price", "$0.00"},
		{"it costs nothing", []agent.StepFinish{{Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 9}}}}, "$0.00", "no price"},
		{"one of two is known", []agent.StepFinish{{CostMicros: 20_000}, {Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 9}}, Unpriced: true}}, "$0.02", "no price"},
	} {
		p := fold(agent.Conversation{}, true)
		log, cost := []agent.EventData{agent.RunStart{Model: "m"}, agent.StepStart{MessageID: "a"}}, int64(0)
		for _, step := range c.steps {
			log, cost = append(log, step), cost+step.CostMicros
		}
		log = append(log, agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal, CostMicros: cost})
		for i, d := range log {
			p.fold(agent.Event{Seq: int64(i + 1), RunID: "r", Step: 1, Data: d})
		}
		if got := shown(t, p); !strings.Contains(got, c.has) || strings.Contains(got, c.hasNot) || strings.Count(got, c.has) < 2 {
			t.Errorf("%s: want %q in panel and end, not %q:\n%s", c.name, c.has, c.hasNot, got)
		}
	}
}

// TestSourceOfPrice: where a price comes from is told in the page's language, unless a person
// has written it.
func TestSourceOfPrice(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{"demo, no real price": "演示用，非真实价格", "configuration": "配置", "list of May": "list of May"} {
		if got := PricePart(text.For("zh"), agent.PriceRow{Source: source}).Source; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
