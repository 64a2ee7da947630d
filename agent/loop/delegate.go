package loop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/sources"
)

// delegation are the arguments of a call that hands a task over.
type delegation struct {
	Agent   string                     `json:"agent"`
	Task    string                     `json:"task"`
	Inputs  map[string]json.RawMessage `json:"inputs"`
	Outputs map[string]string          `json:"outputs"`
}

func isDelegation(c agent.ToolCall) bool { return c.Name == agent.DelegateTool }

// delegate makes the child run of a call, in the commit that claims the call: a crash leaves
// both or neither. What cannot be handed over becomes the call's result.
func (x *execution) delegate(c agent.ToolCall) error {
	if d := x.auth.authorize(c); d.outcome != allowed {
		return x.executor.route(c, d)
	}
	child, err := x.newChild(c)
	if err != nil {
		return x.refuseDelegation(c, agent.MessageOf(err))
	}
	_, e := x.executor.claim(c)
	e.Spawn = child
	err = x.commit(e)
	switch {
	case errors.Is(err, agent.ErrTreeFull):
		return x.refuseDelegation(c, fmt.Sprintf("No further agent can be asked: %d runs are in this tree, its limit. Do the work yourself, or end with what you have.", agent.MaxTree))
	case errors.Is(err, agent.ErrRevoked):
		return x.executor.route(c, x.auth.revoked(c))
	case err != nil:
		return err
	}
	x.family.children = append(x.family.children, agent.Child{Run: child.Run})
	x.wakeRunner()
	return nil
}

func (x *execution) refuseDelegation(c agent.ToolCall, why string) error {
	x.stage(x.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrInvalidParams, why))
	return nil
}

// newChild is the child run that a call asks for. Its error is for the model.
func (x *execution) newChild(c agent.ToolCall) (*agent.NewChild, error) {
	var d delegation
	if err := json.Unmarshal(agent.RawArgs(c.Args), &d); err != nil {
		return nil, agent.Errorf(agent.Invalid, "The arguments cannot be read.")
	}
	def, known := x.family.named(d.Agent)
	switch {
	case !known:
		return nil, agent.Errorf(agent.Invalid, "There is no agent %q. The agents are:%s", agent.Clip(d.Agent, 100), x.family.listed())
	case strings.TrimSpace(d.Task) == "":
		return nil, agent.Errorf(agent.Invalid, "The task is empty. Say what the agent is to do and what it is to hand back.")
	case x.run.Lineage.IsChild() && x.isOwnTask(d):
		return nil, agent.Errorf(agent.Invalid, "You, or an agent above you, were given this very task. Do the work yourself, or hand over a smaller part of it.")
	}
	outputs, purposes := map[string]string{}, map[string]string{}
	for name, kind := range d.Outputs {
		typed, known := agent.OutputTypeOf(kind)
		if !known { // some models say what it is for in the place of the type
			typed, purposes[name] = "string", kind
		}
		outputs[name] = typed
	}
	if err := errors.Join(agent.CheckOutputs(outputs), agent.CheckPurposes(purposes)); err != nil {
		return nil, agent.Errorf(agent.Invalid, "%s", validationText(err))
	}
	task := taskText(d)
	run := agent.Run{
		ID: x.newID(), ConversationID: x.conv.ID, UserID: x.run.UserID, Status: agent.StatusQueued,
		Model: x.run.Model, Agent: def.Name, AgentVersion: def.Version, CreatedAt: x.now(),
		Lineage: agent.Lineage{ParentRunID: x.run.ID, ParentCallID: c.ID, RootRunID: x.run.RootID(), Depth: x.run.Lineage.Depth + 1},
		Limits:  limitsOf(x.run.Limits, def.Limits),
		State: agent.RunState{
			Outputs: outputs, Purposes: purposes, DocumentID: x.run.State.DocumentID, NoInstructions: true, Cheaper: x.run.State.Cheaper,
			Untrusted: x.auth.untrusted(), Told: x.toldIn(task), Tools: x.family.tools(x.run), Knowledge: x.family.knowledge(x.run), Mode: x.family.mode(x.run, ""),
		},
	}
	if def.Model != "" {
		run.Model, run.State.Cheaper = def.Model, ""
	}
	return &agent.NewChild{Run: run, Message: agent.Message{
		ID: x.newID(), ConversationID: x.conv.ID, Role: agent.FromUser, Content: task, RunID: run.ID, CreatedAt: run.CreatedAt,
	}}, nil
}

// isOwnTask reports whether a task is that of the run, or of one on the way to it.
func (x *execution) isOwnTask(d delegation) bool {
	keys := []string{agent.TaskKey(d.Task), agent.TaskKey(taskText(d))}
	return slices.ContainsFunc(x.family.path, func(s agent.PathStep) bool { return slices.Contains(keys, s.Key) })
}

// limitsOf are the limits of a child. Its tokens and money come out of its root's budget, so
// that only what its agent sets is its own.
func limitsOf(parent agent.Limits, own agent.AgentLimits) agent.Limits {
	return own.Lower(agent.Limits{Steps: parent.Steps, DurationMS: parent.DurationMS})
}

// taskText is what a child is told: its task, and its inputs as JSON behind it.
func taskText(d delegation) string {
	if len(d.Inputs) == 0 {
		return d.Task
	}
	var b bytes.Buffer
	if json.Indent(&b, agent.MustJSON(d.Inputs), "", "  ") != nil {
		return d.Task
	}
	return agent.TaskWithInputs(d.Task, b.String())
}

// taskAddress finds where a task may name an address.
var taskAddress = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"'()\[\]{}|\\]+`)

// maxTold bounds how many addresses of a task are passed on as named.
const maxTold = 50

// toldIn are the addresses in a task that people, or what this run has read, have named.
func (x *execution) toldIn(task string) (told []string) {
	for _, at := range taskAddress.FindAllString(task, maxTold) {
		at = strings.TrimRight(at, ".,:;!?、。，；：！？`*_")
		if x.auth.told(at) && !slices.Contains(told, at) {
			told = append(told, at)
		}
	}
	return told
}

// told reports whether people, or what the run has read, have named an address. The task of
// a child has been written by a model: it names what its parent knew to be named.
func (au *authorizer) told(address string) bool {
	branch, suspect := au.transcript.branch, false
	if au.run.Lineage.IsChild() {
		branch, suspect = branch[min(1, len(branch)):], au.run.State.Untrusted
	}
	return sources.Told(branch, address, suspect) || slices.Contains(au.run.State.Told, address)
}

// untrusted reports whether the run knows text of the web or of documents.
func (au *authorizer) untrusted() bool { return au.run.State.Untrusted || au.transcript.untrusted() }

// takeIn gives the calls whose children have ended their results.
func (x *execution) takeIn() {
	r := x.with(agent.StatusRunning)
	var e agent.Change
	var left []agent.Child
	for _, child := range x.family.children {
		i := x.calls.index(child.Lineage.ParentCallID)
		if !child.Status.Ended() || i < 0 || x.calls.list[i].State != agent.CallExecuting {
			left = append(left, child)
			continue
		}
		state, kind, text := x.outcomeOf(child)
		call := x.calls.list[i]
		call.Documents = sources.DocumentsOf(child.Citations)
		e = e.Then(x.tools.finish(call, agent.CallReturned, state, kind, text))
		r.State.Untrusted = r.State.Untrusted || child.State.Untrusted
		r.State.Hosts = union(r.State.Hosts, child.Hosts)
	}
	x.family.children = left
	e.Run = r
	x.stage(e)
}

// maxHosts bounds how many hosts a run may link to because its children may.
const maxHosts = 200

// union is a list with those of others that it lacks.
func union(hosts, others []string) []string {
	hosts = slices.Clone(hosts)
	for _, h := range others {
		if len(hosts) < maxHosts && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// childEnded reports whether a call's child has ended.
func (x *execution) childEnded() bool {
	return slices.ContainsFunc(x.family.children, func(c agent.Child) bool { return c.Status.Ended() })
}

// endAfterChildren ends the run once those below it have: no run ends before its children.
// They are stopped on behalf of whoever ends this one.
func (x *execution) endAfterChildren(how ending, by string) error {
	if len(x.family.open()) == 0 {
		return x.end(how)
	}
	return x.stopChildren(by)
}

// stopChildren ends the children of the run on behalf of somebody, and waits until they have.
func (x *execution) stopChildren(by string) error {
	r := x.with(agent.StatusPaused)
	r.State.Stopping = true
	if err := x.commit(agent.Change{Run: r, StopsBelow: by}); err != nil {
		return err
	}
	return x.stopBelow()
}

// stopBelow has the runs below this one hear at once that they are to end.
func (x *execution) stopBelow() error {
	ctx, cancel := commitContext()
	defer cancel()
	below, err := x.journal.EndingBelow(ctx, x.run.ID)
	if err != nil {
		return err
	}
	for _, r := range below {
		if x.stopRun != nil {
			x.stopRun(r.ID, r.AbortBy)
		}
	}
	x.wakeRunner()
	return nil
}

// branchOf is what a run has read whose answer this one has read; nothing where that is not known.
func (x *execution) branchOf(runID string) []agent.Message {
	ctx, cancel := commitContext()
	defer cancel()
	branch, err := x.journal.AnswerBranch(ctx, x.conv.ID, runID)
	if err != nil {
		x.Log.Warn("what a run has read is not known", "run_id", runID, "error", err)
	}
	return branch
}

// source sets what the text of a new message cites and links to. said are further texts of
// people. The task of a child is the words of a model: it names what its parent knew to be named.
func (x *execution) source(m *agent.Message, said ...string) {
	t := &x.transcript
	t.sources.Read(t.branch)
	t.sources.Sourced(m, x.branchOf)
	branch := t.branch
	if x.run.Lineage.IsChild() {
		branch = branch[min(1, len(branch)):]
	}
	sources.SetHosts(m, branch, append(slices.Concat(said, x.run.State.Told, x.run.State.Hosts), x.conv.System)...)
}
