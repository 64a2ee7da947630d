package agent

import (
	"context"
	"encoding/json"
)

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
	if a.Kind != KindQuestion {
		return ""
	}
	ev, err := a.QuestionEvidence()
	if err != nil {
		return ""
	}
	return ev.Server
}
