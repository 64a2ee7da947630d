package provider

import (
	"fmt"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
)

// From how many tokens on, and how much smaller than our count, a provider's
// own count of the prompt means that it has left some of it out.
const (
	truncationFrom  = 2000
	truncationShare = 0.6
)

// tellTruncation says so where an endpoint has silently left out the beginning
// of a prompt that is longer than it reads; Ollama does.
func (p *Provider) tellTruncation(q question, acc *answer.Accumulator) error {
	if acc.Told().Input == 0 || q.model.Family != Ollama {
		return nil
	}
	sent, read := p.CountPrompt(q.req), acc.Told().Input
	if sent < truncationFrom || float64(read) >= truncationShare*float64(sent) {
		return nil
	}
	return acc.Send(agent.Delta{Kind: agent.DeltaNotice, Text: fmt.Sprintf(
		"The endpoint read only %d of about %d tokens of this conversation: its context is set too small (num_ctx of Ollama).", read, sent)})
}
