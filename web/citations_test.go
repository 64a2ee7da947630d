package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// cites makes a conversation of u whose answer cites sources.
func (s *site) cites(u agent.User, cited ...agent.Citation) string {
	s.t.Helper()
	run := s.started(u, "sources")
	said := agent.Message{
		ID: s.newID(), ConversationID: run.ConversationID, Role: agent.FromAssistant, RunID: run.ID, CreatedAt: s.clock.Now(),
		Content: "Both [1, 2], and 【3†source】.", Citations: cited,
	}
	run.Status, run.StopReason, run.EndedAt = agent.StatusFinished, agent.StopGoal, s.clock.Now()
	s.append(run, agent.Change{Run: run, Messages: []agent.Message{said}, Events: []agent.Event{
		{Data: agent.StepStart{MessageID: said.ID}}, {Data: agent.MessageEvent{Message: said}},
		{Data: agent.Finish{Status: run.Status, StopReason: run.StopReason, Model: "demo"}},
	}})
	return run.ConversationID
}

// source is a document of somebody as an answer cites it.
func (s *site) source(n int, u agent.User, words string) agent.Citation {
	s.t.Helper()
	id := s.passage(u, words)
	f, err := s.db.Passage(s.t.Context(), u.ID, id)
	s.ok(err)
	return agent.Citation{N: n, PassageID: id, DocumentID: f.DocumentID, Name: f.Name}
}

// TestCitedDocumentsChange: an answer names what it cites as it is called now, says what was
// replaced, and tells nothing of what was deleted but when: on the page, by the API, and in the log.
func TestCitedDocumentsChange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("first@example.org", agent.RoleAdmin)
	ana := s.user("ana@example.org", agent.RoleUser)
	b, other := s.as(ana), s.as(s.user("ben@example.org", agent.RoleUser))
	renamed, replaced, deleted := s.source(1, ana, "the boiler"), s.source(2, ana, "the pump"), s.source(3, ana, "the valve")
	replaced.Misquoted = true
	chat := s.cites(ana, renamed, replaced, deleted)
	doors := []string{"/c/" + chat, "/api/v1/conversations/" + chat + "/messages", "/api/v1/conversations/" + chat + "/events?follow=false"}
	for _, door := range doors {
		b.get(door).check(t, want{status: 200, has: []string{renamed.Name, replaced.Name, deleted.Name}, hasNot: []string{"Deleted on", "deletedAt", "replaced", "newer version"}})
	}
	b.get(doors[0]).check(t, want{status: 200, has: []string{
		`[1]</a><a class="cite"`, ">[3]</a>.", "The quoted words are not in this source.", `href="/passages/` + deleted.PassageID + `?document=` + deleted.DocumentID + `"`,
	}})

	s.clock.Advance(24 * time.Hour)
	b.call(http.MethodPatch, "/api/v1/documents/"+renamed.DocumentID, `{"name":"heating.txt"}`).check(t, want{status: 200})
	next, err := s.db.AddDocumentVersion(t.Context(), agent.Document{ID: replaced.DocumentID, AddedBy: ana.ID, File: s.newID(), State: agent.DocumentReading, AddedAt: s.clock.Now()})
	s.ok(err)
	next.State, next.Reading = agent.DocumentReady, agent.Reading{Text: "Another pump."}
	s.ok(s.db.FinishReading(t.Context(), next, []agent.Passage{{End: 13}}))
	b.call(http.MethodDelete, "/api/v1/documents/"+deleted.DocumentID, "").check(t, want{status: 204})
	at := s.clock.Now().UTC()
	for _, tidied := range []bool{false, true} {
		for more := tidied; more; {
			more, err = s.db.Tidy(t.Context())
			s.ok(err)
		}
		for _, door := range doors {
			w := want{status: 200, has: []string{"heating.txt", replaced.Name}, hasNot: []string{renamed.Name, deleted.Name}}
			if strings.HasPrefix(door, "/api/") {
				w.has = append(w.has, `"name":"","deletedAt":"`+at.Format("2006-01-02T15:04:05"), `"misquoted":true,"replaced":true`)
			} else {
				w.has = append(w.has, "Deleted on <time datetime=\""+at.Format(time.RFC3339), "There is a newer version.")
			}
			b.get(door).check(t, w)
		}
		gone := "/passages/" + deleted.PassageID + "?document=" + deleted.DocumentID
		b.get(gone).check(t, want{status: 410, has: []string{"This document was deleted on " + at.Format("2 Jan 2006")}, hasNot: []string{deleted.Name, "the valve"}})
		other.get(gone).check(t, want{status: 404, hasNot: []string{"eleted"}})
		b.get("/passages/"+deleted.PassageID).check(t, want{status: 404})
		b.get("/passages/"+deleted.PassageID+"?document="+renamed.DocumentID).check(t, want{status: 303, location: "/documents/" + renamed.DocumentID})
		if to := b.get("/passages/" + replaced.PassageID + "?document=" + replaced.DocumentID); to.status != 303 || !strings.HasPrefix(to.header.Get("Location"), "/documents/"+replaced.DocumentID+"?version=1&mark=") {
			t.Errorf("the cited version is not opened: %d %v", to.status, to.header)
		}
		b.get("/documents/"+replaced.DocumentID+"?version=1").check(t, want{status: 200, has: []string{"This is version 1.", "the pump"}})
	}
	s.ok(s.db.ReadDocumentAgain(t.Context(), ana.ID, replaced.DocumentID, new(""), nil))
	b.get(doors[0]).check(t, want{status: 200, has: []string{"There is a newer version."}})
	b.asks("zh")
	b.get(doors[0]).check(t, want{status: 200, has: []string{"已于 <time", "有更新的版本。", "引用的原话不在此来源中。"}})
	b.get("/passages/"+deleted.PassageID+"?document="+deleted.DocumentID).check(t, want{status: 410, has: []string{"此文档已于 " + at.Format("2006年1月2日") + " 删除"}})
}

// TestCitedDocumentsOfOthers: what is another person's is as absent, and a citation that does not
// know its document says that it is deleted all the same.
func TestCitedDocumentsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("first@example.org", agent.RoleAdmin)
	ana, ben := s.user("ana@example.org", agent.RoleUser), s.user("ben@example.org", agent.RoleUser)
	theirs, old := s.source(1, ben, "the boiler"), s.source(2, ana, "the pump")
	old.DocumentID = ""
	chat := s.cites(ana, theirs, old, agent.Citation{N: 3, URL: "https://a.example/", Name: "A page"})
	b := s.as(ana)
	b.get("/c/"+chat).check(t, want{status: 200, has: []string{old.Name, "A page", `href="/passages/` + old.PassageID + `"`}, hasNot: []string{theirs.Name}})
	f, err := s.db.Passage(t.Context(), ana.ID, old.PassageID)
	s.ok(err)
	s.ok(s.db.DeleteDocument(t.Context(), ana.ID, f.DocumentID))
	for more := true; more; {
		more, err = s.db.Tidy(t.Context())
		s.ok(err)
	}
	b.get("/c/"+chat).check(t, want{status: 200, has: []string{"A page"}, hasNot: []string{old.Name, "/passages/" + old.PassageID}})
	b.get("/api/v1/conversations/"+chat+"/messages").check(t, want{status: 200, has: []string{`"passageId":"` + old.PassageID + `","name":""}`}})
}

// TestCitedDocumentReadAgain: what an answer cites of a document that is read in another way is
// replaced, not deleted, and leads to the document; once it is deleted, that has a date, whether
// it was being read or could not be.
func TestCitedDocumentReadAgain(t *testing.T) {
	t.Parallel()
	for name, finish := range map[string]func(*site, agent.Document){
		"reading": func(*site, agent.Document) {},
		"failed": func(s *site, d agent.Document) {
			d.State, d.Reading = agent.DocumentFailed, agent.Reading{Problem: agent.ProblemBroken}
			s.ok(s.db.FinishReading(s.t.Context(), d, nil))
		},
		"ready": func(s *site, d agent.Document) {
			d.State, d.Reading = agent.DocumentReady, agent.Reading{Text: "In other words."}
			s.ok(s.db.FinishReading(s.t.Context(), d, []agent.Passage{{End: 15}}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			ana := s.user("ana@example.org", agent.RoleAdmin)
			b, other := s.as(ana), s.as(s.user("ben@example.org", agent.RoleUser))
			cited := s.source(1, ana, "the pump")
			chat := s.cites(ana, cited)
			page, log := "/c/"+chat, "/api/v1/conversations/"+chat+"/messages"
			link := "/passages/" + cited.PassageID + "?document=" + cited.DocumentID
			s.ok(s.db.ReadDocumentAgain(t.Context(), ana.ID, cited.DocumentID, new("Big5"), nil))
			d, err := s.db.Document(t.Context(), ana.ID, cited.DocumentID, 0)
			s.ok(err)
			finish(s, d)
			b.call(http.MethodPatch, "/api/v1/documents/"+d.ID, `{"name":"pumps.txt"}`).check(t, want{status: 200})
			for _, tidied := range []bool{false, true} {
				for more := tidied; more; {
					more, err = s.db.Tidy(t.Context())
					s.ok(err)
				}
				b.get(page).check(t, want{status: 200, has: []string{"pumps.txt", "There is a newer version."}, hasNot: []string{cited.Name, "Deleted"}})
				b.get(log).check(t, want{status: 200, has: []string{`"name":"pumps.txt","replaced":true`}, hasNot: []string{"deletedAt"}})
				b.get(link).check(t, want{status: 303, location: "/documents/" + d.ID})
				other.get(link).check(t, want{status: 404})
			}
			b.call(http.MethodDelete, "/api/v1/documents/"+d.ID, "").check(t, want{status: 204})
			b.get(page).check(t, want{status: 200, has: []string{"Deleted on "}, hasNot: []string{"pumps.txt", "newer version"}})
			b.get(link).check(t, want{status: 410, has: []string{"This document was deleted on "}})
			other.get(link).check(t, want{status: 404})
		})
	}
}
