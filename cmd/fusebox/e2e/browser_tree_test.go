package e2e

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"fusebox/agent/agenttest"
)

// heard is what a screen reader finds in the page's main part, in this order: a role,
// with the level of a heading, and a part of its name, as a regular expression. What
// stands between them does not matter.
var heard = []string{
	`heading 1 "hello"`,
	`article "You"`,
	`article "Fusebox"`,
	`article "You"`,
	`article "Fusebox"`,
	`heading 2 ".+"`,
	`heading 3 ".+"`,
	`table ""`,
	`group "Code block, 16 lines"`,
	`article "You"`,
	`article "Fusebox"`,
	`group ".*run_shell.*rm -f build`,
	`DisclosureTriangle ".*rm -f build.*"`,
	`article "Run this command.*"`,
	`heading 2 "Run this command.*"`,
	`group "Command"`,
	`button "Approve" focusable`,
	`button "Deny" focusable`,
	`button "Abort run" focusable`,
	`textbox "Message" .*focused`,
	`button "Send" focusable`,
}

// announced is what it is told of a chat by itself, in this order.
var announced = []string{
	`^How a breaker works$`,
	`^A breaker watches an agent run .* It has three levels:$`,
	`(?s)^Warning.*Breaker: the run ends`,
	`(?s)^detector\s+warns at.*global_circuit_breaker\s+10$`,
	`^Code block, 16 lines$`,
	`^Things to remember:$`,
	`^That was a long answer`,
	`^Done$`,
	`I will clean up the build folder`,
	`Approved`,
	`exit code 0|clean`,
	`Done`,
}

// readsByEar compares what a screen reader gets of a streamed answer with a card.
func (w *walker) readsByEar() {
	w.t.Helper()
	w.open("/")
	w.on("#composer-text")
	w.do("begin a chat", press("hello\r"), visible(".end"))
	w.do("note what is announced", until(`(window.told = [], new MutationObserver((all) => {
		for (const { addedNodes } of all) for (const node of addedNodes) window.told.push(node.textContent);
	}).observe(document.getElementById("live"), { childList: true }), true)`))
	w.do("ask for a long answer", typing("#composer-text", "test markdown\r"), visible(".end ~ .end"))
	told := ask[[]string](w.browser, `window.told`)
	for i, block := range told {
		for _, before := range told[:i] {
			if strings.HasPrefix(block, before) || strings.HasPrefix(before, block) {
				w.t.Errorf("%q is announced after %q", block, before)
			}
		}
		if strings.Contains(block, "|") || strings.Contains(block, "n := 1") {
			w.t.Errorf("markup or code is announced: %q", block)
		}
	}
	if log := w.tree("log")[0]; strings.Contains(log, "atomic") {
		w.t.Errorf("each announcement repeats those before it: %s", log)
	}
	w.do("ask for a card", press("test approval\r"), visible("[data-card]"))
	w.do("see it sent", until(`document.querySelector("#composer-text").value === ""`))
	w.inOrder("the page", w.tree("main"), heard)
	w.strokes = 0
	w.tabs(3, ".keys-button")
	w.key("j")
	w.on("[data-card]")
	w.pause()
	w.key("a")
	w.sees(".ask-settled", "Approved")
	w.took("from the message field to a decision", 5)
	w.do("see the end", until(`document.querySelectorAll(".end").length === 3`))
	w.on(".ask-settled")
	told = ask[[]string](w.browser, `window.told`)
	w.inOrder("the announcements", told, announced)
	// The inbox is heard over a connection of its own, before or after what the chat says.
	w.inOrder("the inbox", told, []string{`^New approval: Run a command — rm -f build.* \(high risk\)$`})
}

// inOrder checks that lines match patterns, one after another.
func (w *walker) inOrder(what string, lines, patterns []string) {
	w.t.Helper()
	at := 0
	for _, pattern := range patterns {
		re := regexp.MustCompile(pattern)
		for at < len(lines) && !re.MatchString(lines[at]) {
			at++
		}
		if at == len(lines) {
			w.t.Errorf("%s: nothing matches %s after what is before it, in\n%s", what, pattern, strings.Join(lines, "\n"))
			return
		}
		at++
	}
}

// tree is the accessibility tree below the first node of a role: a line a node, with its
// name and what can be done with it.
func (w *walker) tree(role string) []string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, agenttest.Hang)
	defer cancel()
	var nodes []*accessibility.Node
	if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		result, err := cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err == nil {
			nodes = result.Nodes
		}
		return err
	})); err != nil {
		w.t.Fatal(err)
	}
	byID := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range nodes {
		byID[n.NodeID] = n
	}
	for _, n := range nodes {
		if word(n.Role) == role {
			return below(n, byID, "")
		}
	}
	w.t.Fatalf("nothing has the role %s", role)
	return nil
}

// below are the lines of a node and of what is in it. Text without a role of its own is
// left out.
func below(n *accessibility.Node, byID map[accessibility.NodeID]*accessibility.Node, indent string) []string {
	var lines []string
	if !n.Ignored && !silent[word(n.Role)] {
		lines = append(lines, indent+describe(n))
		indent += "  "
	}
	for _, id := range n.ChildIDs {
		if child := byID[id]; child != nil {
			lines = append(lines, below(child, byID, indent)...)
		}
	}
	return lines
}

var silent = map[string]bool{"generic": true, "StaticText": true, "InlineTextBox": true, "none": true, "LineBreak": true}

// describe says what a node is.
func describe(n *accessibility.Node) string {
	var level, states string
	for _, p := range n.Properties {
		switch value := word(p.Value); {
		case p.Name == "level":
			level = " " + value
		case value == "true":
			states += " " + string(p.Name)
		}
	}
	return fmt.Sprintf("%s%s %q%s", word(n.Role), level, word(n.Name), states)
}

// word is a value as text.
func word(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(string(v.Value), `"`)
}
