package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// partArgs are those of a call that reads on in an answer.
func partArgs(run string, part int) string { return fmt.Sprintf(`{"runId":%q,"part":%d}`, run, part) }

// partRead is a part of an answer as the model reads it.
type partRead struct {
	Part, Of int
	Text     string
}

// prose is a text of so many characters that repeats nothing, with symbols of four bytes and
// line ends of two characters.
func prose(first, last rune, n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]rune, n)
	for i := range text {
		text[i] = first + random.Int32N(last-first)
		switch i % 60 {
		case 7, 21, 40:
			text[i] = '🌾' + random.Int32N(20)
		case 10, 30:
			text[i] = ' '
		case 58:
			text[i], text[i-1] = '\n', '\r'
		}
	}
	return string(text)
}

// partsIn finds how many parts there are in what is told of one that is not there.
var partsIn = regexp.MustCompile(`\d+`)

// manySizes: answers that are too long, that say nothing, and in between.
func manySizes() scene {
	const task = "Have five things dug up."
	const needle = "THE NEEDLE"
	long, chinese := prose('a', 'z', 200_000)+needle, prose('一', '龥', 1500)
	return scene{
		actors: []actor{{Name: "digger", Tools: []string{"read_file", "list_files", "emit_value"}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				switch c.turn {
				case 0:
					var calls []asked
					for i := range 4 {
						calls = append(calls, delegates("digger", fmt.Sprintf("Dig %d", i+1), nil))
					}
					return does(append(calls, delegates("digger", "Dig 5", map[string]string{"depth": "integer"}))...)
				case 1:
					return does(asked{"read_result", partArgs(readHanded(c.results[0]).RunID, 1000)})
				case 2:
					parts, _ := strconv.Atoi(partsIn.FindString(c.results[5]))
					return does(asked{"read_result", partArgs(readHanded(c.results[0]).RunID, parts)})
				default:
					return says(c.results[6])
				}
			},
			"digger": func(c cue) reply {
				looks := does(asked{"list_files", fmt.Sprintf(`{"path":"%s"}`, strings.Repeat("./", c.turn+1))})
				switch c.task[len("Dig "):][:1] {
				case "1":
					return says(long)
				case "2":
					if looks.says = "I look."; c.turn < 2 {
						return looks
					}
					return says("")
				case "3":
					return reply{thinks: "I wonder."}
				case "4":
					return says(chinese)
				default:
					if c.turn == 0 {
						return does(asked{"emit_value", `{"name":"depth","value":5}`})
					}
					return says("")
				}
			},
		},
		check: func(t *testing.T, c *cast) {
			conversation, run := c.begins(c.ana, task, "")
			if v := c.ended(run); v["status"] != "finished" {
				t.Errorf("the root is %v", v)
			}
			c.settled(conversation)
			requests := c.model.requests("", task)
			results := requests[1].results
			for i, text := range results {
				if len(text) > 4096 || !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
					t.Errorf("result %d has %d bytes", i+1, len(text))
				}
			}
			first, fourth, fifth := readHanded(results[0]), readHanded(results[3]), readHanded(results[4])
			if !strings.HasPrefix(long, first.Answer) || len(first.Answer) < 1000 || !strings.Contains(first.More, "read_result") || first.Partial {
				t.Errorf("of the long answer the root reads %q", results[0])
			}
			if !strings.HasPrefix(chinese, fourth.Answer) || fourth.Answer == "" {
				t.Errorf("of the Chinese answer the root reads %q", results[3])
			}
			if fifth.failed || fifth.Values["depth"] != 5.0 || fifth.Partial || fifth.Status != "finished" {
				t.Errorf("of the values the root reads %q", results[4])
			}
			for i, n := range map[int]int{1: 4, 2: 2} {
				h := readHanded(results[i])
				if !h.failed || h.Status == "finished" || h.Why == "" || i == 1 && len(h.Did) != 2 {
					t.Errorf("of silence %d the root reads %q", i+1, results[i])
				}
				if got := len(c.model.requests("digger", fmt.Sprintf("Dig %d", i+1))); got != n {
					t.Errorf("digger %d was asked %d times, want %d", i+1, got, n)
				}
			}
			if last := requests[len(requests)-1]; len(last.results) != 7 || !strings.Contains(last.results[6], needle) {
				t.Errorf("the root has read %d results, the last one %q", len(last.results), last.results[len(last.results)-1])
			}
		},
	}
}

// readThrough: the parts of an answer are the answer, byte for byte; a run of another tree is
// not read.
func readThrough() scene {
	const task, other = "Have a long text written.", "Read what another tree has written."
	long := prose('à', 'ÿ', 25_000)
	foreign := make(chan string, 1)
	return scene{
		actors: []actor{{Name: "author", Tools: []string{}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				if c.turn == 0 {
					return does(delegates("author", "Write a long text.", nil))
				}
				run := readHanded(c.results[0]).RunID
				var last partRead
				_ = json.Unmarshal([]byte(c.results[c.turn-1]), &last)
				if c.turn == 1 || last.Part < last.Of {
					return does(asked{"read_result", partArgs(run, last.Part+1)})
				}
				foreign <- run
				return says("It was read.")
			},
			other: func(c cue) reply {
				if c.turn == 0 {
					return does(asked{"read_result", partArgs(<-foreign, 1)})
				}
				return says(c.results[0])
			},
			"author": func(cue) reply { return says(long) },
		},
		check: func(t *testing.T, c *cast) {
			conversation, run := c.begins(c.ana, task, "")
			if v := c.ended(run); v["status"] != "finished" {
				t.Errorf("the root is %v", v)
			}
			c.settled(conversation)
			requests := c.model.requests("", task)
			var text strings.Builder
			for _, result := range requests[len(requests)-1].results[1:] {
				var part partRead
				must(t, json.Unmarshal([]byte(result), &part))
				text.WriteString(part.Text)
			}
			if text.String() != long {
				t.Errorf("the parts have %d bytes, the answer %d", text.Len(), len(long))
			}
			_, run = c.begins(c.ana, other, "")
			c.ended(run)
			if told := c.model.requests("", other)[1].results[0]; !strings.HasPrefix(told, "Error") || strings.Contains(told, "Satz") {
				t.Errorf("another tree reads %q", told)
			}
		},
	}
}

// TestResultsOfEverySize has children answer too much, too little, and nothing, with a model
// whose window is small.
func TestResultsOfEverySize(t *testing.T) {
	t.Parallel()
	s := manySizes()
	s.check(t, playing(t, []scene{s}, "FUSEBOX_MODEL_CONTEXT_WINDOW=16000"))
}

// failsAfterEffect: whoever asked an agent that has failed reads what it had done by then, and
// a person is asked before that happens again, though nothing else asks.
func failsAfterEffect() scene {
	const task = "Pay D."
	return scene{
		actors: []actor{{Name: "spender", Tools: []string{"run_shell"}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				if c.turn < 3 {
					return does(delegates("spender", "Pay D, "+[]string{"and tell me", "please", "once more"}[c.turn], nil))
				}
				return says("It was paid.")
			},
			"spender": func(c cue) reply {
				switch {
				case c.turn == 0:
					return does(sh("echo PAID D >> effects.log"))
				case strings.HasSuffix(c.task, "tell me"):
					return reply{status: http.StatusBadRequest}
				default:
					return says("I was told: " + c.results[0])
				}
			},
		},
		check: func(t *testing.T, c *cast) {
			conversation, run := c.begins(c.root, task, `{"approvalMode":"yolo"}`)
			lines := 1
			for _, verb := range []string{"reject", "approve"} {
				card := c.pending(conversation, 1)[0]
				if evidence := card["evidence"].(map[string]any); card["kind"] != "tool" || card["agent"] != "spender" || evidence["rule"] != "repeated-effect" {
					t.Errorf("the card is %v", card)
				}
				if n := strings.Count(c.file(conversation, "effects.log"), "PAID D\n"); n != lines {
					t.Errorf("it was paid %d times", n)
				}
				if verb == "approve" {
					lines++
				}
				if status, v := decides(c.rex, card, `{"decision":"`+verb+`"}`); status != http.StatusOK {
					t.Fatalf("%d %v", status, v)
				}
			}
			if v := c.ended(run); v["status"] != "finished" || strings.Count(c.file(conversation, "effects.log"), "PAID D\n") != lines {
				t.Errorf("the root is %v; the log has %q", v, c.file(conversation, "effects.log"))
			}
			c.settled(conversation)
			told := c.model.requests("", task)[1].results[0]
			if h := readHanded(told); !h.failed || h.Status != "failed" || !h.Partial || len(h.Effects) != 1 || !strings.Contains(h.Effects[0], "echo PAID D") {
				t.Errorf("the root reads %q", told)
			}
		},
	}
}
