package looptest

import (
	"testing"

	"fusebox/agent"
	"fusebox/agent/service"
)

// TestModeOfNow: who lets a conversation ask again while its run works, or loses
// the role that let it run without asking, is asked about its next call.
func TestModeOfNow(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *world) error{
		"switched": func(w *world) error {
			mode := agent.ModeDefault
			_, err := w.store.UpdateConversation(w.t.Context(), ada, "loose", agent.ConversationPatch{ApprovalMode: &mode})
			return err
		},
		"demoted": func(w *world) error {
			return w.store.PatchUser(w.t.Context(), ada.UserID, agent.UserPatch{Role: new(agent.RoleReviewer), Disabled: new(false)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, model := dictatedWorld(t, nil)
			w.staff(ada, agent.Viewer{UserID: "amy", Email: "amy@example.org", Role: agent.RoleAdmin})
			w.must(w.store.CreateConversation(t.Context(), agent.Conversation{
				ID: "loose", OwnerID: ada.UserID, ApprovalMode: agent.ModeYolo, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now(),
			}))
			requests := 0
			model.onRequest = func() {
				if requests++; requests == 2 {
					w.must(change(w))
				}
			}
			call := func(id string) []agent.CallRequest {
				return []agent.CallRequest{{ID: id, Name: "mark", Arguments: `{"id":"` + id + `"}`}}
			}
			done, err := w.service.Post(t.Context(), ada, service.Post{ConversationID: "loose", Content: message(call("a"), call("b"))})
			w.must(err)
			if run := w.advanceOf(ada, done.RunID); run.Status != agent.StatusPaused || w.tools.executed("mark") != 1 {
				t.Errorf("run %s, executed %v", run.Status, w.tools.runs)
			}
			if card := w.card(); card.ToolCallID != "b" {
				t.Errorf("asked about %s", card.ToolCallID)
			}
		})
	}
}

// advanceOf is advance for a run of somebody else than ana.
func (w *world) advanceOf(v agent.Viewer, runID string) *agent.Run {
	w.t.Helper()
	v.Role = agent.RoleAdmin // who looks is not what this is about
	claimed, err := w.store.Claim(w.t.Context(), "test", 0)
	w.must(err)
	w.must(w.runner.Loop.Advance(w.t.Context(), claimed))
	run, err := w.store.Run(w.t.Context(), v, runID)
	w.must(err)
	return run
}
