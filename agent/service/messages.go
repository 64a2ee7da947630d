package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
)

// Messages are the commands about what people say: new messages, those that wait or steer a
// run, and other versions of them and of their answers. They check rights and input, commit, and have
// the runs begin.
type Messages struct {
	Store MessageStore
	// Runs end what a message takes the place of.
	Runs   *Runs
	Runner RunStarter
	Tools  agent.Toolbox
	Clock  agent.Clock
	NewID  agent.NewID
	// Models has those that conversations name, and the one of those that name none. New sets it.
	Models *Models
	// Limits are for conversations that name none.
	Limits agent.Limits
	// Guards are the breakers' settings of the process; they give a run's steps and time.
	Guards agent.GuardSettings
	// Titles names new conversations; nil leaves them with the first words of their messages.
	Titles interface{ Begin(agent.Untitled) }
}

// Post is a person's message. Supersede aborts a paused run first.
type Post struct {
	ConversationID string
	Content        string
	ClientID       string
	ParentID       string
	Supersede      bool
	// Queue has the message wait where a run works.
	Queue bool
	// DocumentID is the person's document that is open beside the chat, "" for none.
	DocumentID string
	// Agent is the name of the one that answers this message, "" for that of the conversation.
	Agent string
	// Workflow is the name of the one that answers this message in the place of an agent, ""
	// for that of the conversation. Inputs are filled in for it, before those of the conversation.
	Workflow string
	Inputs   map[string]json.RawMessage
	// Outputs are names and types that the run has to deliver, in addition to the conversation's.
	Outputs map[string]string
	// Purposes say what they are for, by name.
	Purposes map[string]string
	// queuedID is set where it has waited for its turn.
	queuedID string
}

const maxClientID = 200

// Post stores the message and starts a run for it. Invalid for bad input,
// NotFound and Forbidden by ownership, Conflict while a run is active.
func (s *Messages) Post(ctx context.Context, v agent.Viewer, p Post) (agent.Enqueued, error) {
	conv, err := s.writable(ctx, v, p.ConversationID)
	if err != nil {
		return agent.Enqueued{}, err
	}
	if err := checkPost(p); err != nil {
		return agent.Enqueued{}, err
	}
	if err := s.checkDocument(ctx, v.UserID, p.DocumentID); err != nil {
		return agent.Enqueued{}, err
	}
	if err := checkAgent(ctx, s.Store, p.Agent); err != nil {
		return agent.Enqueued{}, err
	}
	if _, _, err := workflowOf(ctx, s.Store, *conv, p); err != nil {
		return agent.Enqueued{}, err
	}
	if p.Queue {
		if done, err := s.addQueued(ctx, v, p); err != nil || !done.Idle {
			return doneOf(done), err
		}
	}
	if p.Supersede {
		if err := s.supersede(ctx, v, conv.ID); err != nil {
			return agent.Enqueued{}, err
		}
	}
	var done agent.Enqueued
	send := func() (err error) {
		done, err = s.send(ctx, v, *conv, p)
		return err
	}
	if !p.Queue {
		err = s.afterStop(ctx, conv.ID, send)
		return done, err
	}
	if err = send(); errors.Is(err, agent.ErrActive) { // another message was faster
		if q, failed := s.addQueued(ctx, v, p); failed != nil || !q.Idle {
			return doneOf(q), failed
		}
	}
	return done, err
}

// writable is a conversation in which the viewer may write.
func (s *Messages) writable(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error) {
	conv, err := s.Store.Conversation(ctx, v, id)
	if err == nil && conv.OwnerID != v.UserID {
		err = agent.Errorf(agent.Forbidden, "Only its owner can write in this conversation.")
	}
	return conv, err
}

// send stores a message that was checked, and starts a run for it.
func (s *Messages) send(ctx context.Context, v agent.Viewer, conv agent.Conversation, p Post) (agent.Enqueued, error) {
	flow, inputs, err := workflowOf(ctx, s.Store, conv, p)
	if err != nil {
		return agent.Enqueued{}, err
	}
	answers := cmp.Or(p.Agent, conv.Agent)
	if flow != nil {
		answers = ""
	}
	by, err := agentOf(ctx, s.Store, answers)
	if err != nil {
		return agent.Enqueued{}, err
	}
	m, err := s.newMessage(ctx, v, conv, by, p)
	if err != nil {
		return agent.Enqueued{}, err
	}
	m.QueuedID, m.Onward = p.queuedID, p.ParentID != "" && (p.Queue || p.queuedID != "")
	if flow != nil {
		m.Workflow, m.WorkflowVersion, m.WorkflowInputs = flow.Name, flow.Version, inputs
	}
	s.Models.forDemo(&m)
	done, err := s.enqueue(ctx, m)
	if err == nil && !done.Existing && s.Titles != nil && conv.Title == "" && conv.LeafID == "" {
		s.Titles.Begin(agent.Untitled{ConversationID: conv.ID, UserID: v.UserID, RunID: m.RunID, Model: m.Model, Message: m.Content, Title: m.Title})
	}
	return done, err
}

// enqueue stores a message and its run. Where this process has a place for the run,
// it is claimed in the same commit and starts at once.
func (s *Messages) enqueue(ctx context.Context, m agent.NewMessage) (agent.Enqueued, error) {
	place := s.Runner.Place(m.RunID)
	if place != nil {
		m.Claim = place.Claim()
	}
	done, err := s.Store.Enqueue(ctx, m)
	switch {
	case done.Started != nil && err == nil:
		place.Start(done.Started, done.Snapshot)
	case place != nil:
		place.Free()
	default:
		s.Runner.Wake()
	}
	return done, err
}

// checkDocument refuses a document that the person does not have, whether another one does or not.
func (s *Messages) checkDocument(ctx context.Context, userID, id string) error {
	if id == "" {
		return nil
	}
	_, err := s.Store.Document(ctx, userID, id, 0)
	if agent.CodeOf(err) == agent.NotFound {
		err = agent.InvalidField("documentId", "there is no such document of yours; it may have been deleted. Close it, or open another one")
	}
	return err
}

func checkPost(p Post) error {
	switch {
	case strings.TrimSpace(p.Content) == "":
		return agent.InvalidField("content", "is empty; write a message")
	case len(p.Content) > agent.MaxMessageBytes:
		return agent.InvalidField("content", "has %d bytes; at most %d are allowed, send the rest as a file or a second message",
			len(p.Content), agent.MaxMessageBytes)
	case !utf8.ValidString(p.Content):
		return agent.InvalidField("content", "is not valid UTF-8 text")
	case len(p.ClientID) > maxClientID:
		return agent.InvalidField("clientId", "has %d bytes; at most %d are allowed", len(p.ClientID), maxClientID)
	}
	if err := agent.CheckPurposes(p.Purposes); err != nil {
		return err
	}
	return agent.CheckOutputs(p.Outputs)
}

// newMessage is a message with the model, limits, and outputs that its run by an agent gets.
func (s *Messages) newMessage(ctx context.Context, v agent.Viewer, c agent.Conversation, by agent.Agent, p Post) (agent.NewMessage, error) {
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return agent.NewMessage{}, err
	}
	rules, err := chatRules(ctx, s.Store)
	if err != nil {
		return agent.NewMessage{}, err
	}
	limits, guards := rules.Limits(c, s.Limits), config.Effective(s.Guards, c.Guards)
	limits.Steps, limits.DurationMS = guards.MaxSteps, guards.MaxDuration.Milliseconds()
	c.Model = cmp.Or(by.Model, c.Model)
	model, err := s.modelOf(ctx, v, c)
	return agent.NewMessage{
		ConversationID: c.ID, UserID: v.UserID, TokenID: v.Token, MessageID: s.NewID(), RunID: s.NewID(),
		ParentID: p.ParentID, ClientID: p.ClientID, Content: p.Content, DocumentID: p.DocumentID,
		Agent: by.Name, AgentVersion: by.Version, Model: model, Limits: by.Limits.Lower(limits), Title: TitleFrom(p.Content),
		Outputs: with(c.Outputs, p.Outputs), Purposes: with(c.OutputPurposes, p.Purposes), NoInstructions: rules.NoInstructions,
	}, err
}

// modelOf is the model of a conversation, or the default one. As long as an admin has to
// choose that, a person is asked for a model, which is Invalid, and a program gets the
// cheapest.
func (s *Messages) modelOf(ctx context.Context, v agent.Viewer, c agent.Conversation) (string, error) {
	if c.Model != "" {
		return c.Model, nil
	}
	model, err := s.Models.Default(ctx)
	if err != nil {
		return "", err
	}
	if model == "" && v.Token != "" {
		model = s.Models.Cheapest()
	}
	if model == "" {
		return "", agent.InvalidField("model", "there is no default model yet; choose a model for this chat, or ask an admin to choose the default one on the Models page")
	}
	return model, nil
}

// with is what a conversation declares, changed by what a message does.
func with(conversation, message map[string]string) map[string]string {
	if len(message) == 0 {
		return conversation
	}
	all := maps.Clone(conversation)
	if all == nil {
		return message
	}
	maps.Copy(all, message)
	return all
}

const maxTitle = 60

// TitleFrom names a conversation after the first line of its first message.
func TitleFrom(content string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	line = strings.Join(strings.Fields(line), " ")
	if utf8.RuneCountInString(line) <= maxTitle {
		return line
	}
	return strings.TrimSpace(string([]rune(line)[:maxTitle-1])) + "…"
}
