package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// killsOfTree is how often the server is killed while one tree is at work.
const killsOfTree = 3

// nineteen are the tasks of the runs below a root: four heads, and of each up to four hands.
func nineteen(task string) (heads []asked, hands map[string][]asked) {
	hands = map[string][]asked{}
	for i := range 15 {
		head := fmt.Sprintf("%s head%d", task, i%4)
		if i < 4 {
			heads = append(heads, delegates("head", head, nil))
		}
		hands[head] = append(hands[head], delegates("toil", fmt.Sprintf("%s toil%d", task, i+1), nil))
	}
	return heads, hands
}

// sumOf adds the numbers in the answers of those whom an agent has asked.
func sumOf(results []string) (sum int) {
	for _, text := range results {
		n, _ := strconv.Atoi(readHanded(text).Answer) // what is no number is missing in the sum
		sum += n
	}
	return sum
}

// sums has hands leave a line each and answer their numbers, and those above them add these up.
func sums(c cue) reply {
	task, _, _ := strings.Cut(c.task, " ")
	heads, hands := nineteen(task)
	switch {
	case c.agent == "toil" && c.turn == 0:
		return does(sh("echo " + strings.ReplaceAll(c.task, " ", "~") + " >> effects.log"))
	case c.agent == "toil":
		_, number, _ := strings.Cut(c.task, "toil")
		return says(number)
	case c.turn > 0:
		return says(fmt.Sprint(sumOf(c.results)))
	case c.agent == "head":
		return does(hands[c.task]...)
	default:
		return does(heads...)
	}
}

// answersOutcomes decides about calls that were cut off, as a person who looks what they have left.
func (c *cast) answersOutcomes(conversation string) {
	c.t.Helper()
	for _, item := range c.root.must("GET", "/api/v1/approvals?status=pending&limit=200", "")["items"].([]any) {
		card := item.(map[string]any)
		if card["conversationId"] != conversation {
			continue
		}
		if card["kind"] != "outcome" || card["agent"] != "toil" {
			c.t.Fatalf("a person is asked %v", card)
		}
		way := card["path"].([]any)
		line := strings.ReplaceAll(way[len(way)-1].(map[string]any)["task"].(string), " ", "~") + "\n"
		body := `{"decision":"approve"}`
		if strings.Contains(c.file(conversation, "effects.log"), line) {
			body = `{"decision":"answer","answer":"It happened."}`
		}
		if status, v := decides(c.root, card, body); status != http.StatusOK {
			c.t.Fatalf("%s: %d %v", body, status, v)
		}
	}
}

// addsUp wants that the bill of a root is that of its runs, and of its agents.
func (c *cast) addsUp(conversation, root string) {
	c.t.Helper()
	total := func(v any) int64 {
		u := v.(map[string]any)["usage"].(map[string]any)
		return int64(u["inputTokens"].(float64) + u["outputTokens"].(float64))
	}
	tree := c.root.must("GET", "/api/v1/runs/"+root, "")["tree"].(map[string]any)
	var agents int64
	for _, a := range tree["agents"].([]any) {
		agents += total(a)
	}
	if runs := c.tokens(conversation); total(tree) != runs || agents != runs {
		c.t.Errorf("the root's bill has %d tokens, its agents' %d, its runs' %d", total(tree), agents, runs)
	}
}

// TestTreesKilledAtAnyMoment kills the server while a tree of 20 runs is at work, and starts
// it again. The result is right, each effect is there once, and so is each run in the log
// and in the bill. FUSEBOX_TREE_KILL_ROUNDS is how often the server is killed, FUSEBOX_KILL_SEED repeats the moments.
func TestTreesKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	kills := agenttest.FewOrMany(t, "FUSEBOX_TREE_KILL_ROUNDS", killsOfTree, 50)
	seed := rand.Uint64()
	if text := os.Getenv("FUSEBOX_KILL_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		must(t, err)
	}
	t.Logf("FUSEBOX_KILL_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	c := startTrees(t, sums, []actor{{Name: "head", Tools: []string{"delegate"}}, {Name: "toil", Tools: []string{"run_shell"}}})
	for tree := 0; kills > 0; tree++ {
		task := fmt.Sprintf("sum%d", tree)
		conversation, run := c.begins(c.root, task, `{"approvalMode":"yolo"}`)
		open := func() bool {
			c.answersOutcomes(conversation)
			s := c.root.must("GET", "/api/v1/runs/"+run, "")["status"]
			return s == "queued" || s == "running" || s == "paused"
		}
		seen := 0
		for range killsOfTree {
			moment := seen + 1 + random.IntN(16)
			agenttest.Eventually(t, "a moment to kill at", func() bool { seen = c.model.asked(); return seen >= moment || !open() })
			c.again()
			kills--
		}
		agenttest.Eventually(t, "the end of "+task, func() bool { return !open() })
		if v := c.ended(run); v["status"] != "finished" {
			t.Errorf("the root of %s is %v", task, v)
		}
		if all := c.settled(conversation); len(all) != 20 {
			t.Errorf("%s has %d runs", task, len(all))
		}
		list := c.root.must("GET", "/api/v1/conversations/"+conversation+"/messages", "")["items"].([]any)
		if answer := list[len(list)-1].(map[string]any)["content"]; answer != "120" {
			t.Errorf("the sum of %s is %v", task, answer)
		}
		lines := map[string]int{}
		for line := range strings.Lines(c.file(conversation, "effects.log")) {
			lines[line]++
		}
		for line, n := range lines {
			if n != 1 {
				t.Errorf("%q is there %d times", line, n)
			}
		}
		if len(lines) != 15 {
			t.Errorf("%d of 15 effects are there", len(lines))
		}
		c.addsUp(conversation, run)
	}
	if ledger := administer(t, c.data, "ledger", "verify"); !strings.Contains(ledger, " 0 reservations open") {
		t.Errorf("the ledger says %s", ledger)
	}
}
