package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// size is that of a window.
type size struct{ width, height int64 }

// resized gives the window another size, and waits until the page has it.
func (b *browser) resized(to size) {
	b.t.Helper()
	b.do("another size", chromedp.EmulateViewport(to.width, to.height), until(fmt.Sprintf(`innerWidth === %d && innerHeight === %d`, to.width, to.height)))
}

// covered says what hides a part of what has the focus: its first or last line, or the
// first alone where it is higher than the room between the bars.
const covered = `(() => {
	const el = document.activeElement, lines = [...el.getClientRects()].filter((r) => r.width && r.height);
	if (!lines.length) return "it is not shown";
	const bars = [...document.querySelectorAll(".topbar, .chat-head, .dock")].filter((bar) => !bar.contains(el) && getComputedStyle(bar).position === "sticky");
	const taken = bars.reduce((sum, bar) => sum + bar.offsetHeight, 0), box = el.getBoundingClientRect();
	const ends = [[lines[0], lines[0].top + 3]];
	if (box.height < innerHeight - taken) ends.push([lines.at(-1), lines.at(-1).bottom - 3]);
	for (const [line, y] of ends) {
		const hit = document.elementFromPoint(Math.max(1, line.left) + Math.min(line.width, innerWidth) / 2, y);
		if (!hit) return "it is outside of the window";
		if (!el.contains(hit) && !hit.contains(el)) return "it lies under " + hit.cloneNode(false).outerHTML;
	}
	return "";
})()`

// drawn waits until what has just got the focus was drawn in its place.
const drawn = `(() => {
	const el = document.activeElement;
	if (window.seen?.el !== el) {
		const seen = (window.seen = { el });
		requestAnimationFrame(() => requestAnimationFrame(() => (seen.drawn = true)));
	}
	return !!window.seen.drawn;
})()`

// TestBrowserNothingUnderTheDock goes through chats with Tab, in windows of several sizes:
// whatever gets the focus is seen, with nothing in front of it.
func TestBrowserNothingUnderTheDock(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	w := &walker{browser: newBrowser(t, p.url)}
	w.signIn(adminEmail)
	for _, row := range []struct {
		say, typed string
		size
	}{
		{"test approval", "", size{390, 844}},
		{"test dead loop", "a message\nof so many\nlines\nthat the dock\ngrows", size{390, 844}},
		{"test question", "", size{768, 600}},
		{"test files", "", size{1440, 700}},
		{"test critical approval", "", size{320, 256}}, // 1280 by 1024 at 400 %
	} {
		w.resized(size{1440, 900})
		w.open("/")
		w.say(row.say)
		w.do("see the card", visible("[data-card]"))
		w.resized(row.size)
		w.do("write", until(fmt.Sprintf(`(() => { const f = document.querySelector("#composer-text"); f.value = %q; return f.dispatchEvent(new Event("input", { bubbles: true })); })()`, row.typed)))
		w.do("begin at the top", until(`(document.querySelector(".chat-head h1").tabIndex = -1, document.querySelector(".chat-head h1").focus(), true)`))
		for w.key(kb.Tab); !ask[bool](w.browser, `document.activeElement.id === "composer-text"`); w.key(kb.Tab) {
			w.do("see it", until(drawn))
			if why := ask[string](w.browser, covered); why != "" {
				t.Errorf("%s in %v: of %s, %s", row.say, row.size, w.focus(), why)
			}
			if w.strokes > 500 {
				t.Fatal("Tab does not come to the message field")
			}
		}
		if why := ask[string](w.browser, covered); why != "" {
			t.Errorf("%s in %v: of the message field, %s", row.say, row.size, why)
		}
	}
}

// TestBrowserCardOnAPhone: what is asked, why, and the decision come first; the facts are
// one line until somebody unfolds them. On a wide page they are there.
func TestBrowserCardOnAPhone(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	b.signIn(adminEmail)
	const facts = `document.querySelector("[data-card] .facts").checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && document.querySelector("[data-card] .facts").offsetHeight > 0`
	for _, row := range []struct{ say, asks string }{
		{"test approval", ".command"}, {"test critical approval", ".command"}, {"test files", ".diff"},
	} {
		b.resized(size{1440, 900})
		b.open("/")
		b.say(row.say)
		b.do("see the card", visible("[data-card] "+row.asks))
		if !ask[bool](b, facts) {
			t.Errorf("%s: the facts are folded on a wide page", row.say)
		}
		b.resized(size{390, 844})
		b.do("come to it", chromedp.Reload(), visible("[data-card]"), until(`(document.querySelector("[data-card]").scrollIntoView(), true)`))
		if ask[bool](b, facts) {
			t.Errorf("%s: the facts come before the decision on a phone", row.say)
		}
		for _, first := range []string{"h2", ".ask-why", row.asks, `button[value="approve"]`, `button[value="reject"]`} {
			if !ask[bool](b, fmt.Sprintf(`(() => {
				const box = document.querySelector('[data-card] %s').getBoundingClientRect();
				return box.top >= document.querySelector(".topbar").getBoundingClientRect().bottom && box.bottom <= document.querySelector(".dock").getBoundingClientRect().top;
			})()`, first)) {
				t.Errorf("%s: %s is not in sight", row.say, first)
			}
		}
		b.do("unfold the facts", click("[data-card] .facts-fold > summary"), until(facts))
		b.sees("[data-card] .facts", "Why approval is needed")
	}
}

// TestBrowserLowWindow: in a window as low as 400 % zoom makes it, no bar stays, nothing
// is wider than the window, and what opens lies in it.
func TestBrowserLowWindow(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	b.signIn(adminEmail)
	b.say("test dead loop")
	b.do("see the card", visible("[data-card]"))
	chat := ask[string](b, `location.pathname`)
	card := ask[string](b, `document.querySelector(".ask-link").getAttribute("href")`)
	for _, path := range []string{chat, card, "/", "/approvals", "/admin/guards/thresholds", "/admin/budgets"} {
		for _, low := range []size{{320, 256}, {640, 320}, {844, 390}} {
			b.resized(low)
			b.open(path)
			if wide := ask[int](b, `document.scrollingElement.scrollWidth`); wide > int(low.width) {
				t.Errorf("%s in %v is %d pixels wide", path, low, wide)
			}
			if stay := ask[[]string](b, `[...document.querySelectorAll(".main *, .topbar")].filter((el) => ["sticky", "fixed"].includes(getComputedStyle(el).position) && el.checkVisibility()).map((el) => el.className)`); len(stay) > 0 {
				t.Errorf("%s in %v: %v stay in the window", path, low, stay)
			}
		}
	}
	b.resized(size{320, 256})
	b.open(chat)
	for what, opened := range map[string]string{
		"a meter": "#fuses-about-loop", "the keys": "#chat-keys", "the menu": "#chat-menu .menu-body",
	} {
		b.do("open "+what, until(fmt.Sprintf(`(() => {
			const el = document.querySelector(%q);
			el.popover ? el.showPopover() : el.closest("details").querySelector("summary").click();
			el.scrollIntoView({ block: "nearest" });
			return true;
		})()`, opened)))
		if !ask[bool](b, fmt.Sprintf(`(() => { const box = document.querySelector(%q).getBoundingClientRect(); return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth; })()`, opened)) {
			t.Errorf("%s runs off the window", what)
		}
		b.do("close it", press(kb.Escape), until(`!document.querySelector(":popover-open, .menu[open]")`))
	}
	b.do("decide it", click(`[data-card] [value="resume:finish_now"]`))
	b.sees(".end", "Done")
}
