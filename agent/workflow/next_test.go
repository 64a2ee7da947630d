package workflow_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/workflow"
)

// play makes the calls of a workflow as outcome says, and returns what began, in waves.
type play struct {
	workflow.Situation
	outcome func(workflow.Begin) workflow.Call
	waves   [][]string
	asked   []workflow.Begin
}

func (p *play) toTheEnd(t *testing.T) workflow.End {
	t.Helper()
	for range 2000 {
		move := workflow.Next(p.Situation)
		if move.End != nil {
			return *move.End
		}
		if len(move.Begin) == 0 {
			t.Fatalf("nothing comes next after %v", p.waves)
		}
		var wave []string
		p.underWay(t, move.Begin)
		for _, b := range move.Begin {
			if slices.ContainsFunc(p.Calls, func(c workflow.Call) bool { return c.Key == b.Key }) {
				t.Fatalf("%s begins twice", b.Key)
			}
			p.asked = append(p.asked, b)
			wave = append(wave, b.Step)
			c := p.outcome(b)
			c.Key = b.Key
			p.Calls = append(p.Calls, c)
		}
		p.waves = append(p.waves, wave)
	}
	t.Fatal("it does not end")
	return workflow.End{}
}

// underWay looks at what comes next while calls are being made: none of them begins again, and
// they are stopped only where they are not needed.
func (p *play) underWay(t *testing.T, begun []workflow.Begin) {
	t.Helper()
	s := p.Situation
	s.Calls = slices.Clone(s.Calls)
	first := false
	for _, b := range begun {
		s.Calls = append(s.Calls, workflow.Call{Key: b.Key})
		first = first || slices.Contains(s.Workflow.First(), b.Key.Place)
	}
	move := workflow.Next(s)
	if move.End != nil || len(move.Begin) > 0 || move.StopOthers && !first {
		t.Fatalf("while %v are being made, comes %+v", begun, move)
	}
}

// done is a result of an agent with all that it was asked for, and a person's first option.
func done(b workflow.Begin) workflow.Call {
	c := workflow.Call{State: workflow.Done}
	switch {
	case b.Delegate == nil && len(b.Ask.Options) > 0:
		c.Answer = b.Ask.Options[0]
	case b.Delegate == nil:
		c.Answer = "what a person wrote"
	default:
		c.RunID, c.Answer, c.Values = "run-"+b.Step, b.Step+" by "+b.Delegate.Agent, map[string]json.RawMessage{}
		for name, kind := range b.Delegate.Outputs {
			c.Values[name] = json.RawMessage(map[string]string{"string": `"x"`, "boolean": "true", "integer": "1"}[kind])
		}
	}
	return c
}

func step(name, by string, needs ...string) agent.WorkflowStep {
	s := agent.WorkflowStep{Name: name, Agent: by, Task: "Do " + name + ".", Needs: needs}
	if needs == nil {
		s.Needs = []string{}
	}
	return s
}

func person(name string, does agent.PersonStep, needs ...string) agent.WorkflowStep {
	s := step(name, "", needs...)
	s.Person = does
	return s
}

func flow(kind agent.WorkflowKind, steps ...agent.WorkflowStep) agent.Workflow {
	return agent.Workflow{Name: "w", Purpose: "Works.", Kind: kind, Steps: steps}
}

func start(t *testing.T, w agent.Workflow, outcome func(workflow.Begin) workflow.Call) *play {
	t.Helper()
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	return &play{Situation: workflow.Situation{Workflow: w, Message: "Go."}, outcome: outcome}
}

// says are outcomes by the keys of calls, and done for all others.
func says(by map[string]workflow.Call) func(workflow.Begin) workflow.Call {
	return func(b workflow.Begin) workflow.Call {
		if c, ok := by[b.Key.String()]; ok {
			return c
		}
		return done(b)
	}
}

func answered(text string) workflow.Call {
	return workflow.Call{State: workflow.Done, StepResult: agent.StepResult{Answer: text}}
}

func valued(values string) workflow.Call {
	c := workflow.Call{State: workflow.Done, StepResult: agent.StepResult{Answer: "see the values"}}
	_ = json.Unmarshal([]byte(values), &c.Values)
	return c
}

var failed = workflow.Call{State: workflow.Failed, Why: "It broke."}

func TestNext(t *testing.T) {
	t.Parallel()
	retried := step("draft", "writer")
	retried.Retries, retried.Fallback = 1, "other"
	sequence := flow(agent.FlowSequence, agent.WorkflowStep{Agent: "a", Task: "A."}, agent.WorkflowStep{Agent: "b", Task: "B."}, agent.WorkflowStep{Person: agent.PersonApproves, Task: "Is it right?"})
	some := flow(agent.FlowParallel, step("a", "x"), step("b", "x"), step("c", "x"), step("end", "y", "a", "b", "c"))
	some.Join, some.Count = agent.JoinSome, 2
	best := flow(agent.FlowParallel, step("a", "x"), step("b", "x"), step("c", "x"))
	best.Join, best.Judge = agent.JoinBest, "judge"
	loop := flow(agent.FlowLoop, step("work", "x"), step("review", "y"))
	loop.Rounds = 2
	mesh := flow(agent.FlowMesh, step("a", "x"), step("b", "y"), step("sum", "z", "a", "b"))
	no := `{"accepted": false, "remarks": "Longer."}`
	for _, test := range []struct {
		name  string
		flow  agent.Workflow
		by    map[string]workflow.Call
		waves string
		end   agent.Status
		want  string // of the answer, or why there is none
	}{
		{"a sequence, and yes", sequence, nil, "step-1|step-2|step-3", agent.StatusFinished, "step-2 by b"},
		{"a sequence, and no", sequence, map[string]workflow.Call{"s2-r1-t1": answered("No")}, "step-1|step-2|step-3", agent.StatusStopped, "step-2 by b"},
		{"a step is refused", sequence, map[string]workflow.Call{"s1-r1-t1": {State: workflow.Refused}}, "step-1|step-2", agent.StatusStopped, "step-1 by a"},
		{
			"a person skips", flow(agent.FlowParallel, step("a", "x"), person("fix", agent.PersonCorrects, "a"), person("add", agent.PersonSupplements, "fix")),
			map[string]workflow.Call{"s1-r1-t1": {State: workflow.Refused}, "s2-r1-t1": {State: workflow.Refused}}, "a|fix|add", agent.StatusFinished, "a by x",
		},
		{"side by side", flow(agent.FlowParallel, step("a", "x"), step("b", "x"), step("c", "y", "a", "b")), nil, "a b|c", agent.StatusFinished, "c by y"},
		{"several answers", flow(agent.FlowParallel, step("a", "x"), step("b", "x")), nil, "a b", agent.StatusFinished, "## a\n\na by x\n\n## b\n\nb by x"},
		{"retry", flow(agent.FlowParallel, retried), map[string]workflow.Call{"s0-r1-t1": failed}, "draft|draft", agent.StatusFinished, "draft by writer"},
		{"fallback", flow(agent.FlowParallel, retried), map[string]workflow.Call{"s0-r1-t1": failed, "s0-r1-t2": failed}, "draft|draft|draft", agent.StatusFinished, "draft by other"},
		{
			"a person has it made again", flow(agent.FlowParallel, step("a", "x")),
			map[string]workflow.Call{"s0-r1-t1": failed, "s0-r1-q1": answered("Make it again")}, "a|a|a", agent.StatusFinished, "a by x",
		},
		{
			"a person goes on without it", flow(agent.FlowParallel, step("a", "x"), step("b", "y")),
			map[string]workflow.Call{"s0-r1-t1": failed, "s0-r1-q1": answered("Go on without it")}, "a b|a", agent.StatusFinished, "b by y",
		},
		{
			"a person stops", flow(agent.FlowParallel, step("a", "x"), step("b", "y")),
			map[string]workflow.Call{"s0-r1-t1": failed, "s0-r1-q1": answered("Stop")}, "a b|a", agent.StatusStopped, "b by y",
		},
		{
			"what a person has stopped is not made again", flow(agent.FlowParallel, retried),
			map[string]workflow.Call{"s0-r1-t1": {State: workflow.Failed, Futile: true, Stopped: true}, "s0-r1-q1": answered("Stop")}, "draft|draft", agent.StatusStopped, "",
		},
		{"two of three, one of which fails", some, map[string]workflow.Call{"s1-r1-t1": failed}, "a b c|end", agent.StatusFinished, "end by y"},
		{
			"two of three, two of which fail", some, map[string]workflow.Call{"s1-r1-t1": failed, "s2-r1-t1": failed, "s1-r1-q1": answered("Make it again")},
			"a b c|b|b|end", agent.StatusFinished, "end by y",
		},
		{"the best", best, map[string]workflow.Call{"s3-r1-t1": valued(`{"best": "b"}`)}, "a b c|judge", agent.StatusFinished, "b by x"},
		{
			"the best, of which one fails, with a judge who names none at first", best,
			map[string]workflow.Call{"s0-r1-t1": failed, "s3-r1-t1": valued(`{"best": "a"}`), "s3-r1-t2": valued(`{"best": "c"}`)}, "a b c|judge|judge", agent.StatusFinished, "c by x",
		},
		{"accepted at once", loop, nil, "work|review", agent.StatusFinished, "work by x"},
		{"accepted in words only", loop, map[string]workflow.Call{
			"s1-r1-t1": answered("accepted: true. I accept."), "s1-r1-q1": answered("Stop"),
		}, "work|review|review", agent.StatusStopped, "work by x"},
		{"accepted in the second round", loop, map[string]workflow.Call{"s1-r1-t1": valued(no)}, "work|review|work|review", agent.StatusFinished, "work by x"},
		{
			"a person accepts", loop, map[string]workflow.Call{"s1-r1-t1": valued(no), "s1-r2-t1": valued(no)},
			"work|review|work|review|review", agent.StatusFinished, "work by x",
		},
		{
			"one more round", loop, map[string]workflow.Call{"s1-r1-t1": valued(no), "s1-r2-t1": valued(no), "s1-r2-q0": answered("One more round")},
			"work|review|work|review|review|work|review", agent.StatusFinished, "work by x",
		},
		{
			"a person stops the loop", loop, map[string]workflow.Call{"s1-r1-t1": valued(no), "s1-r2-t1": valued(no), "s1-r2-q0": answered("Stop")},
			"work|review|work|review|review", agent.StatusStopped, "work by x",
		},
		{"a mesh", mesh, map[string]workflow.Call{"s1-r1-t1": valued(`{"post": "Wait.", "done": false}`)}, "a b|a b|sum", agent.StatusFinished, "sum by z"},
		{"a hierarchy", flow(agent.FlowHierarchy, step("lead", "x"), step("hand", "y"), step("after", "z", "lead")), nil, "lead|after", agent.StatusFinished, "after by z"},
		{
			"people", flow(agent.FlowParallel, step("a", "x"), step("b", "y"), person("pick", agent.PersonChooses, "a", "b"), person("fix", agent.PersonCorrects, "pick"), person("add", agent.PersonSupplements, "fix")),
			map[string]workflow.Call{"s2-r1-t1": answered("b"), "s3-r1-t1": answered("Fixed."), "s4-r1-t1": answered("Added.")}, "a b|pick|fix|add", agent.StatusFinished, "Fixed.\n\nAdded.",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, test.flow, says(test.by))
			end := p.toTheEnd(t)
			var waves []string
			for _, wave := range p.waves {
				waves = append(waves, strings.Join(wave, " "))
			}
			if got := strings.Join(waves, "|"); got != test.waves {
				t.Errorf("began %s, want %s", got, test.waves)
			}
			if end.Status != test.end || end.Answer != test.want {
				t.Errorf("ended %s (%s) with %q, want %s with %q", end.Status, end.Because, end.Answer, test.end, test.want)
			}
		})
	}
}

// TestUsualQuestions: a person's step that says nothing asks by what the person does, in the message's language.
func TestUsualQuestions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		message string
		does    agent.PersonStep
		want    string
	}{
		{"Tea.", agent.PersonApproves, "Is this ready to be used as it is?"},
		{"绿茶", agent.PersonApproves, "可以直接使用吗？"},
		{"Tea.", agent.PersonCorrects, "Correct this where it is wrong."},
		{"绿茶", agent.PersonSupplements, "这里还缺什么？"},
		{"Tea.", agent.PersonTakesOver, "It is your turn: write the answer."},
	} {
		asks := person("last", test.does, "a")
		asks.Task = ""
		p := start(t, flow(agent.FlowParallel, step("a", "x"), asks), done)
		p.Message = test.message
		p.toTheEnd(t)
		if ask := p.asked[1].Ask; !strings.HasPrefix(ask.Question+ask.Reason, test.want) {
			t.Errorf("%s asks %q, want %q", test.does, ask.Question+ask.Reason, test.want)
		}
	}
}

func TestInputs(t *testing.T) {
	t.Parallel()
	w := flow(agent.FlowParallel, step("long", "x"), step("short", "x"), step("end", "y", "long", "short"))
	p := start(t, w, says(map[string]workflow.Call{
		"s0-r1-t1": {State: workflow.Done, StepResult: agent.StepResult{RunID: "run-1", Answer: strings.Repeat("long ", 20_000)}},
		"s1-r1-t1": {State: workflow.Done, StepResult: agent.StepResult{RunID: "run-2", Answer: "short", Values: map[string]json.RawMessage{"n": json.RawMessage("1")}}},
	}))
	p.Message, p.Inputs = "Tell me.", map[string]json.RawMessage{"topic": json.RawMessage(`"ships"`)}
	p.toTheEnd(t)
	var in struct {
		Message, Topic string
		Long, Short    struct {
			Answer, More string
			Values       map[string]int
		}
	}
	text := agent.MustJSON(p.asked[2].Delegate.Inputs)
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatal(err)
	}
	if in.Message != "Tell me." || in.Topic != "ships" || in.Short.Answer != "short" || in.Short.Values["n"] != 1 || in.Short.More != "" {
		t.Errorf("the inputs are %.300s", text)
	}
	if len(text) > 34<<10 || len(in.Long.Answer) < 30<<10 || !strings.Contains(in.Long.More, "100000 characters") || !strings.Contains(in.Long.More, "read_result and runId run-1") {
		t.Errorf("%d bytes, of which %d are the long answer; more is %q", len(text), len(in.Long.Answer), in.Long.More)
	}
}

func TestTeam(t *testing.T) {
	t.Parallel()
	w := flow(agent.FlowHierarchy, step("lead", "x"), step("a", "y"), step("b", "y"), step("after", "z", "lead"))
	for id, want := range map[string][]string{"s0-r1-t1-abc": {"y"}, "s3-r1-t1-abc": nil, "call_1": nil} {
		team, leads := workflow.Team(w, id)
		if diff := cmp.Diff(want, team); diff != "" || leads != (want != nil) {
			t.Errorf("%s: leads %v\n%s", id, leads, diff)
		}
	}
	w.Kind = agent.FlowDynamic
	if team, leads := workflow.Team(w, "s0-r1-t2"); team != nil || !leads {
		t.Errorf("the leader of all has %v, %v", team, leads)
	}
}

// TestNextEnds: whatever the definition says and whatever comes of its calls, it ends, no
// step begins before those that it needs, and nothing begins twice.
func TestNextEnds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := anyFlow(r)
		if w.Check() != nil {
			continue
		}
		p := start(t, w, func(b workflow.Begin) workflow.Call { return anyOutcome(r, b) })
		p.toTheEnd(t)
		most := 0
		for range w.Steps {
			most += (w.MaxRounds() + agent.MaxWorkflowRounds + 1) * 2 * (agent.MaxRetries + 8)
		}
		if len(p.Calls) > most {
			t.Errorf("seed %d: %d calls of %d steps", seed, len(p.Calls), len(w.Steps))
		}
		began := map[int]int{}
		for i, b := range p.asked {
			if _, ok := began[b.Key.Place]; !ok {
				began[b.Key.Place] = i
			}
		}
		for at := range w.Steps {
			mine, ok := began[at]
			for _, need := range w.Needs(at) {
				theirs, was := began[need]
				if ok && was && theirs >= mine {
					t.Errorf("seed %d: %s began before %s", seed, w.StepName(at), w.StepName(need))
				}
			}
		}
	}
}

func anyFlow(r *rand.Rand) agent.Workflow {
	kinds := []agent.WorkflowKind{agent.FlowSequence, agent.FlowParallel, agent.FlowHierarchy, agent.FlowMesh, agent.FlowLoop, agent.FlowDynamic}
	w := flow(kinds[r.IntN(len(kinds))])
	people := []agent.PersonStep{agent.PersonApproves, agent.PersonCorrects, agent.PersonSupplements, agent.PersonTakesOver, agent.PersonChooses}
	first := 1 + r.IntN(4)
	if w.Kind == agent.FlowLoop {
		first = 2
	}
	for i := range first + r.IntN(4) {
		s := step(fmt.Sprint("n", i), "x")
		s.Retries = r.IntN(3)
		if i >= first {
			for j := range i {
				if r.IntN(2) == 0 || j == i-1 && len(s.Needs) == 0 {
					s.Needs = append(s.Needs, fmt.Sprint("n", j))
				}
			}
			if r.IntN(3) == 0 {
				s.Agent, s.Retries, s.Person = "", 0, people[r.IntN(len(people))]
			}
		}
		w.Steps = append(w.Steps, s)
	}
	if w.Kind == agent.FlowParallel && first > 1 {
		switch r.IntN(3) {
		case 0:
			w.Join, w.Count = agent.JoinSome, 1+r.IntN(first)
		case 1:
			w.Join, w.Judge = agent.JoinBest, "judge"
		}
	}
	return w
}

func anyOutcome(r *rand.Rand, b workflow.Begin) workflow.Call {
	switch n := r.IntN(10); {
	case n < 3:
		return workflow.Call{State: workflow.Failed, Why: "It broke.", Futile: n == 0}
	case n == 3 && r.IntN(5) == 0:
		return workflow.Call{State: workflow.Refused}
	}
	c := done(b)
	if b.Ask != nil && len(b.Ask.Options) > 0 {
		c.Answer = b.Ask.Options[r.IntN(len(b.Ask.Options))]
	}
	for name, value := range c.Values {
		switch {
		case string(value) == "true":
			c.Values[name] = json.RawMessage([]string{"true", "false", `"true"`}[r.IntN(3)])
		case name == "best":
			c.Values[name] = json.RawMessage([]string{`"n0"`, `"n1"`, `"none"`}[r.IntN(3)])
		}
	}
	return c
}

func TestAnnounce(t *testing.T) {
	t.Parallel()
	a := workflow.Begin{Key: workflow.Key{Round: 1}, Step: "a", Delegate: &workflow.Delegate{Agent: "x"}}
	b := workflow.Begin{Key: workflow.Key{Round: 1}, Step: "b", Ask: &workflow.Ask{}}
	again := a
	again.Key.Round = 2
	for want, begin := range map[string][]workflow.Begin{"Step a: x": {a}, "Step b": {b}, "Steps: a (x), b": {a, b}, "Round 2. Step a: x": {again}} {
		if got := workflow.Announce("Go.", begin); got != want {
			t.Errorf("says %q, want %q", got, want)
		}
	}
	if got := workflow.Announce("开始", []workflow.Begin{again, b}); got != "第 2 轮。步骤：a（x）、b" {
		t.Errorf("says %q", got)
	}
}
