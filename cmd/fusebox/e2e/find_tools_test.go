package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// office is a source of 25 tools, of which one may pay back.
const office = `#!/bin/sh
if [ "$1" = --list ]; then
  printf '['
  i=1; while [ $i -lt 25 ]; do
    printf '{"name":"%s_job_%d","description":"Does job %d of %s.","parameters":{"type":"object"},"effect":"read"},' "$2" $i $i "$2"
    i=$((i+1))
  done
  printf '{"name":"%s_refund","description":"Pays an invoice of %s back.","parameters":{"type":"object"},"effect":"read"}]' "$2" "$2"
  exit
fi
read -r call
echo "paid back by $2"
`

// TestOneOf300Tools: the demo model finds the right one of 300 tools of 12 sources, and the
// built-in one that is not in view; people see in the log what came into it.
func TestOneOf300Tools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var config strings.Builder
	for _, name := range []string{"sales", "support", "legal", "press", "travel", "payroll", "garage", "kitchen", "archive", "security", "design", "garden"} {
		fmt.Fprintf(&config, "[[tools.commands]]\nname = %[1]q\ndiscover = [\"./office\", \"--list\", %[1]q]\ncall = [\"./office\", \"--call\", %[1]q]\n", name)
	}
	for name, text := range map[string]string{"fusebox.toml": config.String(), "office": office} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h := &instance{program: startProgram(t, t.TempDir(), "FUSEBOX_CONFIG="+filepath.Join(dir, "fusebox.toml"))}
	h.ana = h.admin()
	agenttest.Eventually(t, "300 tools", func() bool { return len(h.rootTools()) > 300 })
	if tool := h.rootTools()["garage_refund"]; tool["set"] != "command:garage" {
		t.Errorf("the tool is listed as %v", tool)
	}
	h.searchTools(t)
	for said, want := range map[string]struct{ tool, result string }{
		"Use a tool to refund an invoice of the garage": {"garage_refund", "paid back by garage"},
		"What is the weather in Guangzhou?":             {"get_weather", "Guangzhou"},
	} {
		chat, run := h.ana.ask(said)
		if got := h.ana.rests(run); got["status"] != "finished" {
			t.Errorf("%s: %v", said, got)
		}
		log := fmt.Sprint(h.ana.events(chat, 0))
		for _, part := range []string{"Tools that are in view from here on: " + want.tool, "find_tools", want.result} {
			if !strings.Contains(log, part) {
				t.Errorf("%s: the log lacks %q", said, part)
			}
		}
	}
}

// searchTools wants the page of tools to be short, and to find one of them without touching
// the list of chats beside it.
func (h *instance) searchTools(t *testing.T) {
	t.Helper()
	page := h.ana.page(t, "/admin/tools")
	if strings.Contains(page, "<details class=\"card fold tool-source\" open") || !strings.Contains(page, "Command garage") {
		t.Error("the page shows all tools at once, or not where they come from")
	}
	page = h.ana.page(t, "/admin/tools?find=GARAGE+refund")
	if !strings.Contains(page, "tool-garage_refund") || strings.Contains(page, "tool-garage_job_1") || strings.Contains(page, "tool-kitchen_refund") || strings.Contains(page, "No titles match") {
		t.Error("the search does not find the refunds of the garage alone")
	}
	if page = h.ana.page(t, "/admin/tools?find=elephant"); !strings.Contains(page, "No tool has “elephant”") {
		t.Error("the page does not say that there is no such tool")
	}
}
