package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"fusebox/agent/agenttest"
)

// browser is a person at a real browser.
type browser struct {
	t   *testing.T
	ctx context.Context
	url string
	// failed is set once a step has failed.
	failed bool
}

// walks are the tests in a browser that are run most often: the main job, its cards
// and files, the keyboard, two reviewers, and the other language.
var walks = []string{
	"TestBrowser", "TestBrowserCards", "TestBrowserFiles", "TestBrowserKeyboardReviewer", "TestBrowserTwoReviewers", "TestBrowserChinese",
}

// needsBrowser lets a test run beside the others, where it is asked for.
func needsBrowser(t *testing.T) {
	t.Helper()
	agenttest.NeedsWalk(t, walks, "it needs a browser")
	if chromiumPath() == "" {
		t.Fatal("there is no Chromium on this machine")
	}
	t.Parallel()
}

// newBrowser is a new profile of the one Chromium: it shares no cookies with others.
func newBrowser(t *testing.T, url string) *browser {
	t.Helper()
	parent, err := chromium.start()
	if err != nil {
		t.Fatal(err)
	}
	ctx, done := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(done)
	// The first action opens the tab; a time limit on it would close the tab too.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1440, 900)); err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, ctx: ctx, url: url}
	b.do("have the focus", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	}))
	b.colours("") // and without motion
	return b
}

// do runs browser actions.
func (b *browser) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, agenttest.Hang)
	defer cancel()
	// Until a page is loaded, its scripts do not hear keys and clicks.
	actions = append([]chromedp.Action[chromedp.Void]{until(`document.readyState === "complete"`)}, actions...)
	if err := chromedp.Do(ctx, actions...); err != nil {
		if !b.failed { // the picture of a failure may fail as well
			b.failed = true
			b.shootAll("failure")
		}
		b.t.Fatalf("%s: %v\nthe page says: %s", what, err, b.text("body"))
	}
}

func (b *browser) open(path string) { b.t.Helper(); b.do("open "+path, chromedp.Navigate(b.url+path)) }

// text is what a person reads in an element.
func (b *browser) text(selector string) string {
	ctx, cancel := context.WithTimeout(b.ctx, agenttest.Hang)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS(selector)))
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return text
}

// until waits until a condition of the page is true, also over navigations,
// which break an evaluation off.
func until(js string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		for {
			ok, err := chromedp.Evaluate[bool](js)(ctx, t)
			if err == nil && ok {
				return chromedp.Void{}, nil
			}
			select {
			case <-ctx.Done():
				return chromedp.Void{}, errors.Join(ctx.Err(), err)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
}

// ask evaluates an expression on the page.
func ask[T any](b *browser, js string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, agenttest.Hang)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	if err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// click clicks on what has come to rest in the middle of the page, with nothing
// in front of it: a person does not hit what still moves.
func click(selector string) chromedp.Action[chromedp.Void] {
	rests := until(fmt.Sprintf(`(() => {
		const el = document.querySelector(%q);
		if (!el) return false;
		const before = window.lastBox, box = el.getBoundingClientRect();
		if (window.lastClicked !== el) el.scrollIntoView({ block: "center" });
		window.lastClicked = el;
		window.lastBox = JSON.stringify(el.getBoundingClientRect());
		return window.lastBox === before && el.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
	})()`, selector))
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		if _, err := rests(ctx, t); err != nil {
			return chromedp.Void{}, err
		}
		return chromedp.Click(chromedp.CSS(selector))(ctx, t)
	}
}

// typing goes to an element and presses the keys of a text.
func typing(selector, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(visible(selector), chromedp.Focus(chromedp.CSS(selector)), press(text))
}

// press presses keys as a keyboard does: what the page keeps a key from doing is not done.
func press(keys string, options ...chromedp.KeyOption) chromedp.Action[chromedp.Void] {
	return chromedp.KeyEvent(keys, append(options, func(p *input.DispatchKeyEventParams) {
		if p.Type == input.DispatchKeyEventTypeKeyDown {
			p.Type = input.DispatchKeyEventTypeRawKeyDown
		}
	})...)
}

func visible(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.WaitVisible(chromedp.CSS(selector))
}

// sees waits until an element holds a text.
func (b *browser) sees(selector, want string) {
	b.t.Helper()
	js := fmt.Sprintf(`[...document.querySelectorAll(%q)].some((el) => el.innerText.includes(%q))`, selector, want)
	b.do("see "+want, until(js))
}

func (b *browser) count(selector string) int {
	b.t.Helper()
	return ask[int](b, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
}

// say types a message and sends it with Enter.
func (b *browser) say(text string) {
	b.t.Helper()
	b.do("say "+text, visible("#composer-text"), typing("#composer-text", text+"\r"))
}

// artifacts is where screenshots go: beside the module's root, ignored by git.
func artifacts(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../artifacts")
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// shoot takes pictures of the page for a person to look at. To draw them takes more
// processor time than all else that the browser does, so they are made on request:
//
//	FUSEBOX_TEST=full FUSEBOX_TEST_SCREENSHOTS=1 go test ./cmd/fusebox/e2e -run Browser
func (b *browser) shoot(name string) {
	b.t.Helper()
	if os.Getenv("FUSEBOX_TEST_SCREENSHOTS") != "" {
		b.shootAll(name)
	}
}

// shootAll takes the page at both widths in both colour schemes.
func (b *browser) shootAll(name string) {
	b.t.Helper()
	for _, width := range []int64{1440, 390} {
		for _, scheme := range []string{"light", "dark"} {
			file := filepath.Join(artifacts(b.t), fmt.Sprintf("%s-%d-%s.png", name, width, scheme))
			if err := b.shootOne(file, width, scheme); err != nil {
				b.t.Logf("screenshot %s: %v", name, err)
				return
			}
		}
	}
	b.colours("")
	// Who clicks before the page has its width again, clicks beside it.
	b.do("back to the full width", chromedp.EmulateViewport(1440, 900), until(`innerWidth === 1440`))
}

func (b *browser) shootOne(file string, width int64, scheme string) error {
	ctx, cancel := context.WithTimeout(b.ctx, agenttest.Hang)
	defer cancel()
	b.colours(scheme)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), until(`document.getAnimations().every((a) => a.timeline !== document.timeline || a.playState === "finished" || a.effect?.getTiming().iterations === Infinity)`)); err != nil {
		return err
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	return os.WriteFile(file, png, 0o600)
}

// colours sets what the system prefers: light, dark, or "" for its own, and no motion.
func (b *browser) colours(scheme string) {
	b.t.Helper()
	b.do("colours", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
			},
		})
		return err
	}))
}

// TestBrowser is the main job as a person does it: set up, chat, see a tool,
// trip the loop, resume, approve a command, read the bill.
func TestBrowser(t *testing.T) {
	needsBrowser(t)
	p := startEmpty(t, t.TempDir())
	b := newBrowser(t, p.url)
	troubles := b.watch()

	b.open("/")
	b.sees("h1", "Welcome to Fusebox")
	b.shoot("setup")
	b.do("set up", typing("input[name=code]", p.logged(`setup_code=(\S+)`)),
		typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.shoot("new-chat")

	b.say("What is the weather in Guangzhou?")
	b.sees(".tool-says", "Look up the weather in Guangzhou")
	b.sees(".transcript", "26 °C and partly cloudy in Guangzhou")
	b.shoot("chat-tool")

	b.longAnswerSurvivesReload()
	b.loopTripsAndResumes()
	b.guidanceTurnsTheRun()
	b.finishesNow()
	b.pollsOutsideTheModel()
	b.chantIsCut()
	b.approvesACommand()
	b.decidesInTheInbox(p.admin())

	for name, page := range map[string]string{
		"approvals": "/approvals?status=decided", "settings": "/settings/account", "users": "/admin/users", "guards": "/admin/guards", "not-found": "/nothing/here",
	} {
		b.open(page)
		b.shoot(name)
	}
	b.open("/admin/spend")
	b.sees("main", "demo")
	b.sees("main", adminEmail)
	b.shoot("spend")

	b.open("/c/" + b.conversationOf("What is the weather"))
	b.do("sign out", until(`!document.querySelector('form[action="/logout"]').requestSubmit()`))
	b.sees("h1", "Sign in")
	b.shoot("login")
	for _, trouble := range troubles() {
		if !strings.Contains(trouble, "status of 422") { // a hint that is empty
			t.Error(trouble)
		}
	}
}

// watch notes what a person would not see at once: requests to other hosts,
// script errors, and what the content security policy refused.
func (b *browser) watch() func() []string {
	found := make(chan string, 1000)
	note := func(format string, args ...any) {
		select {
		case found <- fmt.Sprintf(format, args...):
		default:
		}
	}
	err := chromedp.Listen(b.ctx, func(ev any) {
		switch e := ev.(type) {
		case *network.EventRequestWillBeSent:
			if !b.ours(e.Request.URL) {
				note("a page asked another host: %s", e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			note("script error: %+v", e.ExceptionDetails)
		case *log.EventEntryAdded:
			// A page that is not there is one the test has asked for.
			if e.Entry.Level == log.EntryLevelError && !strings.Contains(e.Entry.URL, "/nothing/here") {
				note("the browser says: %s %s", e.Entry.Text, e.Entry.URL)
			}
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.do("listen to the log", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, log.Enable, cdp.Empty{})
		return err
	}))
	return func() []string {
		var all []string
		for {
			select {
			case text := <-found:
				all = append(all, text)
			default:
				return all
			}
		}
	}
}

// ours reports whether an address is the server's own, or the browser's.
func (b *browser) ours(address string) bool {
	return strings.HasPrefix(address, b.url) || strings.HasPrefix(address, "ws"+strings.TrimPrefix(b.url, "http")) ||
		strings.HasPrefix(address, "data:") || strings.HasPrefix(address, "chrome")
}

// longAnswerSurvivesReload reloads in the middle of a stream: nothing is lost,
// nothing comes twice.
func (b *browser) longAnswerSurvivesReload() {
	b.t.Helper()
	b.open("/")
	b.say("test markdown")
	b.do("wait for streamed text", until(`document.querySelector("#transcript")?.innerText.length > 150`))
	b.do("reload", chromedp.Reload())
	b.sees("#run-state, .transcript", "Done")
	const transcript = `document.querySelector("#transcript").innerText`
	live := ask[string](b, transcript)
	b.do("reload", chromedp.Reload(), visible("#transcript"))
	reloaded := ask[string](b, transcript)
	if live != reloaded || strings.Count(live, "test markdown") != 1 {
		b.t.Errorf("live:\n%s\nreloaded:\n%s", live, reloaded)
	}
	if b.count(".transcript table") == 0 || b.count(".transcript pre code, .transcript .code") == 0 {
		b.t.Error("no table or no code in the long answer")
	}
	b.shoot("chat-markdown")
}

func (b *browser) loopTripsAndResumes() {
	b.t.Helper()
	b.open("/")
	b.say("test dead loop")
	b.sees("[data-card]", "8 times in a row")
	b.sees(".loop-fold summary", "8 × calculator 1+1 → 2")
	b.readsFromItsTop()
	b.do("unfold it", click(".loop-fold summary"), visible(".loop-calls"))
	b.sees(".loop-calls", "same as #1")
	if n := b.count(".loop-calls tbody tr"); n != 8 {
		b.t.Errorf("the card shows %d calls, want 8", n)
	}
	b.shoot("chat-loop")
	b.groupsItsCalls()
	chat := ask[string](b, `location.pathname`)
	b.do("open the run", click(".ask-link"), visible(".loop-fold"))
	b.sees(".ask-head .ask-time", "left")
	b.shoot("approval-loop")
	b.open(chat)
	b.readsFromItsTop()
	b.offersThreeWays()
	b.do("continue all the same", click(`[data-card] [id$="-more"] > summary`), click(`[data-card] [value="resume:plain"]`))
	b.sees(".transcript", "stuck in a loop")
	b.sees(".ask-settled", "Continued")
	if n := b.count("[data-card]"); n != 0 {
		b.t.Errorf("%d cards are still open", n)
	}
	b.shoot("chat-stopped")
	b.open(ask[string](b, `document.querySelector('a[href^="/runs/"]').getAttribute("href")`))
	b.sees("main", "stopped")
	b.shoot("run")
}

// readsFromItsTop: the card that waits is seen whole, or begins right below the head of the
// page, and what is proposed first is to wrap up.
func (b *browser) readsFromItsTop() {
	b.t.Helper()
	b.do("see its top", until(`(() => {
		const { top, bottom } = document.querySelector("[data-card]").getBoundingClientRect();
		const whole = bottom <= document.querySelector(".dock").getBoundingClientRect().top + 1;
		const head = document.querySelector(".chat-head").getBoundingClientRect().bottom;
		return top >= head && (whole || top < head + 60);
	})()`), until(`document.querySelector("[data-card] .btn-primary").value === "resume:finish_now"`))
	if n := b.count("[data-card] .ask-head .badge"); n != 0 {
		b.t.Error("a loop is said to be a risk")
	}
}

// offersThreeWays: to wrap up, to give a hint, which is not empty, and to stop; the rest is
// folded.
func (b *browser) offersThreeWays() {
	b.t.Helper()
	const ways = `[...document.querySelectorAll("[data-card] .btn")].filter((el) => el.checkVisibility()).map((el) => el.value).join(" ")`
	if got := ask[string](b, ways); got != "resume:finish_now resume:hint abort" {
		b.t.Errorf("the ways out are %s", got)
	}
	b.do("give an empty hint", click(`[data-card] [value="resume:hint"]`))
	b.sees("[data-decide-error]", "Write what it should do differently.")
	b.do("unfold the others", click(`[data-card] [id$="-more"] > summary`))
	if got := ask[string](b, ways); got != "resume:finish_now resume:hint abort resume:allow_more resume:as_polling resume:plain reject takeover" {
		b.t.Errorf("all ways are %s", got)
	}
	b.do("fold them", click(`[data-card] [id$="-more"] > summary`))
}

// groupsItsCalls: equal calls are one line, as they come and after a reload.
func (b *browser) groupsItsCalls() {
	b.t.Helper()
	for range 2 {
		b.sees(".tool-group > summary", "calculator × 5")
		b.sees(".tool-group:last-of-type > summary", "1+1")
		if n := ask[int](b, `[...document.querySelectorAll(".tool-group > .tools > .tool")].filter((r) => r.checkVisibility()).length`); n != 0 {
			b.t.Errorf("%d calls are seen though they are folded", n)
		}
		b.sees(".transcript", "held by a breaker")
		b.do("load it again", chromedp.Reload())
	}
}

// guidanceTurnsTheRun: what a reviewer types is in the model's next request,
// and the run goes another way.
func (b *browser) guidanceTurnsTheRun() {
	b.t.Helper()
	b.open("/")
	b.say("test ping-pong")
	b.sees("[data-card]", "alternated")
	b.sees(".loop-fold summary", "A 4 × calculator 1+1 → 2")
	b.sees(".loop-fold summary", "B 4 × calculator 2+2 → 4")
	b.shoot("chat-ping-pong")
	b.do("guide", typing("[data-card] [data-comment]", "Use the archive instead."), click(`[data-card] [value="resume:hint"]`))
	b.sees(".transcript", "Understood: Use the archive instead.")
}

// finishesNow ends a loop with an answer, without tools.
func (b *browser) finishesNow() {
	b.t.Helper()
	b.open("/")
	b.say("test dead loop")
	b.sees("[data-card]", "8 times in a row")
	b.do("finish now", click(`[data-card] [value="resume:finish_now"]`))
	b.sees(".ask-settled", "Wrapped up")
	b.sees(".transcript", "I stop here, because I have no tools any more.")
	b.sees("#run-state, .transcript", "Done")
}

// pollsOutsideTheModel lets a call wait until its result changes.
func (b *browser) pollsOutsideTheModel() {
	b.t.Helper()
	b.open("/")
	b.say("test polling")
	b.sees("[data-card]", "8 times in a row")
	b.do("treat as polling", click(`[data-card] [id$="-more"] > summary`), click(`[data-card] [value="resume:as_polling"]`))
	b.sees(".transcript", "is polled without the model")
	b.sees("#run-state", "Waiting for a result to change")
	b.shoot("chat-waiting")
	b.sees(".transcript", "The buoy has measured.")
}

// chantIsCut: a stream that repeats itself is cut, and says so.
func (b *browser) chantIsCut() {
	b.t.Helper()
	b.open("/")
	b.say("test counting chant")
	b.sees("[data-card]", "has repeated itself")
	b.shoot("chat-chant")
	b.aborts()
	b.do("let it end", visible(".end"))
	b.sees(".end", "Stopped")
}

func (b *browser) approvesACommand() {
	b.t.Helper()
	b.open("/")
	b.say("test approval")
	b.sees("[data-card] .command", "rm -f build")
	b.shoot("chat-approval")
	b.do("approve", click(`[data-card] button[value="approve"]`))
	b.sees(".ask-settled", adminEmail)
	b.sees(".transcript", "exit code 0")
}

// decidesInTheInbox sees an approval arrive that somebody else's program has
// caused, and rejects it on its own page, with a reason.
func (b *browser) decidesInTheInbox(elsewhere api) {
	b.t.Helper()
	b.open("/approvals")
	b.sees("main", "all caught up")
	elsewhere.ask("test approval")
	b.sees(".inbox-link", "Run a command")
	b.shoot("inbox")
	b.do("open the approval", click(".inbox-link"), visible("[data-card]"))
	b.shoot("approval")
	b.do("reject", chromedp.Click(`[id$="-m"] > summary`), typing("[data-comment]", "not today"),
		click(`[data-card] button[value="reject"]`))
	b.sees(".just-decided", "Denied")
	b.do("go back to it", click(".just-decided a"))
	b.sees(".ask-settled", "not today")
}

// conversationOf finds a conversation in the sidebar by its title.
func (b *browser) conversationOf(title string) string {
	b.t.Helper()
	return ask[string](b, fmt.Sprintf(
		`[...document.querySelectorAll('a[href^="/c/"]')].find((a) => a.textContent.includes(%q)).getAttribute("href").slice(3)`, title))
}
