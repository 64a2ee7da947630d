package loop

import (
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
)

// past is the part of a run's trace that stays as it is: the first messages of
// the branch, the calls of which have all ended.
type past struct {
	under    circumstances
	trace    *agent.Trace
	messages int // of the branch
	calls    int // of the run
}

// circumstances are what a trace depends on beside the run's messages and calls.
type circumstances struct{ reach, compacted, polling, loads int }

func (b *breakers) circumstances() circumstances {
	allowed := 0 // by a person in this run, whatever the call
	for _, a := range b.run.State.Allowances {
		allowed += a.N
	}
	return circumstances{
		reach:     agent.Reach(b.settings, b.tools.config, allowed),
		compacted: b.run.State.Compacted, polling: len(b.run.State.Polling), loads: b.calls.loads,
	}
}

func newPast(under circumstances) past {
	return past{under: under, trace: agent.NewTrace(under.reach, under.compacted)}
}

// settled is the run's past until now: what was in it before is not looked at again.
func (b *breakers) settled() past {
	if now := b.circumstances(); b.past.under != now {
		b.past = newPast(now)
	}
	for _, m := range b.transcript.branch[b.past.messages:] {
		if b.saidHere(m) && !b.settle(m) {
			break
		}
		b.past.messages++
	}
	return b.past
}

// settle adds an answer and its calls to the past, if all of these have ended.
func (b *breakers) settle(m agent.Message) bool {
	from, to := b.past.calls, b.past.calls
	for ; b.calledBy(m, to); to++ {
		if !b.calls.list[to].State.Ended() {
			return false
		}
	}
	b.past.trace.Say(m.Content)
	for i := from; i < to; i++ {
		b.add(b.past.trace, i)
	}
	b.past.calls = to
	return true
}

// add adds the run's i-th call to a trace.
func (b *breakers) add(t *agent.Trace, i int) {
	if !b.calls.list[i].Uncounted() {
		t.Add(b.record(i))
	}
}

// saidHere reports whether a message is an answer of this run.
func (b *breakers) saidHere(m agent.Message) bool {
	return m.RunID == b.run.ID && m.Role == agent.FromAssistant
}

// calledBy reports whether the run's i-th call is one of a message.
func (b *breakers) calledBy(m agent.Message, i int) bool {
	return i < len(b.calls.list) && b.calls.list[i].MessageID == m.ID
}

// How many answers of earlier runs are compared, and how long one must be, in bytes: "You're
// welcome!" may be said often.
const (
	maxEarlier     = 20
	shortestAnswer = 24
)

// askForMore are messages that ask for something new each time they are sent.
var askForMore = []string{
	"continue", "go on", "keep going", "carry on", "proceed", "next", "more", "again", "try again", "retry",
	"继续", "接着", "接着说", "下一个", "再来", "再试", "再试一次", "重试",
}

// earlierAnswers are fingerprints of the answers before this run, oldest first, back to the
// newest answer that called a tool: a call is progress. Answers to a question that was asked
// before, word for word, are left out, because they may well be the same.
func (b *breakers) earlierAnswers() []string {
	if b.earlier != nil {
		return *b.earlier
	}
	var answers []string
	asked := map[string]bool{}
	answer := ""
	branch := b.transcript.branch
	for i := b.transcript.taskIndex(); i >= 0 && len(answers) < maxEarlier; i-- {
		m := branch[i]
		if len(m.ToolCalls) > 0 {
			break
		}
		switch {
		case m.Role == agent.FromAssistant:
			answer = m.Content
		case m.Asks():
			question := plain(m.Content)
			if len(answer) >= shortestAnswer && !asked[question] {
				answers = append(answers, fingerprint.Text(answer))
			}
			asked[question] = !slices.Contains(askForMore, question)
			answer = ""
		}
	}
	slices.Reverse(answers)
	b.earlier = &answers
	return answers
}

// plain is a message in lower case without what ends a sentence.
func plain(text string) string {
	return strings.Trim(strings.ToLower(strings.TrimSpace(text)), ".!?…。！？ ")
}
