package e2e

import "testing"

// TestBrowserBelowAPath: what scripts ask for, and the cookie that one of them sets, is
// below the path too.
func TestBrowserBelowAPath(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), "FUSEBOX_SERVER_URL=http://localhost/tools/fusebox")
	b := newBrowser(t, p.url+"/tools/fusebox")
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.do("choose another theme", click("[data-theme-toggle]"), until(`document.cookie.includes("theme=") && document.documentElement.dataset.theme !== undefined`))
	b.say("test approval")
	b.sees("[data-card] .command", "rm -f build")
	b.aborts()
	b.do("let it end", visible(".end"))
	b.open("/")
	b.say("test files")
	b.do("open the card", click("[data-card] .ask-link"), visible("[data-card] [data-edit]"))
	b.do("unfold the arguments, which is told at once", click("[data-edit] summary"),
		until(`performance.getEntriesByType("resource").some((e) => e.name.endsWith("/look") && e.responseStatus === 204)`))
	if got := ask[int](b, `performance.getEntriesByType("resource").filter((e) => !new URL(e.name).pathname.startsWith("/tools/fusebox/")).length`); got != 0 {
		t.Errorf("%d requests went beside the site", got)
	}
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}
