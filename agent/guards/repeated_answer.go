package guards

import (
	"fmt"

	"fusebox/agent"
)

// repeatedAnswer catches a model that says the same again, white space aside,
// and does nothing new in between: a call that was not made before, or a new
// result, is progress, so that "Now the next file." may accompany each of
// forty calls. It leaves alone empty messages, which are not text. Its numbers
// are guard.answer_warning and guard.answer_critical. Over the runs of a
// conversation it only warns: a person has read each answer and asked on.
type repeatedAnswer struct{ warn, pause int }

func (repeatedAnswer) Name() string { return "repeated_answer" }

func (g repeatedAnswer) Check(h *agent.History) agent.Verdict {
	if h.Next != nil || len(h.Answers) == 0 {
		return agent.Verdict{}
	}
	newest, count := h.Answers[len(h.Answers)-1], 0
	for count < len(h.Answers) && h.Answers[len(h.Answers)-1-count] == newest {
		count++
	}
	lvl, threshold := level(count, g.warn, g.pause)
	if lvl == agent.Pause && min(count, len(h.Answers)-h.EarlierAnswers) < g.pause {
		lvl, threshold = level(count, g.warn, 0)
	}
	if lvl == agent.Pass {
		return agent.Verdict{}
	}
	return agent.Verdict{
		Level: lvl, Detector: g.Name(), Key: newest, Count: count, Threshold: threshold,
		Message: fmt.Sprintf("The model gave the same answer %d times in a row.", count), Reason: agent.StopLoop,
	}
}
