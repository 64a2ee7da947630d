package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
)

// maxQuestions is how often a server may ask during one call.
const maxQuestions = 20

// askers are the calls under way that a server may ask about.
type askers struct {
	mu   sync.Mutex
	list []*asker
}

// asker is one call.
type asker struct {
	ctx   context.Context
	runID string
	ask   agent.AskPerson
	open  int // questions that wait
	asked int
}

// begin adds a call until end is called. One that can ask nobody still makes it doubtful
// whose a question is.
func (as *askers) begin(ctx context.Context, in agent.ToolInput) (end func()) {
	a := &asker{ctx: ctx, runID: in.RunID, ask: in.Ask}
	as.mu.Lock()
	defer as.mu.Unlock()
	as.list = append(as.list, a)
	return func() {
		as.mu.Lock()
		defer as.mu.Unlock()
		as.list = slices.DeleteFunc(as.list, func(b *asker) bool { return a == b })
	}
}

// take finds the call that a question is about. Servers do not say: it is the one run that
// has a call under way, apart from those that wait for an answer already.
func (as *askers) take() (*asker, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	busy := slices.DeleteFunc(slices.Clone(as.list), func(a *asker) bool { return a.open > 0 })
	if len(busy) == 0 {
		busy = as.list
	}
	switch {
	case len(busy) == 0:
		return nil, refusal("There is no call under way, so nobody can be asked.")
	case slices.ContainsFunc(busy, func(a *asker) bool { return a.runID != busy[0].runID }):
		return nil, refusal("Several people have calls under way, and a question does not say for whom it is. Try again later.")
	case busy[0].ask == nil:
		return nil, refusal("Nobody can be asked during this call.")
	case busy[0].asked == maxQuestions:
		return nil, refusal("One call may ask %d times.", maxQuestions)
	}
	busy[0].open++
	busy[0].asked++
	return busy[0], nil
}

func (as *askers) release(a *asker) {
	as.mu.Lock()
	defer as.mu.Unlock()
	a.open--
}

func refusal(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(format, args...)}
}

// elicit shows a server's question to the person its call runs for.
func (k *keeper) elicit(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	if r.Params.Mode == "url" || r.Params.URL != "" {
		return nil, refusal("Addresses are not opened for servers. Ask with a form.")
	}
	q, err := k.question(r.Params)
	if err != nil {
		return nil, refusal("The question cannot be shown: %s.", err)
	}
	a, err := k.askers.take()
	if err != nil {
		return nil, err
	}
	defer k.askers.release(a)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	answer := a.ask(ctx, q)
	res := &mcp.ElicitResult{Action: string(answer.Action)}
	if answer.Action == agent.ServerAccept {
		if err := json.Unmarshal(answer.Content, &res.Content); err != nil {
			return nil, refusal("The answer cannot be read.")
		}
	}
	return res, nil
}
