package looptest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fusebox/agent"
)

// dead is what the breakers say of the same call eight times with one result.
var dead = []string{"warning generic_repeat @5", "critical generic_repeat @8"}

// loud are histories that must not continue: each is a miss that people of other
// systems report, or a threshold.
func loud() []proof {
	const same, varied, noise, rounds, errs, chant, word, human, limit = "a loop in new clothes", "arguments that vary",
		"results that differ in noise only", "periods of three and more", "errors", "text that chants", "answers and plans", "what people said before", "limits"
	proofs := []proof{
		{name: "the same call", kind: same, answers: round(9, `look {"x":1} => one`), want: dead},
		{name: "keys in another order", kind: same, answers: round(9, `look {"a":1,"b":{"c":2,"d":3}} => one`, `look {"b":{"d":3,"c":2},"a":1} => one`), want: dead},
		{name: "1 and 1.0", kind: same, answers: round(9, `look {"x":1} => one`, `look {"x":1.0} => one`), want: dead},
		{name: "white space in the json", kind: same, answers: round(9, `look {"x":1} => one`, `look {"x":    1} => one`), want: dead},
		{name: "changing results in a row", kind: same, answers: each(9, `look {"x":1} => %d`), want: dead[:1]},
		{name: "results in a row that come and go", kind: same, answers: weave(round(5, `look {"x":1} => one`), round(5, `look {"x":1} => two`)), want: []string{"warning generic_repeat @5", "critical generic_repeat @9"}},
		{name: "other calls between", kind: same, answers: weave(round(8, `look {} => one`), each(8, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning no_progress @9", "critical no_progress @15"}},
		{name: "two other calls between", kind: same, answers: weave(round(8, `look {} => one`), each(8, `read {"path":"LETTER.txt"} => LETTER`), each(8, `list {"dir":"LETTER"} => LETTER`)), want: []string{"warning no_progress @13", "critical no_progress @22"}},
		{name: "twins in each answer", kind: same, answers: round(9, `look {"x":1} => one ++ look {"x":1} => one`), want: []string{"warning generic_repeat @5", "critical generic_repeat @8"}},
		{name: "a poll that stands still", kind: same, answers: round(9, `job {} => waiting`), tools: toolNamed("job", polls), want: []string{"warning no_progress @5", "critical no_progress @8"}},
		{name: "a poll that stopped moving", kind: same, answers: then(each(5, `job {} => %d percent`), round(8, `job {} => 5 percent`)), tools: toolNamed("job", polls), want: []string{"warning no_progress @9", "critical no_progress @12"}},
		{name: "the same check, with looks between", kind: same, answers: weave(round(8, `sh {"command":"go vet ./..."} => fine`), each(8, `sh {"command":"cat LETTER.go | head -5 2>/dev/null"} => text LETTER`)), tools: savesAndRuns, want: []string{"warning no_progress @9", "critical no_progress @15"}},
		{name: "the same check after edits that failed", kind: same, answers: weave(each(8, `save {"fix":"LETTER"} => !no match for LETTER`), each(8, `read {"path":"LETTER.go"} => text LETTER`), round(8, `look {} => fine`)), tools: savesAndRuns, want: []string{"warning no_progress @15", "critical no_progress @24"}},
		{name: "the same check after an edit and its opposite", kind: same, answers: then(round(10, `save {"text":"a"} => ok`, `look {} => fine`, `save {"text":"b"} => ok`, `look {} => fine`)), tools: savesAndRuns, want: []string{"warning nothing_new @7", "critical nothing_new @9"}},
		{name: "an order with a number of its own each time", kind: same, answers: each(9, `order {"what":"tea"} => {"order":"no-%d"}`), tools: toolNamed("order", writes), want: dead},
		{name: "a command that does something, with a fresh id", kind: same, answers: each(9, `sh {"command":"./send.sh >> log"} => sent LETTER%d`), tools: savesAndRuns, want: dead},
		{name: "an upload, with a fresh id", kind: same, answers: each(9, `sh {"command":"curl -s -X POST localhost/jobs"} => job LETTER%d`), tools: savesAndRuns, want: dead},
		{name: "a state that is looked at, and moves", kind: same, answers: each(9, `sh {"command":"curl -s localhost/jobs/7 2>&1 | jq .state"} => %d percent`), tools: savesAndRuns, want: dead[:1]},
		{name: "the same write", kind: same, answers: round(9, `save {"id":1} => ok`), tools: toolNamed("save", writes), want: dead},

		{name: "a counter", kind: varied, answers: each(11, `search {"q":"cats","try":%d} => nothing`), want: []string{"warning similar_repeat @6", "critical similar_repeat @10"}},
		{name: "white space and letter case", kind: varied, answers: round(11, `search {"q":"cats and dogs"} => nothing`, `search {"q":"Cats  and dogs"} => nothing`, `search {"q":" cats and DOGS"} => nothing`), want: []string{"warning similar_repeat @6", "warning cycle @9", "critical similar_repeat @10"}},
		{name: "a date", kind: varied, answers: each(11, `search {"q":"news of 2026-01-%d"} => nothing`), want: []string{"warning similar_repeat @6", "critical similar_repeat @10"}},
		{name: "an id", kind: varied, answers: each(11, `ask {"nonce":"run-%d","q":"cats"} => nothing`), want: []string{"warning similar_repeat @6", "critical similar_repeat @10"}},
		{name: "a stamp in a query", kind: varied, answers: each(11, `fetch {"url":"https://example.org/jobs?ts=17636900%d"} => waiting`), want: []string{"warning similar_repeat @6", "critical similar_repeat @10"}},
		{name: "a counter, others between", kind: varied, answers: weave(each(10, `search {"q":"cats","try":%d} => nothing`), each(10, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning similar_repeat @11", "critical similar_repeat @19"}},
		{name: "text that is no json", kind: varied, set: anyText, answers: each(11, `search page_%d_of_cats => nothing`), want: []string{"warning similar_repeat @6", "critical similar_repeat @10"}},

		{name: "a time stamp", kind: noise, answers: weave(each(8, `look {} => {"state":"wait","at":"2026-01-02T10:00:0%dZ"}`), each(8, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning no_progress @9", "critical no_progress @15"}},
		{name: "a clock", kind: noise, answers: weave(each(8, `look {} => 10:0%d waiting`), each(8, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning no_progress @9", "critical no_progress @15"}},
		{name: "a request id", kind: noise, answers: weave(each(8, `look {} => {"state":"wait","request_id":"q%d"}`), each(8, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning no_progress @9", "critical no_progress @15"}},
		{name: "a uuid", kind: noise, answers: weave(each(8, `look {} => waiting 3f2b8c1%d-0d4e-4f6a-9b7c-112233445566`), each(8, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning no_progress @9", "critical no_progress @15"}},
		{name: "a hash", kind: noise, answers: weave(each(8, `look {} => waiting deadbeef0123456%d`), each(8, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning no_progress @9", "critical no_progress @15"}},
		{name: "seconds since 1970", kind: noise, answers: weave(each(8, `look {} => {"timestamp":176369000%d,"state":"wait"}`), each(8, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning no_progress @9", "critical no_progress @15"}},
		{name: "a field that the tool declares volatile", kind: noise, answers: weave(each(8, `look {} => {"lap":%d,"state":"wait"}`), each(8, `read {"path":"LETTER.txt"} => LETTER`)),
			tools: toolNamed("look", agent.ToolSpec{Volatile: []string{"lap"}, Effect: agent.EffectRead, Idempotent: true}), want: []string{"warning no_progress @9", "critical no_progress @15"}},

		{name: "two calls that take turns", kind: rounds, answers: round(9, `a {} => 1`, `b {} => 2`), want: []string{"warning ping_pong @5", "critical ping_pong @8"}},
		{name: "turns with changing results", kind: rounds, answers: weave(each(6, `a {} => %d`), each(6, `b {} => %d`)), want: []string{"warning ping_pong @5"}},
		{name: "turns that got stuck", kind: rounds, answers: then(weave(each(3, `a {} => %d`), each(3, `b {} => %d`)), round(8, `a {} => 3`, `b {} => 3`)), want: []string{"warning ping_pong @5", "critical ping_pong @12"}},
		{name: "turns with one call between", kind: rounds, answers: then(round(4, `a {} => 1`, `b {} => 2`), []string{`c {} => 3`}, round(8, `a {} => 1`, `b {} => 2`)), want: []string{"warning no_progress @10", "warning no_progress @11", "critical ping_pong @13"}},
		{name: "turns with a new call each time", kind: rounds, answers: weave(round(6, `a {} => 1`), round(6, `b {} => 2`), each(6, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"critical cycle @13"}},
		{name: "a period of three, one call new in each", kind: rounds, answers: then(round(9, `a {} => 1`, `b {} => 2`, `c {} => 3`), []string{`a {} => 1`, `b {} => 2`, `x {} => 9`, `a {} => 1`, `b {} => 2`, `c {} => 3`, `a {} => 1`, `b {} => 2`}), want: []string{"warning cycle @9", "critical cycle @13"}},

		{name: "two failures, then a third", kind: errs, answers: each(4, `look {"path":"LETTER"} => !LETTER is not there`), want: []string{"warning consecutive_errors @2", "critical consecutive_errors @3"}},
		{name: "several failures of one answer count once", kind: errs, answers: each(4, `look {"path":"LETTER"} => !no ++ list {"dir":"LETTER"} => !no`), want: []string{"warning consecutive_errors @4", "critical consecutive_errors @6"}},
		{name: "one error with ever new arguments", kind: errs, answers: each(11, `look {"path":"LETTER"} => !permission denied ++ list {"dir":"LETTER"} => LETTER`), want: []string{"warning similar_repeat @11", "critical similar_repeat @19"}},
		{name: "tools that do not exist", kind: errs, answers: weave(each(6, `?beam%d {} => x`), each(6, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning unknown_tool @5", "critical unknown_tool @9"}},
		{name: "the same tool that does not exist", kind: errs, answers: weave(round(6, `?beam {} => x`), each(6, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning unknown_tool @5", "critical unknown_tool @9"}},
		{name: "the same error", kind: errs, answers: weave(round(9, `look {} => !broken`), each(9, `read {"path":"LETTER.txt"} => LETTER`)), want: []string{"warning no_progress @9", "critical no_progress @15"}},
		{name: "errors again after a person let them go on", kind: errs, answers: each(9, `look {"path":"LETTER"} => !LETTER is not there`), decide: []agent.Decision{goOn},
			want: []string{"warning consecutive_errors @2", "critical consecutive_errors @3", "critical consecutive_errors @6"}},

		{name: "a sentence", kind: chant, cut: true, answers: []string{text(strings.Repeat("I will try it once more. ", 30))}, want: []string{"critical chanting"}},
		{name: "chinese without spaces", kind: chant, cut: true, answers: []string{text(strings.Repeat("我会再试一次。", 60))}, want: []string{"critical chanting"}},
		{name: "steps that count", kind: chant, answers: []string{text(strings.Join(each(30, "Step %d: check the logs and try again. "), ""))}, want: []string{"critical chanting"}},
		{name: "chinese that counts", kind: chant, answers: []string{text(strings.Join(each(40, "第%d步：检查日志再试一次。"), ""))}, want: []string{"critical chanting"}},
		{name: "a unit of 250 characters", kind: chant, cut: true, answers: []string{text(strings.Repeat(strings.Join(each(12, "Of LETTER %d we say it now. "), "")[:250], 7))}, want: []string{"critical chanting"}},
		{name: "after 100 KB of good text", kind: chant, cut: true, keeps: 100 << 10, answers: []string{text(goodText(100<<10) + strings.Repeat("I will try it once more. ", 30))}, want: []string{"critical chanting"}},
		{name: "equal items of a list", kind: chant, answers: []string{text(strings.Repeat("- I will check the logs.\n", 20))}, want: []string{"critical chanting"}},
		{name: "a fence that is never closed", kind: chant, cut: true, keeps: 3, answers: []string{text("```\n" + strings.Repeat("print again and again\n", 30))}, want: []string{"critical chanting"}},
		{name: "one word", kind: chant, answers: []string{text(strings.Repeat("again ", 100))}, want: []string{"critical chanting"}},
		{name: "a chant in the second answer", kind: chant, answers: []string{`look {} => one`, text(strings.Repeat("I will try it once more. ", 30))}, want: []string{"critical chanting"}},
		{name: "a chant again after it was let go on", kind: chant, answers: []string{text(strings.Repeat("I will try it once more. ", 30)), text(strings.Repeat("I will try it once more. ", 30))}, decide: []agent.Decision{goOn}, want: []string{"critical chanting", "critical chanting"}},

		{name: "a plan that is only reworded", kind: word, answers: each(9, `update_plan {"plan":[{"step":"think LETTER","status":"pending"}]} => noted`), tools: toolNamed("update_plan", plans), want: dead},
		{name: "the same answer where something is owed", kind: word, answers: round(4, `"I am done."`), set: owing, want: []string{"warning repeated_answer", "critical repeated_answer"}},
		{name: "the same answer with the same call", kind: word, answers: round(5, `"Let me look once more." look {"x":1} => one`), want: []string{"warning repeated_answer", "critical repeated_answer"}},
		{name: "a loop that goes on after compaction", kind: word, answers: then(round(2, `look {} => one`), round(4, `read {"path":"a"} => a`), round(3, `look {} => one`)), set: compactedAfter(6), want: []string{"warning nothing_new @7", "critical post_compaction @8"}},

		{name: "the breaker after a plain resume", kind: human, answers: round(12, `look {"x":1} => one`), decide: []agent.Decision{goOn}, want: append(dead[:2:2], "breaker global_circuit_breaker @10")},
		{name: "the ceiling", kind: human, answers: each(52, `job {} => %d`), tools: toolNamed("job", polls), set: manySteps, want: []string{"breaker global_circuit_breaker @50"}},
		{name: "the ceiling, whatever was allowed", kind: human, answers: weave(round(30, `job {} => one`), round(30, `job {} => two`)), set: manySteps,
			decide: []agent.Decision{resume(agent.ResumeAllowMore, 20), resume(agent.ResumeAllowMore, 20), resume(agent.ResumeAllowMore, 20)},
			want:   []string{"warning generic_repeat @5", "critical generic_repeat @9", "warning generic_repeat @25", "critical generic_repeat @29", "warning generic_repeat @45", "critical generic_repeat @49", "breaker global_circuit_breaker @50"}},
		{name: "a relapse after guidance", kind: human, answers: then(weave(round(5, `look {"x":1} => one`), round(5, `look {"x":1} => two`)), each(2, `read {"path":"LETTER.txt"} => LETTER`), weave(round(4, `look {"x":1} => one`), round(4, `look {"x":1} => two`))),
			decide: []agent.Decision{{Verb: agent.DecideResume, Comment: "Read the files."}}, want: []string{"warning generic_repeat @5", "critical generic_repeat @9", "critical generic_repeat @17"}},
		{name: "a refused call that is made again", kind: human, answers: round(12, `look {"x":1} => one`), decide: []agent.Decision{{Verb: agent.DecideReject, Comment: "no"}}, want: append(dead[:2:2], "breaker global_circuit_breaker @10")},
		{name: "allowed more, and more", kind: human, answers: round(20, `look {"x":1} => one`), decide: []agent.Decision{resume(agent.ResumeAllowMore, 2), goOn},
			want: append(dead[:2:2], "warning generic_repeat @9", "critical generic_repeat @10", "breaker global_circuit_breaker @12")},

		{name: "steps", kind: limit, answers: each(60, `look {"x":"LETTER%d"} => LETTER%d`), want: []string{"warning max_steps", "breaker max_steps"}},
		{name: "time", kind: limit, answers: each(20, `look {"x":"LETTER"} => LETTER`), set: minutes("look", 100*time.Second), want: []string{"warning max_duration"}},
		{name: "numbers of a conversation", kind: limit, answers: round(9, `look {"x":1} => one`), set: stricter, want: []string{"warning generic_repeat @3", "critical generic_repeat @4"}},
	}
	for p := 3; p <= 10; p++ {
		var list []string
		for i := range p {
			list = append(list, fmt.Sprintf(`look {"at":"%s"} => r%d`, lettered(i), i))
		}
		want := []string{fmt.Sprintf("warning cycle @%d", 3*p), fmt.Sprintf("critical cycle @%d", 4*p)}
		proofs = append(proofs, proof{name: fmt.Sprintf("rounds of %d", p), kind: rounds, answers: round(4*p+1, list...), want: want})
	}
	return proofs
}

// goodText is n bytes that say something else in each sentence.
func goodText(n int) string {
	words := strings.Fields("river mountain engine letter garden winter market teacher window signal answer question bridge harbour lantern copper paper stone glass")
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		for k := range 5 + i%7 {
			b.WriteString(words[(i*i*7+k*k*11+i*k*5+k*i/3)%len(words)] + " ")
		}
		fmt.Fprintf(&b, "and %s. ", lettered(i*i%700))
	}
	return b.String()[:n]
}

func manySteps(w *world) { w.service.Guards.MaxSteps = 200 }

// anyText lets arguments be any text, as some models send it.
func anyText(w *world) { w.tools.anyText = true }

func owing(w *world) {
	outputs := map[string]string{"city": "string"}
	_, err := w.store.UpdateConversation(w.t.Context(), ana, "c", agent.ConversationPatch{Outputs: &outputs})
	w.must(err)
}

func stricter(w *world) {
	own := map[string]string{"guard.warning": "3", "guard.critical": "4"}
	_, err := w.store.UpdateConversation(w.t.Context(), ana, "c", agent.ConversationPatch{Guards: &own})
	w.must(err)
}

// compactedAfter notes that the context was compacted behind the n-th call, as
// the loop does it: in the run's own row.
func compactedAfter(n int) func(*world) {
	return func(w *world) { w.runner.Loop.Journal = compacting{w.runner.Loop.Journal, n} }
}

// compacting marks the run's row as soon as it has made as many calls.
type compacting struct {
	agent.Journal
	after int
}

func (j compacting) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	if e.Run != nil && e.Run.State.ToolCalls >= j.after {
		e.Run.State.Compacted = j.after
	}
	return j.Journal.Append(ctx, e)
}
