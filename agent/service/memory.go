package service

import (
	"context"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/ranking"
)

// Memory has the commands that manage what is remembered about a person, and what the tools of
// their runs do with it.
type Memory struct {
	Store MemoryStore
	Clock agent.Clock
	NewID agent.NewID
}

// Add stores what a person writes. Conflict where they have it already.
func (m *Memory) Add(ctx context.Context, userID, text string) (agent.Fact, error) {
	f, fresh, err := m.add(ctx, agent.Fact{UserID: userID, Text: text})
	if err == nil && !fresh {
		err = agent.Errorf(agent.Conflict, "You have this fact already.")
	}
	return f, err
}

// Remember stores what a run was told of its person; fresh is false where it is known.
func (m *Memory) Remember(ctx context.Context, userID, conversationID, text string) (fresh bool, err error) {
	_, fresh, err = m.add(ctx, agent.Fact{UserID: userID, ConversationID: conversationID, Text: text})
	return fresh, err
}

func (m *Memory) add(ctx context.Context, f agent.Fact) (agent.Fact, bool, error) {
	var err error
	if f.Text, err = agent.FactText("text", f.Text); err != nil {
		return f, false, err
	}
	f.ID, f.CreatedAt = m.NewID(), agent.Stamp(m.Clock)
	fresh, err := m.Store.AddFact(ctx, f)
	return f, fresh, err
}

// Change changes the text of one of the person's facts. NotFound for others' facts.
func (m *Memory) Change(ctx context.Context, userID, id, text string) error {
	facts, err := m.Store.Facts(ctx, userID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(facts, func(f agent.Fact) bool { return f.ID == id }) {
		return agent.Errorf(agent.NotFound, "There is no such fact.")
	}
	if text, err = agent.FactText("text", text); err != nil {
		return err
	}
	return m.Store.ChangeFact(ctx, agent.Fact{ID: id, UserID: userID, Text: text, ChangedAt: agent.Stamp(m.Clock)})
}

// Search lists the facts that fit a query, the best first; all, newest first, for "".
func (m *Memory) Search(ctx context.Context, userID, query string) ([]agent.Fact, error) {
	facts, err := m.Store.Facts(ctx, userID)
	if err != nil || strings.TrimSpace(query) == "" {
		return facts, err
	}
	found, _ := match(query, facts)
	return found, nil
}

// Recall is what a run gets to know of its person: the facts that fit a query, the best
// first, and the others, newest first. Forbidden where the memory is off.
func (m *Memory) Recall(ctx context.Context, userID, query string) (found, others []agent.Fact, err error) {
	facts, err := m.Store.FactsForRun(ctx, userID)
	if err != nil {
		return nil, nil, err
	}
	found, others = match(query, facts)
	return found, others, nil
}

// match ranks facts by words, and puts those behind that only have the query in a word.
func match(query string, facts []agent.Fact) (found, others []agent.Fact) {
	var texts [][]ranking.Text
	for _, f := range facts {
		texts = append(texts, []ranking.Text{{Text: f.Text, Weight: 1}})
	}
	ranked := ranking.Rank(query, texts)
	part := strings.ToLower(strings.TrimSpace(query))
	for i, f := range facts {
		if !slices.Contains(ranked, i) && strings.Contains(strings.ToLower(f.Text), part) {
			ranked = append(ranked, i)
		}
	}
	for _, i := range ranked {
		found = append(found, facts[i])
	}
	for i, f := range facts {
		if !slices.Contains(ranked, i) {
			others = append(others, f)
		}
	}
	return found, others
}
