package agent

import (
	"context"
	"encoding/json"
	"time"
)

// LoopEvidence is the evidence of a loop approval.
type LoopEvidence struct {
	Detector  string         `json:"detector"`
	Count     int            `json:"count"`
	Threshold int            `json:"threshold"`
	Calls     []EvidenceCall `json:"calls"`
	// Text is what repeats, once, where it is not a call. Rule says in what way,
	// where the detector knows several, and Place where in the answer.
	Text  string        `json:"text,omitempty"`
	Rule  string        `json:"rule,omitempty"`
	Place *TextPlace    `json:"place,omitempty"`
	Also  []AlsoTripped `json:"also"`
	// Files are those that decide what the held call does, as for ToolEvidence.
	Files []SeenFile `json:"files,omitempty"`
}

// TextPlace is where in an answer something begins.
type TextPlace struct {
	At     int    `json:"at"`     // characters before it
	Before string `json:"before"` // the last of them
}

// EvidenceCall is one call of a streak, as a reviewer sees it. N is its position in its run,
// or in the streak where several runs have a part in it. RunID and Agent say who made it,
// where a run is not alone.
type EvidenceCall struct {
	N          int             `json:"n"`
	RunID      string          `json:"runId,omitempty"`
	Agent      string          `json:"agent,omitempty"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args"`
	Result     string          `json:"result"`
	Images     []Image         `json:"images,omitempty"`
	Blocked    bool            `json:"blocked"`
	Tokens     int64           `json:"tokens"`
	CostMicros int64           `json:"costMicros"`
	At         time.Time       `json:"at,omitzero"`
}

// AlsoTripped names a second detector that saw the same streak.
type AlsoTripped struct {
	Detector string `json:"detector"`
	Count    int    `json:"count"`
	Message  string `json:"message"`
}

// ToolEvidence is the evidence of a tool approval.
type ToolEvidence struct {
	Effect Effect    `json:"effect"`
	Rule   Authority `json:"rule"`
	// Fingerprint is that of a tool from outside: what the decision allows later holds
	// for this very tool.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Source is where the tool comes from, "" for a built-in one, and Runs the program or
	// the address that a call goes to.
	Runs   string `json:"runs,omitempty"`
	Source string `json:"source,omitempty"`
	// Request is what a call sends to a service: the method, the address, headers, and the body.
	Request string `json:"request,omitempty"`
	Command string `json:"command,omitempty"`
	Cwd     string `json:"cwd,omitempty"`
	Diff    string `json:"diff,omitempty"`
	// Env names the variables that a command gets; their values stay inside.
	Env []string `json:"env,omitempty"`
	// Walls are what keeps a command from the rest of the machine.
	Walls *Walls `json:"walls,omitempty"`
	// Files are those of the workspace that decide what the call does, as they will be
	// when it runs. If they are not, it is asked about again.
	Files []SeenFile `json:"files,omitempty"`
	// FilesDecide says that the arguments alone do not say what the call does: it runs
	// what is in Files.
	FilesDecide bool `json:"filesDecide,omitempty"`
	// Before are the calls of the same answer that run before this one.
	Before []EarlierCall `json:"before,omitempty"`
	// Changed is what has changed of Files since the call was allowed the last time,
	// and Allowed when and by whom that was.
	Changed []FileChange `json:"changed,omitempty"`
	Allowed *LastAllowed `json:"allowed,omitempty"`
}

// Walls are what keeps a program that the server starts from what is not its own, by the
// names that the package sandbox gives them.
type Walls struct {
	Standing []string `json:"standing"`
	Missing  []string `json:"missing"`
	// By names what they are made of.
	By []string `json:"by"`
	// Hold says that no program reaches what is not its own.
	Hold bool `json:"hold"`
}

// LastAllowed is when a call was allowed before.
type LastAllowed struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// QuestionEvidence is the evidence of a question that the agent asks, or a server during
// a call.
type QuestionEvidence struct {
	Question string `json:"question"`
	// Multiple takes several of the options; FreeText a text of one's own.
	Multiple bool `json:"multiple,omitempty"`
	FreeText bool `json:"freeText"`
	// Draft is a text that the agent proposes and the person edits, "" for none. A question has
	// either a draft or options.
	Draft string `json:"draft,omitempty"`
	// HandOver says that the agent wants a person to take over; Question is why.
	HandOver bool `json:"handOver,omitempty"`
	// Confidence is how sure the agent is, from 0 to 1, nil where it does not say.
	Confidence *float64 `json:"confidence,omitempty"`
	// Server is the MCP server that asks, "" for the agent. Schema is what its answer has to
	// be, and Preset what it proposes.
	Server string          `json:"server,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
	Preset json.RawMessage `json:"preset,omitempty"`
}

// RunSpending is what one run of a tree has used.
type RunSpending struct {
	RunID      string `json:"runId"`
	Agent      string `json:"agent,omitempty"`
	Tokens     int64  `json:"tokens"`
	CostMicros int64  `json:"costMicros"`
}

// BudgetEvidence is the evidence of a budget approval.
type BudgetEvidence struct {
	// BudgetID, Subject and StartsAt name the account of a budget of an admin; a
	// run's or conversation's own budget has none. SubjectName is for people.
	BudgetID    string    `json:"budgetId,omitempty"`
	Subject     string    `json:"subject,omitempty"`
	SubjectName string    `json:"subjectName,omitempty"`
	StartsAt    time.Time `json:"startsAt,omitzero"`
	// ResetsAt is when the budget resets, zero for never.
	ResetsAt time.Time `json:"resetsAt,omitzero"`
	// Money says that the limit in money is in the way.
	Money bool `json:"money,omitempty"`
	// Unpriced says that Model has no price, so that no budget in money can cover it.
	Unpriced bool   `json:"unpriced,omitempty"`
	Model    string `json:"model,omitempty"`
	// Runs are those of the tree, the root first, with what each has used; nil for a run alone.
	Runs []RunSpending `json:"runs,omitempty"`
	// Reserved is what other calls in progress have reserved.
	ReservedTokens int64 `json:"reservedTokens,omitempty"`
	ReservedMicros int64 `json:"reservedMicros,omitempty"`
	NextStepMicros int64 `json:"nextStepMicros,omitempty"`

	Scope          string `json:"scope"`
	UsedTokens     int64  `json:"usedTokens"`
	LimitTokens    int64  `json:"limitTokens"`
	UsedMicros     int64  `json:"usedMicros"`
	LimitMicros    int64  `json:"limitMicros"`
	NextStepTokens int64  `json:"nextStepTokens"`
}

// OutcomeEvidence is the evidence of an outcome approval: it is unknown whether the call happened.
type OutcomeEvidence struct {
	ToolName       string          `json:"toolName"`
	Args           json.RawMessage `json:"args"`
	StartedAt      time.Time       `json:"startedAt"`
	IdempotencyKey string          `json:"idempotencyKey"`
	// Output is what the call had put out when it was cut off.
	Output string `json:"output,omitempty"`
	// Files, FilesDecide, Changed and Allowed are as for ToolEvidence: what the call would
	// do if it is run again.
	Files       []SeenFile   `json:"files,omitempty"`
	FilesDecide bool         `json:"filesDecide,omitempty"`
	Changed     []FileChange `json:"changed,omitempty"`
	Allowed     *LastAllowed `json:"allowed,omitempty"`
}

// Evidence is what an approval or a guard's event shows of why it asks, as it is
// stored. It is read here and nowhere else. What does not decode comes from a
// newer program: as much as could be read of it is returned with the error.
type Evidence json.RawMessage

// Tool is the evidence of a tool approval.
func (e Evidence) Tool() (ToolEvidence, error) { return readEvidence[ToolEvidence](e) }

// Loop is the evidence of a loop approval or of a guard's event.
func (e Evidence) Loop() (LoopEvidence, error) { return readEvidence[LoopEvidence](e) }

// Budget is the evidence of a budget approval.
func (e Evidence) Budget() (BudgetEvidence, error) { return readEvidence[BudgetEvidence](e) }

// Question is the evidence of a question.
func (e Evidence) Question() (QuestionEvidence, error) { return readEvidence[QuestionEvidence](e) }

// Outcome is the evidence of an outcome approval.
func (e Evidence) Outcome() (OutcomeEvidence, error) { return readEvidence[OutcomeEvidence](e) }

func readEvidence[T any](e Evidence) (ev T, err error) {
	err = json.Unmarshal(e, &ev)
	return ev, err
}

// ToolEvidence is the evidence of a tool approval.
func (a Approval) ToolEvidence() (ToolEvidence, error) { return Evidence(a.Evidence).Tool() }

// ShowsFiles reports whether the approval has shown which files decide what its call does.
func (a Approval) ShowsFiles() bool {
	return a.Kind == KindTool || a.Kind == KindLoop || a.Kind == KindOutcome
}

// SeenFiles are the files that the approval has shown.
func (a Approval) SeenFiles() []SeenFile {
	ev, _ := a.ToolEvidence() // the others have them in the same place
	return ev.Files
}

// Since notes what has changed of the files since a decision.
func (e *ToolEvidence) Since(then []SeenFile, by string, at time.Time) {
	e.Changed, e.Allowed = ChangedFiles(then, e.Files), &LastAllowed{By: by, At: at}
}

// LoopEvidence is the evidence of a loop approval.
func (a Approval) LoopEvidence() (LoopEvidence, error) { return Evidence(a.Evidence).Loop() }

// BudgetEvidence is the evidence of a budget approval.
func (a Approval) BudgetEvidence() (BudgetEvidence, error) { return Evidence(a.Evidence).Budget() }

// QuestionEvidence is the evidence of a question.
func (a Approval) QuestionEvidence() (QuestionEvidence, error) {
	return Evidence(a.Evidence).Question()
}

// OutcomeEvidence is the evidence of an outcome approval.
func (a Approval) OutcomeEvidence() (OutcomeEvidence, error) { return Evidence(a.Evidence).Outcome() }

// ServerQuestion is a question from a server to the person its call runs for.
type ServerQuestion struct {
	// Server asks; Message is in its own words.
	Server, Message string
	// Schema is the JSON schema of the answer, an object without nested ones; nil asks for
	// a yes or a no. Preset are the values that it proposes.
	Schema, Preset json.RawMessage
}

// ServerAction is what a person does with a server's question.
type ServerAction string

// The actions, as MCP names them.
const (
	ServerAccept  ServerAction = "accept"
	ServerDecline ServerAction = "decline"
	ServerCancel  ServerAction = "cancel" // nobody has decided
)

// ServerAnswer is what a server hears; Content is an object that fits its schema.
type ServerAnswer struct {
	Action  ServerAction
	Content json.RawMessage
}

// AskPerson puts a server's question before the person, and waits for what they decide for
// as long as ctx and the call last.
type AskPerson func(ctx context.Context, q ServerQuestion) ServerAnswer

// ServerAnswer is what the decision about a server's question tells the server.
func (a Approval) ServerAnswer() ServerAnswer {
	switch {
	case a.Decision == DecideAnswer:
		return ServerAnswer{ServerAccept, json.RawMessage(a.Answer)}
	case a.Decision == DecideReject && a.DecidedBy != System:
		return ServerAnswer{Action: ServerDecline}
	default:
		return ServerAnswer{Action: ServerCancel}
	}
}

// AskingServer is the server whose question an approval is, "" for any other approval.
func (a Approval) AskingServer() string {
	ev, err := a.QuestionEvidence()
	if a.Kind != KindQuestion || err != nil {
		return ""
	}
	return ev.Server
}
