package looptest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// proof is one history through the real loop, and what the breakers say of it.
type proof struct {
	name string
	// kind names the false alarm or the miss of other systems that it stands for.
	kind string
	// answers are what the model says, one after the other, see said.
	answers []string
	// want is every verdict in order, as "level detector @call"; none is quiet.
	want []string
	// decide are what a person answers to one approval after the other.
	decide []agent.Decision
	// tools declares what is special of a tool; any other only reads.
	tools map[string]agent.ToolSpec
	// set changes the world before it begins.
	set func(*world)
	// keeps is what is kept of a text that was cut, in bytes; cut says that one was.
	cut   bool
	keeps int
	// again is a second message of the person, answered by the rest of the script.
	again string
}

// said reads one answer of the model: text in quotation marks, then calls as
// `tool {args} => result`, several behind each other with " ++ " between; "!"
// before a result makes it an error. A tool with "?" in front does not exist; an
// answer with "^" in front comes whole at the provider's third try.
func said(n int, answer string) (agenttest.Turn, map[string]agent.ToolResult) {
	turn := agenttest.Turn{Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 10, OutputTokens: 2}}}
	results := map[string]agent.ToolResult{}
	if rest, retried := strings.CutPrefix(answer, "^"); retried {
		turn.Retried, answer = 2, rest
	}
	if rest, quoted := strings.CutPrefix(answer, `"`); quoted {
		turn.Text, answer, _ = strings.Cut(rest, `"`)
	}
	if strings.TrimSpace(answer) == "" {
		return turn, results
	}
	for i, call := range strings.Split(strings.TrimSpace(answer), " ++ ") {
		what, result, _ := strings.Cut(call, " => ")
		tool, args, _ := strings.Cut(what, " ")
		id := fmt.Sprintf("c%d.%d", n, i)
		turn.Calls = append(turn.Calls, agenttest.Call(id, strings.TrimPrefix(tool, "?"), args))
		res := agent.ToolResult{Content: result}
		if text, failed := strings.CutPrefix(result, "!"); failed {
			res = agent.ToolResult{Content: text, ErrorType: agent.ErrExecution}
		}
		results[id] = res
	}
	return turn, results
}

// run plays a proof in a world of its own and returns what was said, verdict by verdict.
func (p proof) run(t *testing.T) (*world, *agent.Run, []string) {
	t.Helper()
	var turns []agenttest.Turn
	results := map[string]agent.ToolResult{}
	tools := map[string]bool{}
	for n, a := range p.answers {
		turn, res := said(n, a)
		turns = append(turns, turn)
		for id, r := range res {
			results[id] = r
		}
		for _, c := range turn.Calls {
			tools[c.Name] = tools[c.Name] || !strings.Contains(a, "?"+c.Name+" ")
		}
	}
	w := newWorld(t, turns...)
	mode := agent.ModeYolo // no policy is in the way of what is judged
	_, err := w.store.UpdateConversation(t.Context(), ana, "c", agent.ConversationPatch{ApprovalMode: &mode})
	w.must(err)
	w.tools.specs = nil
	for name, exists := range tools {
		if !exists {
			continue
		}
		spec := p.tools[name]
		spec.Name = name
		if spec.Effect == "" {
			spec.Effect, spec.Idempotent = agent.EffectRead, true
		}
		w.tools.specs = append(w.tools.specs, spec)
		w.tools.do[name] = func(_ context.Context, in agent.ToolInput) agent.ToolResult { return results[in.CallID] }
	}
	if p.set != nil {
		p.set(w)
	}
	run := w.post("go")
	for _, d := range p.decide {
		if run.Status != agent.StatusPaused {
			break
		}
		w.decide(rex, w.card().ID, d)
		run = w.advance(run.ID)
	}
	if p.again != "" {
		run = w.post(p.again)
	}
	return w, run, w.verdicts()
}

// verdicts are all verdicts in the log as "level detector @call".
func (w *world) verdicts() []string {
	w.t.Helper()
	var said []string
	for _, g := range find[agent.GuardEvent](w.events()) {
		var ev agent.LoopEvidence
		w.must(json.Unmarshal(g.Evidence, &ev))
		text := g.Level + " " + g.Detector
		if n := len(ev.Calls); n > 0 {
			text += fmt.Sprintf(" @%d", ev.Calls[n-1].N)
		}
		said = append(said, text)
	}
	return said
}

func prove(t *testing.T, proofs []proof) {
	t.Helper()
	names := map[string]bool{}
	for _, p := range proofs {
		if names[p.name] || p.kind == "" {
			t.Errorf("%q stands twice, or names no kind", p.name)
		}
		names[p.name] = true
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w, run, said := p.run(t)
			if strings.Join(said, "\n") != strings.Join(p.want, "\n") {
				t.Errorf("%s\nthe breakers said\n  %s\nwant\n  %s", p.kind, strings.Join(said, "\n  "), strings.Join(p.want, "\n  "))
			}
			if len(p.want) == 0 && run.StopReason != agent.StopGoal {
				t.Errorf("a quiet run is %s (%s)", run.Status, run.StopReason)
			}
			w.soundEnd(run)
			if p.cut {
				w.keeps(p.keeps)
			}
		})
	}
}

// keeps holds what stands of an answer that was cut at an exact character.
func (w *world) keeps(n int) {
	w.t.Helper()
	kept := 0
	for _, m := range w.soundHistory() {
		if m.Role == agent.FromAssistant {
			kept = len(m.Content)
		}
	}
	if kept != n {
		w.t.Errorf("%d bytes of the answer are kept, want %d", kept, n)
	}
}

// soundEnd ends a run that waits, and holds the history that it leaves.
func (w *world) soundEnd(run *agent.Run) {
	w.t.Helper()
	if !run.Status.Ended() {
		w.must(w.service.Abort(w.t.Context(), ana, run.ID))
		w.advance(run.ID)
	}
	w.soundHistory()
}

// TestProofs: the breakers trip where a run goes wrong, and nowhere else.
func TestProofs(t *testing.T) {
	t.Parallel()
	if q, l := len(quiet()), len(loud()); q+l < 120 || q < 60 || l < 60 {
		t.Errorf("%d quiet and %d loud proofs, want at least 60 of each", q, l)
	}
	t.Run("quiet", func(t *testing.T) { t.Parallel(); prove(t, quiet()) })
	t.Run("loud", func(t *testing.T) { t.Parallel(); prove(t, loud()) })
}

// each makes n answers; %d is the number from 1, LETTER a letter of its own.
func each(n int, format string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strings.NewReplacer("%d", fmt.Sprint(i+1), "LETTER", lettered(i)).Replace(format)
	}
	return out
}

func lettered(i int) string { return string(rune('a'+i%26)) + strings.Repeat("z", i/26) }

// round makes n answers that go through the list again and again.
func round(n int, list ...string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = list[i%len(list)]
	}
	return out
}

// weave puts the answers of several lists in turn behind each other.
func weave(lists ...[]string) []string {
	var out []string
	for i := range lists[0] {
		for _, l := range lists {
			out = append(out, l[i])
		}
	}
	return out
}

func then(lists ...[]string) []string {
	var out []string
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// Specs that proofs declare.
var (
	polls  = agent.ToolSpec{Polling: true, Effect: agent.EffectRead, Idempotent: true}
	writes = agent.ToolSpec{Effect: agent.EffectWrite}
	runs   = agent.ToolSpec{Effect: agent.EffectExec}
	plans  = agent.ToolSpec{Identity: []string{"*.status"}, Effect: agent.EffectRead, Idempotent: true}
)

var goOn = agent.Decision{Verb: agent.DecideResume}

func toolNamed(name string, spec agent.ToolSpec) map[string]agent.ToolSpec {
	return map[string]agent.ToolSpec{name: spec}
}

// savesAndRuns are a tool that writes and one that runs commands.
var savesAndRuns = map[string]agent.ToolSpec{"save": writes, "sh": runs}

// minutes lets each call of a tool take some time.
func minutes(tool string, d time.Duration) func(*world) {
	return func(w *world) {
		do := w.tools.do[tool]
		w.tools.do[tool] = func(ctx context.Context, in agent.ToolInput) agent.ToolResult {
			w.clock.Advance(d)
			return do(ctx, in)
		}
	}
}
