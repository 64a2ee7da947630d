package agent

import (
	"encoding/json"
	"strings"
	"unicode"
)

// DelegateTool is the tool with which a run hands a task to a child run, and ReadResultTool
// the one with which it reads the rest of a long answer of a run of its tree.
const (
	DelegateTool   = "delegate"
	ReadResultTool = "read_result"
)

// The bounds of a tree of runs.
const (
	// MaxDepth is how many levels of children there are below the root.
	MaxDepth = 3
	// MaxTree is how many runs a tree has, its root included; of the tree of a workflow it bounds
	// those that its steps' runs make, and MaxWorkflowTree all.
	MaxTree         = 50
	MaxWorkflowTree = 1500
)

// Lineage is where a run stands in its tree. That of a root is zero.
type Lineage struct {
	// ParentRunID is the run that handed the task over, ParentCallID its call that did, and
	// RootRunID the run that answers the person's message.
	ParentRunID  string
	ParentCallID string
	RootRunID    string
	// Depth is how far the run is below its root.
	Depth int
}

// IsChild reports whether another run has handed the run its task.
func (l Lineage) IsChild() bool { return l.ParentRunID != "" }

// What stands around the inputs of a task. No line of JSON is the same.
const (
	inputsBegin = "\n\nInputs:\n```json\n"
	inputsEnd   = "\n```"
)

// TaskWithInputs is what a child is told: its task, and its inputs, which are JSON, behind it.
func TaskWithInputs(task, inputs string) string {
	return task + inputsBegin + inputs + inputsEnd
}

// SplitTask parts what a child was told into its task and its inputs, "" for none.
func SplitTask(told string) (task, inputs string) {
	at := strings.LastIndex(told, inputsBegin)
	if at < 0 || !strings.HasSuffix(told, inputsEnd) {
		return told, ""
	}
	return told[:at], strings.TrimSuffix(told[at+len(inputsBegin):], inputsEnd)
}

// PathStep is one run on the way from a root to a run, and what it was asked to do.
type PathStep struct {
	RunID string `json:"runId"`
	// Agent is "" for a run that works by no agent's definition, Workflow for one that works by
	// no workflow.
	Agent    string `json:"agent,omitempty"`
	Workflow string `json:"workflow,omitempty"`
	Task     string `json:"task"`
	// Key is the same for tasks that are the same, see TaskKey.
	Key string `json:"-"`
}

// maxPathTask bounds how much of a task is told on the way to a run, in bytes.
const maxPathTask = 500

// NewPathStep is a step with the beginning of its task, without the inputs.
func NewPathStep(runID, agent, told string) PathStep {
	task, _ := SplitTask(told)
	return PathStep{RunID: runID, Agent: agent, Task: Clip(strings.TrimSpace(task), maxPathTask), Key: TaskKey(told)}
}

// NewChild is a run that a run makes for one of its calls, with the message that has its task.
type NewChild struct {
	Run     Run
	Message Message
}

// Child is what a child run has come to, for the run that made it.
type Child struct {
	Run
	// Answer is the last text of its model, "" for none.
	Answer string
	// Citations are the sources that the answer names by their ids, and the values by their numbers.
	Citations []Citation
	// Hosts are those that the answer may link to.
	Hosts []string
	// Calls are those of the child and of the runs below it, in the order of runs and steps.
	Calls []ToolCall
}

// DelegateResult is what a model reads of a task that it has handed over.
type DelegateResult struct {
	RunID      string     `json:"runId"`
	Agent      string     `json:"agent,omitempty"`
	Workflow   string     `json:"workflow,omitempty"`
	Status     Status     `json:"status"`
	StopReason StopReason `json:"stopReason,omitempty"`
	// Untrusted says that the run has read text of the web or of documents. It stands before what
	// can be long, so that a result that is cut still says it.
	Untrusted bool `json:"untrusted,omitempty"`
	// TookMS is how long it took, from when the task was handed over.
	TookMS int64 `json:"tookMs"`
	// Why is the reason an unfinished run ended, and how to treat its answer.
	Why string `json:"why,omitempty"`
	// Sources are those that Answer and Values name, before them as well.
	Sources []HandedSource `json:"sources,omitempty"`
	Answer  string         `json:"answer,omitempty"`
	// More says how to read on where Answer is only the beginning.
	More   string                     `json:"more,omitempty"`
	Values map[string]json.RawMessage `json:"values,omitempty"`
	// Missing are declared outputs that were not delivered.
	Missing []string `json:"missing,omitempty"`
	// Partial says that the task is not done, or not known to be.
	Partial bool `json:"partial"`
	// Effects are the calls that have changed something, Did all others of a run that gave no answer.
	Effects []string `json:"effects"`
	Did     []string `json:"did,omitempty"`
}

// HandedSource is a source of what a run hands back, which stands there as [ID]: a page, or a
// passage of a document.
type HandedSource struct {
	ID         string `json:"id"`
	DocumentID string `json:"documentId,omitempty"`
	URL        string `json:"url,omitempty"`
	Name       string `json:"name"`
}

// Answer is what ReadResultTool reads of a run: its last text, or a value that it has delivered.
type Answer struct {
	Text string
	// Citations are the sources that the text names by their ids.
	Citations []Citation
	// Agent is "" for a run that works by no agent's definition.
	Agent string
	// Untrusted says that the run has read text of the web or of documents, or still may.
	Untrusted bool
}

// TaskKey is the same for tasks that differ in letter case, spaces, and punctuation only.
func TaskKey(task string) string {
	return hashOf(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, task))
}

// OutputTypeOf is the type of an output that a model has named, as models also name it.
func OutputTypeOf(name string) (kind string, known bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "list":
		name = "array"
	case "text":
		name = "string"
	case "bool":
		name = "boolean"
	case "int":
		name = "integer"
	case "float":
		name = "number"
	case "map", "dict":
		name = "object"
	}
	_, known = OutputTypes[name]
	return name, known
}
