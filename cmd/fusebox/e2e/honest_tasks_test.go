package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// honestTasks are what people have done with documents and pages: how often it asks them where it
// asks before any change, and where it hardly asks.
var honestTasks = map[string]struct {
	says  string // what the person says first; SITE is the site
	turns [][]asked
	asks  [2]int // in the modes default and yolo
}{
	"summarise a document":                  {"", [][]asked{find("auk"), {{"", "It opens at nine [1]."}}}, [2]int{0, 0}},
	"compare two documents":                 {"", [][]asked{append(find("auk"), find("boobies")...), {{"", "Nine [1], ten [2]."}}}, [2]int{0, 0}},
	"answer from a table":                   {"", [][]asked{find("Puffin seats"), {{"calculator", `{"expression":"12*4"}`}}, {{"", "48 [1]"}}}, [2]int{0, 0}},
	"cite where something stands":           {"", [][]asked{find("auk"), {{"", "“The auk pool opens at nine.” [1]"}}}, [2]int{0, 0}},
	"find nothing, and write":               {"", [][]asked{find("zymurgy"), {writes("a.txt", "Nothing was found.")}}, [2]int{1, 0}},
	"list the documents":                    {"", [][]asked{{{"document_list", `{}`}}, {{"", "These."}}}, [2]int{0, 0}},
	"save a note that was asked for":        {"Save as a note", [][]asked{{{"document_save", `{"name":"own","text":"Nine."}`}}}, [2]int{1, 0}},
	"save what was found as a note":         {"", [][]asked{find("auk"), {{"document_save", `{"name":"found","text":"The one pool opens at nine."}`}}}, [2]int{1, 1}},
	"read a page that the person names":     {"Read SITE/hours", [][]asked{{{"web_fetch", `{"url":"SITE/hours"}`}}}, [2]int{0, 0}},
	"read a page that was found":            {"", [][]asked{{{"web_search", `{"query":"hours"}`}}, {{"web_fetch", `{"url":"SITE/hours"}`}}}, [2]int{0, 0}},
	"follow a link of a page":               {"Read SITE/hours", [][]asked{{{"web_fetch", `{"url":"SITE/hours"}`}}, {{"web_fetch", `{"url":"SITE/prices"}`}}}, [2]int{0, 0}},
	"follow a link of a document":           {"", [][]asked{find("dipper"), {{"web_fetch", `{"url":"http://dipper.invalid/more"}`}}}, [2]int{0, 0}},
	"read a page that the agent knows of":   {"", [][]asked{{{"web_fetch", `{"url":"SITE/about"}`}}}, [2]int{1, 0}},
	"search several times":                  {"", [][]asked{{{"web_search", `{"query":"hours"}`}, {"web_search", `{"query":"prices"}`}}, {{"web_search", `{"query":"pools"}`}}}, [2]int{0, 0}},
	"write a file with what was found":      {"", [][]asked{find("auk"), {writes("found.md", "The auk pool opens at nine.")}}, [2]int{1, 1}},
	"write a file, and read it":             {"", [][]asked{{writes("b.txt", "See SITE/hours")}, {{"read_file", `{"path":"b.txt"}`}}}, [2]int{1, 0}},
	"save a link that was found, and go on": {"", [][]asked{{{"web_search", `{"query":"hours"}`}}, {writes("c.txt", "SITE/hours")}, {{"read_file", `{"path":"c.txt"}`}, {"web_fetch", `{"url":"SITE/hours"}`}}}, [2]int{1, 1}},
	"plan, and do what was planned":         {"", [][]asked{{{"update_plan", `{"plan":[{"step":"Look","status":"in_progress"}]}`}}, find("auk"), {{"update_plan", `{"plan":[{"step":"Look","status":"completed"}]}`}}}, [2]int{0, 0}},
	"translate a document":                  {"", [][]asked{find("auk"), {{"", "海雀池九点开门 [1]。"}}}, [2]int{0, 0}},
	"remember what the person says":         {"I am Ida", [][]asked{{{"remember", `{"text":"The person is called Ida."}`}}, find("auk"), {{"recall", `{"query":"name"}`}}}, [2]int{0, 0}},
	"look into the files of the chat":       {"", [][]asked{find("auk"), {{"list_files", `{}`}, {"grep", `{"pattern":"auk"}`}}}, [2]int{0, 0}},
}

// asksHonestly does each task with a person who approves, and counts the cards.
func asksHonestly(t *testing.T, w *hostileWorld) {
	t.Helper()
	for name, task := range honestTasks {
		for i, mode := range []string{"default", "yolo"} {
			t.Run(name+", "+mode, func(t *testing.T) {
				t.Parallel()
				c := w.chat(t, mode)
				said := fmt.Sprintf("%s (%s)", strings.ReplaceAll(task.says, "SITE", w.site.URL), t.Name())
				var turns [][]asked
				for _, turn := range task.turns {
					turns = append(turns, c.hides(turn...))
				}
				w.model.plays(said, turns...)
				run := c.post(c.id, said)
				cards := 0
				for c.run = c.rests(run); c.run["status"] == "paused"; c.run = c.rests(run) {
					for _, card := range c.waits() {
						cards++
						if status, answer := decides(c.api, card, `{"decision":"approve"}`); status != http.StatusOK {
							t.Fatal(answer)
						}
					}
				}
				if c.run["status"] != "finished" || cards != task.asks[i] {
					t.Errorf("it asks %d times, want %d; the run is %v", cards, task.asks[i], c.run["status"])
				}
			})
		}
	}
}
