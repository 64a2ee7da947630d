package web_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fusebox/agent"
)

var seqAndLeaf = regexp.MustCompile(`data-seq="(\d+)"\s+data-leaf="([^"]*)"`)

// watched is an open page of a chat: what it showed when it was opened, and what it is told since.
type watched struct {
	k    *talk
	page answer
	leaf string
	told func() string
}

// watches opens a page of the chat, and its socket.
func (k *talk) watches(b *browser, query string) watched {
	k.s.t.Helper()
	w := watched{k: k, page: b.get("/c/" + k.id + query)}
	shown := seqAndLeaf.FindStringSubmatch(w.page.body)
	if shown == nil {
		k.s.t.Fatalf("no page of a chat: %d", w.page.status)
	}
	w.leaf = shown[2]
	w.connects(b, shown[1])
	return w
}

// connects opens the socket of a page that was made at a number of the log.
func (w *watched) connects(b *browser, after string) {
	w.k.s.t.Helper()
	ws := w.k.s.socket(b, "/ws/conversations/"+w.k.id+"?format=html&after="+after+"&leaf="+w.leaf)
	w.told = func() string { return strings.ReplaceAll(w.k.s.fragments(ws), `\"`, `"`) }
}

// until collects what the page is told to some words.
func (w watched) until(words string) string {
	w.k.s.t.Helper()
	all := ""
	for !strings.Contains(all, words) {
		all += w.told()
	}
	return all
}

func (k *talk) contains(what, text string, has []string, hasNot ...string) {
	k.s.t.Helper()
	if _, shown, whole := strings.Cut(text, `id="transcript"`); whole {
		text, _, _ = strings.Cut(shown, `class="chat-column dock"`)
	}
	for _, words := range has {
		if !strings.Contains(text, words) {
			k.s.t.Errorf("%s: no %q in %s", what, words, text)
		}
	}
	for _, words := range hasNot {
		if strings.Contains(text, words) {
			k.s.t.Errorf("%s: %q in %s", what, words, text)
		}
	}
}

// TestSocketOfABranch: a page is not told what is said on another version, but that something is, and how
// many versions there are; what follows its own leaf is shown.
func TestSocketOfABranch(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("first"), turn("elsewhere"), turn("third"), turn("here"))
	b := k.s.as(k.ana)
	m := k.say("alpha", "")
	first := k.branch("")[1].ID
	here := k.watches(b, "")
	k.is("its leaf", here.leaf, first)

	_, run := k.runs("/api/v1/messages/"+first+"/regenerate", fields{})
	told := here.until(`<p class="away" id="away"></p>`)
	k.contains("told", told, []string{"An answer is being written in another version.", "?run=" + run.ID, `"leaf":"` + first + `"`, `"target":"m-` + first + `-v"`, "Version 1 of 2"}, "elsewhere<", "elsewhere\"")
	second := k.branch("")[1].ID
	k.is("what is chosen", texts(k.branch("")), "alpha | elsewhere")

	// It writes where it reads, whatever is chosen; the page of the other branch stays where it is.
	there := k.watches(b, "")
	k.is("the leaf of the other page", there.leaf, second)
	b.post("/c/"+k.id+"/messages", url.Values{"content": {"beta"}, "client_id": {"x"}, "parent_id": {first}}).check(t, want{status: 303, location: "/c/" + k.id})
	k.goOn(run.ID)
	k.is("it hangs where it was written", texts(k.branch("")), "alpha | first | beta | third")
	told = here.until("third")
	k.contains("the page that wrote", told, []string{">beta<"})
	told = there.until(`<p class="away" id="away"></p>`)
	k.contains("the other page", told, []string{"An answer is being written in another version.", `"leaf":"` + second + `"`}, "beta", "third")

	k.say("root", agent.RootParent)
	k.is("a message that begins once more", texts(k.branch("")), "root | here")
	k.is("its versions", strings.Join(k.branch("")[0].Siblings, " "), m+" "+k.branch("")[0].ID)
	k.contains("arrows grow", there.until("m-"+m+"-v"), []string{"Version 1 of 2"})
}

// TestAnswerToCome: as long as an answer that was asked for once more is not begun, arrows lead back to
// the others, and from these to it.
func TestAnswerToCome(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("first"), turn("second"), turn("third"))
	b, rex := k.s.as(k.ana), k.s.as(k.s.user("other-admin@example.org", "admin"))
	k.say("alpha", "")
	first := k.branch("")[1].ID
	k.says("POST", "/api/v1/messages/"+first+"/regenerate", fields{}, 202)
	run, err := k.s.db.ActiveRun(t.Context(), k.id)
	k.s.ok(err)
	ahead := []string{`id="m-next"`, "Version 2 of 2", `value="` + first + `"`, ">alpha<"}
	there := k.watches(b, "")
	k.contains("the version to come", there.page.body, ahead, ">first<")
	rex.get("/c/"+k.id).check(t, want{status: 200, has: []string{`id="m-next"`, "?branch=" + first + "#m-" + first}})
	b.get("/c/"+k.id+"?branch="+first).check(t, want{status: 200, has: []string{">first<", `href="/c/` + k.id + "?run=" + run.ID + `"`}, hasNot: []string{"m-next"}})
	k.contains("where that leads", b.get("/c/"+k.id+"?run="+run.ID).body, ahead, ">first<")
	b.get("/c/"+k.id+"?run=none").check(t, want{status: 404})

	k.goOn(run.ID)
	second := k.branch("")[1].ID
	k.contains("it is written", there.until("second"), []string{`"op":"remove","target":"m-next"`, "Version 2 of 2", `id="m-` + second + `-v"`})
	b.get("/c/"+k.id+"?run="+run.ID).check(t, want{status: 200, has: []string{"Version 2 of 2", ">second<"}, hasNot: []string{"m-next"}})

	// One that is stopped before it begins leaves the way back.
	k.says("POST", "/api/v1/messages/"+first+"/regenerate", fields{}, 202)
	run, err = k.s.db.ActiveRun(t.Context(), k.id)
	k.s.ok(err)
	k.says("POST", "/api/v1/runs/"+run.ID+"/abort", nil, 202)
	k.goOn(run.ID)
	open := k.watches(b, "?run="+run.ID)
	k.contains("one that was stopped", open.page.body, []string{`id="m-next"`, "Version 3 of 3"})
	k.says("DELETE", "/api/v1/messages/"+first, nil, 200)
	k.contains("one of the others is deleted", open.until("m-next"), []string{"Version 2 of 2", `value="` + second + `"`})
}

// TestReadBranchIsDeleted: a page whose branch is deleted is told the nearest one, also when it comes back later.
func TestReadBranchIsDeleted(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("first"), turn("second"), turn("third"))
	b := k.s.as(k.ana)
	m := k.say("alpha", "")
	first := k.branch("")[1].ID
	k.runs("/api/v1/messages/"+m+"/regenerate", fields{})
	second := k.branch("")[1].ID
	reads := k.watches(b, "")
	k.choose(first)
	k.says("DELETE", "/api/v1/messages/"+second, nil, 200)
	gone := `"op":"branch","target":"` + first + `"`
	k.contains("told", reads.until(`"op":"branch"`), []string{gone, "The version you were reading was deleted."})
	later := k.s.socket(b, "/ws/conversations/"+k.id+"?format=html&after=1&leaf="+second)
	k.contains("who comes back", k.s.fragments(later), []string{`"op":"branch"`, "The version you were reading was deleted."})
	b.post("/c/"+k.id+"/messages", url.Values{"content": {"beta"}, "client_id": {"x"}, "parent_id": {second}}).check(t, want{status: 422, has: []string{">beta</textarea>"}})
}

// TestQueueKeepsItsBranch: what waits goes behind the newest message below that under which it was written, and
// to the chosen branch where that one is gone.
func TestQueueKeepsItsBranch(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("first"), turn("second"), shellTurn("c1", "ls"), turn("worked"), turn("q1"), turn("q2"), turn("q3"), turn("q4"))
	path := "/api/v1/conversations/" + k.id + "/messages"
	m := k.say("alpha", "")
	first := k.branch("")[1].ID
	k.runs("/api/v1/messages/"+m+"/regenerate", fields{})
	second := k.branch("")[1].ID
	work, run := k.runs(path, fields{"content": "work", "parentId": first})
	for _, waits := range []fields{{"content": "under work", "parentId": work}, {"content": "under second", "parentId": second}, {"content": "chosen"}} {
		waits["queue"] = true
		k.says("POST", path, waits, 202).has("queuedId")
	}
	k.says("POST", path, fields{"content": "x", "queue": true, "parentId": agent.RootParent}, 422).has(`"field":"queue"`)
	k.says("POST", path, fields{"content": "x", "queue": true, "parentId": "none"}, 422).has(`"field":"parentId"`)
	k.choose(second)
	k.approves(run, agent.ScopeOnce)
	for range 3 {
		k.s.ok(k.messages.SendNext(t.Context(), ""))
		k.goOn(run.ID)
	}
	k.is("under what worked", texts(k.branch(work)), "alpha | first | work |  | done | worked | under work | q1")
	k.is("under the other, and what was chosen by then", texts(k.branch(second)), "alpha | second | under second | q2 | chosen | q3")
}

// TestQueueOutlivesItsBranch: what waits under a version that is deleted meanwhile goes to the chosen branch.
func TestQueueOutlivesItsBranch(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("first"), turn("second"), shellTurn("c1", "ls"), turn("worked"), turn("taken up"))
	path := "/api/v1/conversations/" + k.id + "/messages"
	m := k.say("alpha", "")
	first := k.branch("")[1].ID
	k.runs("/api/v1/messages/"+m+"/regenerate", fields{})
	second := k.branch("")[1].ID
	_, run := k.runs(path, fields{"content": "work", "parentId": first})
	k.says("POST", path, fields{"content": "waits", "queue": true, "parentId": second}, 202)
	k.says("DELETE", "/api/v1/messages/"+second, nil, 200)
	k.approves(run, agent.ScopeOnce)
	k.s.ok(k.messages.SendNext(t.Context(), ""))
	k.goOn(run.ID)
	k.is("where it goes", texts(k.branch("")), "alpha | first | work |  | done | worked | waits | taken up")
}

// TestPageBeforeItsAnswer: a page that was made while an answer had not begun is told all of it, however late its
// socket opens: of a version to come, its own line of the run that works, and no other branch.
func TestPageBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	k := newTalk(t, turn("first"), turn("second"))
	b := k.s.as(k.ana)
	k.say("alpha", "")
	made := seqAndLeaf.FindStringSubmatch(b.get("/c/" + k.id).body)[1]
	k.says("POST", "/api/v1/messages/"+k.branch("")[1].ID+"/regenerate", fields{}, 202)
	run, err := k.s.db.ActiveRun(t.Context(), k.id)
	k.s.ok(err)
	queued := k.watches(b, "")
	early := queued
	early.connects(b, made) // it had read the log before the answer was asked for, and its branch after that
	k.goOn(run.ID)
	ends := `data-run="` + run.ID + `" data-status="finished"`
	k.contains("a page that was connected", queued.until(ends), []string{">second<"}, "another version")
	queued.connects(b, seqAndLeaf.FindStringSubmatch(queued.page.body)[1])
	k.contains("one that connects after its end", queued.until(ends), []string{">second<"}, "another version")
	k.contains("one that took the answer for another version's", early.until(ends), []string{">second<", `<p class="away" id="away"></p>`})
}
