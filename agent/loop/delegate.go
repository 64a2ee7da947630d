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
	"fusebox/agent/workflow"
)

// delegator hands tasks of the run over to children, and takes in what comes of them.
type delegator struct {
	*rows
	auth     *authorizer
	executor *executor
	account  *account
}

// delegation are the arguments of a call that hands a task over.
type delegation struct {
	Agent    string                     `json:"agent"`
	Workflow string                     `json:"workflow"`
	Task     string                     `json:"task"`
	Inputs   map[string]json.RawMessage `json:"inputs"`
	Outputs  map[string]string          `json:"outputs"`
}

func isDelegation(c agent.ToolCall) bool { return c.Name == agent.DelegateTool }

// delegate makes the child run of a call, in the commit that claims the call: a crash leaves
// both or neither. What cannot be handed over becomes the call's result.
func (de *delegator) delegate(c agent.ToolCall) error {
	if d := de.auth.authorize(c); d.outcome != allowed {
		return de.executor.route(c, d)
	}
	child, err := de.newChild(c)
	if err != nil {
		return de.refuse(c, agent.MessageOf(err))
	}
	_, e := de.executor.claim(c)
	e.Spawn = child
	err = de.commit(e)
	switch {
	case errors.Is(err, agent.ErrTreeFull):
		return de.refuse(c, fmt.Sprintf("No further agent can be asked: there are as many runs in this tree as there may be, %d besides the steps of a workflow. Do the work yourself, or end with what you have.", agent.MaxTree))
	case errors.Is(err, agent.ErrRevoked):
		return de.executor.route(c, de.auth.revoked(c))
	case err != nil:
		return err
	}
	de.family.children = append(de.family.children, agent.Child{Run: child.Run})
	de.loop.wakeRunner()
	return nil
}

func (de *delegator) refuse(c agent.ToolCall, why string) error {
	de.stage(de.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrInvalidParams, why))
	return nil
}

// newChild is the child run that a call asks for. Its error is for the model.
func (de *delegator) newChild(c agent.ToolCall) (*agent.NewChild, error) {
	var d delegation
	if err := json.Unmarshal(agent.RawArgs(c.Args), &d); err != nil {
		return nil, agent.Errorf(agent.Invalid, "The arguments cannot be read.")
	}
	def, flow, err := de.family.chosen(d)
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(d.Task) == "":
		return nil, agent.Errorf(agent.Invalid, "The task is empty. Say what the agent is to do and what it is to hand back.")
	case de.run.Lineage.IsChild() && de.family.workflow == nil && de.isOwnTask(d):
		return nil, agent.Errorf(agent.Invalid, "You, or an agent above you, were given this very task. Do the work yourself, or hand over a smaller part of it.")
	}
	outputs, purposes, err := outputsOf(d)
	if err != nil {
		return nil, agent.Errorf(agent.Invalid, "%s", validationText(err))
	}
	task := taskText(d)
	run := agent.Run{
		ID: de.newID(), ConversationID: de.conv.ID, UserID: de.run.UserID, Status: agent.StatusQueued,
		Model: de.run.Model, Agent: def.Name, AgentVersion: def.Version, CreatedAt: de.now(),
		Lineage: agent.Lineage{ParentRunID: de.run.ID, ParentCallID: c.ID, RootRunID: de.run.RootID(), Depth: de.run.Lineage.Depth + 1},
		// Its tokens and money come out of its root's budget, so that only what its agent sets is its own.
		Limits: def.Limits.Lower(agent.Limits{Steps: de.run.Limits.Steps, DurationMS: de.run.Limits.DurationMS}),
		State: agent.RunState{
			Outputs: outputs, Purposes: purposes, DocumentID: de.run.State.DocumentID, NoInstructions: true, Cheaper: de.run.State.Cheaper,
			Untrusted: de.auth.untrusted(), Told: de.toldIn(task), Tools: de.family.tools(de.run), Knowledge: de.family.knowledge(de.run), Mode: de.family.mode(de.run, ""),
		},
	}
	run.State.Team, run.State.Workflow = de.run.State.Team, flow
	if w := de.family.workflow; w != nil {
		run.State.Team, run.State.Leads = workflow.Team(*w, c.ID)
		run.State.ReadsOthers = strings.Contains(task, agent.ReadResultTool)
	}
	if def.Model != "" {
		run.Model, run.State.Cheaper = def.Model, ""
	}
	return &agent.NewChild{Run: run, Message: agent.Message{
		ID: de.newID(), ConversationID: de.conv.ID, Role: agent.FromUser, Content: task, RunID: run.ID, CreatedAt: run.CreatedAt,
	}}, nil
}

// outputsOf are the outputs that a child has to deliver, with their types, and what they are for.
func outputsOf(d delegation) (outputs, purposes map[string]string, err error) {
	outputs, purposes = map[string]string{}, map[string]string{}
	for name, kind := range d.Outputs {
		typed, known := agent.OutputTypeOf(kind)
		if !known { // some models say what it is for in the place of the type
			typed, purposes[name] = "string", kind
		}
		outputs[name] = typed
	}
	return outputs, purposes, errors.Join(agent.CheckOutputs(outputs), agent.CheckPurposes(purposes))
}

// isOwnTask reports whether a task is that of the run, or of one on the way to it.
func (de *delegator) isOwnTask(d delegation) bool {
	keys := []string{agent.TaskKey(d.Task), agent.TaskKey(taskText(d))}
	return slices.ContainsFunc(de.family.path, func(s agent.PathStep) bool { return slices.Contains(keys, s.Key) })
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
func (de *delegator) toldIn(task string) (told []string) {
	for _, at := range taskAddress.FindAllString(task, maxTold) {
		at = strings.TrimRight(at, ".,:;!?、。，；：！？`*_")
		if de.auth.told(at) && !slices.Contains(told, at) {
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

// maxHosts bounds how many hosts a run may link to because its children may.
const maxHosts = 200

// takeIn gives the calls whose children have ended their results.
func (de *delegator) takeIn() {
	r := de.with(agent.StatusRunning)
	r.State.Hosts = slices.Clone(r.State.Hosts)
	var e agent.Change
	var left []agent.Child
	for _, child := range de.family.children {
		i := de.calls.index(child.Lineage.ParentCallID)
		if !child.Status.Ended() || i < 0 || de.calls.list[i].State != agent.CallExecuting {
			left = append(left, child)
			continue
		}
		state, kind, text := de.outcomeOf(child)
		call := de.calls.list[i]
		call.Documents = sources.DocumentsOf(child.Citations)
		e = e.Then(de.tools.finish(call, agent.CallReturned, state, kind, text))
		r.State.Untrusted = r.State.Untrusted || child.State.Untrusted
		for _, h := range child.Hosts {
			if len(r.State.Hosts) < maxHosts && !slices.Contains(r.State.Hosts, h) {
				r.State.Hosts = append(r.State.Hosts, h)
			}
		}
	}
	de.family.children = left
	e.Run = r
	de.stage(e)
}

// stop ends the children of the run on behalf of somebody, and waits until they have.
func (de *delegator) stop(by string) error {
	r := de.with(agent.StatusPaused)
	r.State.Stopping = true
	if err := de.commit(agent.Change{Run: r, StopsBelow: by}); err != nil {
		return err
	}
	return de.stopBelow()
}

// stopBelow has the runs below this one hear at once that they are to end.
func (de *delegator) stopBelow() error {
	ctx, cancel := commitContext()
	defer cancel()
	below, err := de.journal.EndingBelow(ctx, de.run.ID)
	if err != nil {
		return err
	}
	for _, r := range below {
		if de.loop.stopRun != nil {
			de.loop.stopRun(r.ID, r.AbortBy)
		}
	}
	de.loop.wakeRunner()
	return nil
}
