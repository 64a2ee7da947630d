package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// walker is a person without a mouse. It counts the keys that are pressed, apart from
// the text that is typed.
type walker struct {
	*browser
	strokes int
}

// key presses keys, each of them once.
func (w *walker) key(keys ...string) {
	w.t.Helper()
	for _, k := range keys {
		w.strokes++
		w.do("press "+fmt.Sprintf("%q", k), press(k))
	}
}

// control presses a key with Ctrl.
func (w *walker) control(key string) {
	w.t.Helper()
	w.strokes++
	w.do("press Ctrl and "+key, press(key, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
}

// types writes into whatever has the focus.
func (w *walker) types(text string) {
	w.t.Helper()
	if !ask[bool](w.browser, `document.activeElement.matches("input, textarea")`) {
		w.t.Fatalf("to type %q, the focus is on %s", text, w.focus())
	}
	w.do("type "+text, press(text))
}

// focus is what has it, for a message.
func (w *walker) focus() string {
	w.t.Helper()
	return ask[string](w.browser, `(() => { const el = document.activeElement; return el.cloneNode(false).outerHTML + el.textContent.trim().slice(0, 60); })()`)
}

// on waits until something has the focus.
func (w *walker) on(selector string) {
	w.t.Helper()
	w.do("have the focus on "+selector, until(fmt.Sprintf(`document.activeElement.matches(%q)`, selector)))
}

// tabs goes on with Tab until something has the focus, which is in sight each time.
func (w *walker) tabs(most int, selector string) {
	w.t.Helper()
	for range most {
		w.key(kb.Tab)
		if !ask[bool](w.browser, inSight) {
			w.t.Errorf("on the way to %s, the focus is hidden on %s", selector, w.focus())
		}
		if ask[bool](w.browser, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
	}
	w.t.Fatalf("%d times Tab do not lead to %s, but to %s", most, selector, w.focus())
}

// inSight reports whether some of what has the focus can be seen, with nothing in front.
const inSight = `(() => {
	const el = document.activeElement, box = el.getBoundingClientRect();
	if (el === document.body) return false;
	const left = Math.max(0, box.left), right = Math.min(innerWidth, box.right);
	const top = Math.max(0, box.top), bottom = Math.min(innerHeight, box.bottom);
	const at = (x, y) => document.elementFromPoint(x, y);
	return [0.1, 0.5, 0.9].some((share) => {
		const hit = at((left + right) / 2, top + (bottom - top) * share);
		return !!hit && (el.contains(hit) || hit.contains(el));
	});
})()`

// took says how many keys the walk took, and fails where a person would not bear it.
func (w *walker) took(what string, most int) {
	w.t.Helper()
	w.t.Logf("%s: %d keys", what, w.strokes)
	if w.strokes > most {
		w.t.Errorf("%s: %d keys, at most %d", what, w.strokes, most)
	}
}

func (w *walker) noTroubles(troubles func() []string) {
	w.t.Helper()
	for _, trouble := range troubles() {
		w.t.Error(trouble)
	}
}

// TestBrowserKeyboardNewcomer makes the first account and reads the first answer. What a
// screen reader gets of an answer with a card is compared there, too.
func TestBrowserKeyboardNewcomer(t *testing.T) {
	needsBrowser(t)
	p := startEmpty(t, t.TempDir())
	w := &walker{browser: newBrowser(t, p.url)}
	troubles := w.watch()
	w.open("/")
	w.sees("h1", "Welcome to Fusebox")
	w.on("[name=code]")
	w.types(p.logged(`setup_code=(\S+)`))
	w.tabs(1, "[name=email]")
	w.types(adminEmail)
	w.tabs(1, "[name=password]")
	w.types(adminPassword)
	w.key(kb.Enter)
	w.on("#composer-text")
	w.types("What is the weather in Guangzhou?")
	w.key(kb.Enter)
	w.sees(".transcript", "26 °C and partly cloudy in Guangzhou")
	w.sees("#live", "Done")
	w.took("a newcomer's first answer", 6)

	w.readsByEar()
	w.noTroubles(troubles)
}

// cardsToDecide are what a reviewer finds: what can be decided in its row, and what has
// to be opened.
var cardsToDecide = map[string]int{"test files": 10, "test approval": 7, "test dead loop": 3}

// TestBrowserKeyboardReviewer decides 20 cards: those of low and medium risk in their rows,
// the others one after another on their pages.
func TestBrowserKeyboardReviewer(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	admin := p.admin()
	all := 0
	for what, count := range cardsToDecide {
		for range count {
			_, run := admin.ask(what)
			admin.rests(run)
			all++
		}
	}
	w := &walker{browser: newBrowser(t, p.url)}
	troubles := w.watch()
	w.signsIn("/approvals")
	w.do("see them", until(fmt.Sprintf(`document.querySelectorAll(".inbox-row").length === %d`, all)))
	opened := ask[int](w.browser, `document.querySelectorAll(".inbox-row:not(:has([data-row-key]))").length`)

	w.key("j")
	w.on("[data-group] > details > summary") // those that ask for the same have folded
	for !ask[bool](w.browser, `!!document.activeElement.closest("[data-group]").querySelector("[data-row-key]")`) {
		w.key("j")
	}
	w.key(kb.Enter, "j")
	for left := all - opened; left > 0; left-- {
		w.pause()
		w.key(map[bool]string{true: "r", false: "a"}[left == 1])
		w.do("see it settle", until(fmt.Sprintf(`document.querySelectorAll(".inbox-row.is-settled").length === %d`, all-opened-left+1)))
		w.on(".inbox-link:not(.is-settled *)")
	}
	w.on("[data-group]:not(:has([data-row-key])) > details > summary")
	w.key(kb.Enter, "j")
	w.on(".inbox-row:not(:has([data-row-key])) .inbox-link")
	w.key(kb.Enter)
	for left := opened; left > 0; left-- {
		w.on("[data-card]")
		w.pause()
		page := ask[string](w.browser, `location.pathname`)
		w.key("a")
		w.do("be led on", until(fmt.Sprintf(`location.pathname !== %q`, page)), visible(".just-decided"))
	}
	if focus := w.focus(); strings.HasPrefix(focus, "<body") {
		t.Error("after the last card, nothing has the focus")
	}
	w.took(fmt.Sprintf("a reviewer's %d cards", all), 2*all)
	if n := admin.must("GET", "/api/v1/approvals?status=pending", "")["items"].([]any); len(n) > 0 {
		t.Errorf("%d cards still wait", len(n))
	}
	w.noTroubles(troubles)
}

// pause lets the time pass in which a key is taken for one that was meant for what was
// there before.
func (w *walker) pause() {
	w.t.Helper()
	w.do("read it", until(`(window.readSince ??= {}).on === document.activeElement ? performance.now() - window.readSince.at > 750 : (window.readSince = { on: document.activeElement, at: performance.now() }, false)`))
}

// signsIn signs the admin in with keys that are not counted.
func (w *walker) signsIn(next string) {
	w.t.Helper()
	w.open("/login?next=" + next)
	w.on("[name=email]")
	w.do("sign in", press(adminEmail+"\t"+adminPassword+"\r"), until(fmt.Sprintf(`location.pathname === %q`, next)))
}

// TestBrowserKeyboardAdmin sets a budget, from the page of a new chat. On the way: the keys
// are told on every page, the chats take one Tab stop, the menu of a phone keeps the focus.
func TestBrowserKeyboardAdmin(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	admin := p.admin()
	for n := range 25 {
		admin.must("POST", "/api/v1/conversations", fmt.Sprintf(`{"title":"Chat %d"}`, n))
	}
	w := &walker{browser: newBrowser(t, p.url)}
	troubles := w.watch()
	w.signsIn("/")
	w.on("#composer-text")
	w.control("k")
	w.on("[data-search]")
	w.tabs(5, `.nav-link[href="/admin/spend"]`)
	w.key(kb.Enter)
	w.sees("h1", "Spend")
	w.tabs(1, ".skip")
	w.key(kb.Enter)
	w.tabs(2, `.sections a[href="/admin/budgets"]`)
	w.key(kb.Enter)
	w.sees("h1", "Budgets")
	w.tabs(1, ".skip")
	w.key(kb.Enter)
	w.tabs(15, ".budget-example")
	w.key(kb.Enter)
	w.do("see the form filled", until(`location.hash === "#budget-form"`), until(`document.querySelector("#budget-dollars").value !== ""`))
	w.tabs(6, "#budget-dollars")
	w.key(kb.Enter)
	w.sees(".flash", "Budget saved")
	w.sees(".budgets", "per")
	w.took("an admin's budget", 35)

	w.findsKeysEverywhere()
	w.editsAUser()
	w.staysInTheMenu()
	w.noTroubles(troubles)
}

// findsKeysEverywhere asks for the keys on pages of each kind, and walks through the chats.
func (w *walker) findsKeysEverywhere() {
	w.t.Helper()
	for _, page := range []string{"/admin/users", "/settings/account", "/alerts", "/approvals"} {
		w.open(page)
		w.do("ask for the keys", press("?"), visible("#keys"))
		w.sees("#keys", "search chats")
		w.do("close them", press(kb.Escape), until(`!document.getElementById("keys").open`))
	}
	for _, button := range ask[[]string](w.browser, `[...document.querySelectorAll("button, summary, a")].filter((el) => el.checkVisibility({ visibilityProperty: true }) && !el.innerText.trim() && !el.title).map((el) => el.outerHTML)`) {
		w.t.Errorf("an icon without a tooltip: %s", button)
	}
	if n := ask[int](w.browser, `[...document.querySelectorAll(".chat-link")].filter((el) => el.tabIndex === 0).length`); n != 1 {
		w.t.Errorf("the list of chats has %d Tab stops", n)
	}
	w.control("k")
	w.tabs(1, ".chat-link")
	w.key(kb.ArrowDown, kb.ArrowDown)
	w.on("li:nth-child(3) > .chat-link")
	w.key(kb.End)
	w.on("li:nth-child(25) > .chat-link")
}

// editsAUser opens an account beside the list of users, and comes back to where it was.
func (w *walker) editsAUser() {
	w.t.Helper()
	w.open("/admin/users")
	const edit = ".users tbody tr:first-child button"
	ask[any](w.browser, `document.querySelector("`+edit+`").focus()`)
	w.key(kb.Enter)
	w.sees(".panel:popover-open", "Reset password")
	w.key(kb.Tab, kb.Tab)
	w.on(".panel select")
	w.key(kb.Escape)
	w.on(edit)
	if ask[bool](w.browser, `!!document.querySelector(".panel:popover-open")`) {
		w.t.Error("the panel stays open")
	}
}

// staysInTheMenu opens the menu of a phone: Tab does not leave it for the page behind it.
func (w *walker) staysInTheMenu() {
	w.t.Helper()
	w.do("on a phone", chromedp.EmulateViewport(390, 844), until(`innerWidth === 390`))
	w.open("/admin/users")
	w.tabs(2, "[data-sidebar-open]")
	w.key(kb.Enter)
	w.on(".sidebar a")
	for range 20 {
		w.key(kb.Tab)
		if ask[bool](w.browser, `!document.activeElement.matches("body, html, .sidebar *")`) {
			w.t.Fatalf("Tab leaves the menu for %s", w.focus())
		}
	}
	w.key(kb.Escape)
	w.on("[data-sidebar-open]")
	w.do("as wide as before", chromedp.EmulateViewport(1440, 900), until(`innerWidth === 1440`))
}
