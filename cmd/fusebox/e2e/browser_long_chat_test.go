package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"fusebox/store/storetest"
)

// TestBrowserLongChat scrolls back in a chat of 320 messages: earlier ones come a page
// at a time without holes or doubles, an answer goes on being written at the end, a
// reload keeps the place, and a message opens in its place.
func TestBrowserLongChat(t *testing.T) {
	needsBrowser(t)
	const turns = 80
	data := t.TempDir()
	onlyAdmin.put(t, data)
	chat := storetest.History{Runs: turns, Conversations: 1, Users: 1, Days: 1, End: time.Now(), Owner: adminEmail}
	must(t, chat.Fill(t.Context(), filepath.Join(data, "fusebox.db")))
	b := newBrowser(t, startEmpty(t, data).url)
	troubles := b.watch()
	b.open("/login?next=/c/conversation-0")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"), visible("#composer-text"))
	b.showsTurnsFrom(turns - 17) // three messages are shown of each turn, and turns whole
	b.weighs(25<<10, 60<<10)

	b.do("scroll to the top", scrollTo("0"), until(`document.querySelectorAll(".said").length > 20`))
	b.do("the place is kept", until(`scrollY > innerHeight`))
	b.say("test markdown")
	b.sees(".said", "test markdown")
	b.do("scroll back", until(`(scrollTo(0, 0), document.querySelectorAll(".said").length > 40)`))
	b.sees(".transcript", "Done")
	if y := ask[float64](b, `document.scrollingElement.scrollHeight - scrollY - innerHeight`); y < 500 {
		b.t.Errorf("the answer has pulled the page to %f pixels from its end", y)
	}

	b.do("go to the top", until(`(scrollTo(0, 0), !document.querySelector(".earlier"))`))
	b.showsTurnsFrom(0)
	b.do("look at turn 20", until(`([...document.querySelectorAll(".said")][20].scrollIntoView(), true)`))
	before := ask[string](b, firstInWindow)
	b.do("reload", chromedp.Reload(), until(`document.querySelectorAll(".said").length > 60`),
		until(fmt.Sprintf(`(%s) === %q`, firstInWindow, before)))

	b.open("/c/conversation-0?message=m000000030a")
	b.do("see the message", until(`(() => { const box = document.getElementById("m-m000000030a").getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })()`))
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// weighs checks what a page loads at once, compressed: its scripts, and all of it with its styles.
func (b *browser) weighs(scripts, all int) {
	b.t.Helper()
	b.do("weigh the page", until(`(() => {
		const zipped = async (url) => (await new Response((await fetch(url)).body.pipeThrough(new CompressionStream("gzip"))).arrayBuffer()).byteLength;
		const of = async (urls) => (await Promise.all(urls.map(zipped))).reduce((sum, n) => sum + n, 0);
		window.weighed ??= Promise.all([of([...document.scripts].filter((s) => s.src).map((s) => s.src)), of([location.href, document.querySelector("link[rel=stylesheet]").href])]).then((w) => (window.weight = w));
		return !!window.weight;
	})()`))
	w := ask[[]int](b, "window.weight")
	b.t.Logf("%d bytes of scripts, and %d of the page and its styles", w[0], w[1])
	if w[0] > scripts || w[0]+w[1] > all {
		b.t.Errorf("%d bytes of scripts, at most %d; %d in all, at most %d", w[0], scripts, w[0]+w[1], all)
	}
}

// firstInWindow is the text of the first of a person's messages that is in the window.
const firstInWindow = `[...document.querySelectorAll(".said")].find((el) => el.getBoundingClientRect().bottom > 0)?.innerText`

// scrollTo scrolls as far as a script says.
func scrollTo(y string) chromedp.Action[chromedp.Void] {
	return until(`(scrollTo(0, ` + y + `), true)`)
}

// showsTurnsFrom checks that the page shows the turns from one on, each once and in order.
func (b *browser) showsTurnsFrom(first int) {
	b.t.Helper()
	said := ask[[]string](b, `[...document.querySelectorAll(".said")].map((el) => /turn (\d+)/.exec(el.innerText)?.[1] ?? "").filter((n) => n)`)
	for i, n := range said {
		if n != fmt.Sprint(first+i) {
			b.t.Fatalf("the page shows the turns %s, want all from %d on", strings.Join(said, " "), first)
		}
	}
	if len(said) == 0 || said[len(said)-1] != "79" {
		b.t.Fatalf("the page shows the turns %s, want them up to the last", strings.Join(said, " "))
	}
}
