package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserPager: an answer that asks for many decisions is one card in the chat to
// page through, also while others decide.
func TestBrowserPager(t *testing.T) {
	needsBrowser(t)
	h := startInstance(t)
	var calls []asked
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		calls = append(calls, sh("touch "+name))
	}
	run := h.asks(t, calls)
	b := newBrowser(t, h.url)
	b.open("/login?next=/c/" + h.conversationOf[run])
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("[data-pager]", "1 of 7")
	shown := func(command, place string) chromedp.Action[chromedp.Void] {
		return until(`[...document.querySelectorAll("#transcript [data-card]")].filter((c) => c.checkVisibility()).map((c) => c.querySelector(".command").textContent.trim() + c.querySelector("[data-pager] .num").textContent).join() === "` + command + place + `"`)
	}
	b.do("see one card", shown("touch a", "1 of 7"))
	b.do("go on", click(`[data-pager] button:last-of-type`), shown("touch b", "2 of 7"))
	b.do("go back", click(`[data-pager] button:first-of-type`), shown("touch a", "1 of 7"))
	b.shoot("pager")
	pending := h.rex.must("GET", "/api/v1/runs/"+run, "")["pendingApprovalIds"].([]any)
	h.rex.must("POST", "/api/v1/approvals/"+pending[0].(string)+"/decision", `{"decision":"reject"}`)
	b.do("see the next in its place", shown("touch b", "1 of 6"))
	h.rex.must("POST", "/api/v1/approvals/"+pending[1].(string)+"/decision", `{"decision":"reject"}`)
	b.do("see the few that are left", until(`[...document.querySelectorAll("#transcript [data-card]")].filter((c) => c.checkVisibility()).length === 5 && !document.querySelector("[data-pager]")`))
}
