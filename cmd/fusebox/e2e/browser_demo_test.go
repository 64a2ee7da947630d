package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserChips clicks the examples of the empty chat as a newcomer does. All of
// them, from top to bottom and with pictures, where pictures are asked for:
//
//	FUSEBOX_TEST=full FUSEBOX_TEST_SCREENSHOTS=1 go test ./cmd/fusebox/e2e -run BrowserChips
func TestBrowserChips(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir())
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.sees(".example", "The agent calls a tool")
	prompts := []string{"test outputs", "test choose", "test unknown tool"}
	if os.Getenv("FUSEBOX_TEST_SCREENSHOTS") != "" {
		prompts = ask[[]string](b, `[...document.querySelectorAll("[name=example]")].map((el) => el.value)`)
		b.shootWhole("chips")
	}
	for i, prompt := range prompts {
		b.open("/")
		b.do("open the list", click(".all-examples > summary"))
		b.do("click "+prompt, click(fmt.Sprintf("[name=example][value=%q]", prompt)))
		b.do("wait for the end of "+prompt, until(`location.pathname.startsWith("/c/")
			&& !!document.querySelector('#transcript [data-card], #transcript a[href^="/runs/"]')`))
		b.shoot(fmt.Sprintf("chip-%02d", i+1))
	}
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// TestBrowserManyCalls: a page shows the result of each call of an answer, and the end of
// the run, without a reload.
func TestBrowserManyCalls(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir())
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	shown, ends := 0, 0
	for _, n := range []int{3, 5, 8} {
		b.say(fmt.Sprint("test chain ", n))
		shown, ends = shown+n, ends+1
		b.do("wait for the end", until(fmt.Sprintf(`document.querySelectorAll('#transcript a[href^="/runs/"]').length === %d`, ends)))
		if done := b.count("#transcript .tool-success"); done != shown {
			t.Errorf("%d calls are shown as done after %d, not %d", done, n, shown)
		}
		b.shoot(fmt.Sprint("chain-", n))
	}
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// TestBrowserLongChatList: a list of chats that is longer than the window scrolls in
// itself, and the page does not get taller by it.
func TestBrowserLongChatList(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir())
	admin := p.admin()
	_, oldestRun := admin.ask("the oldest question")
	admin.rests(oldestRun)
	for range 65 {
		admin.ask("test question")
	}
	b := newBrowser(t, p.url)
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.open("/nothing/here")
	b.sees("#chat-list", "test question")
	if page, window := ask[int](b, `document.documentElement.scrollHeight`), ask[int](b, `innerHeight`); page > window {
		t.Errorf("the page is %d pixels high, the window %d", page, window)
	}
	b.do("resize", chromedp.EmulateViewport(1280, 620), until(`innerHeight === 620`))
	if seen := ask[int](b, chatsInSight); seen < 3 {
		t.Errorf("an admin with a low window sees %d chats in the list", seen)
	}
	b.sees(".chat-more", "60 of 66")
	b.do("load more", click(".chat-more a"), until(`document.querySelectorAll(".chat-link").length === 66 && !document.querySelector(".chat-more")`))
	if on := ask[int](b, `[...document.querySelectorAll(".chat-link")].indexOf(document.activeElement)`); on != 60 {
		t.Errorf("after more chats came, chat %d has the focus", on)
	}
	oldest := ask[string](b, `[...document.querySelectorAll(".chat-link")].at(-1).pathname`)
	for _, open := range []string{oldest, oldest + "?chats=120"} {
		b.open(open)
		b.sees(".chat-link[aria-current]", "the oldest question")
		if !ask[bool](b, `(() => { const at = document.querySelector(".chat-link[aria-current]").getBoundingClientRect(), list = document.querySelector("#chat-list").getBoundingClientRect(); return at.top >= list.top && at.bottom <= list.bottom })()`) {
			t.Errorf("%s: the open chat is not in sight", open)
		}
	}
	b.do("search", typing("[data-search]", "oldest\r"))
	b.sees("#chat-list", "1 chat found.")
}

// chatsInSight counts the chats of the list that are wholly within it.
const chatsInSight = `(() => {
	const list = document.querySelector("#chat-list").getBoundingClientRect();
	return [...document.querySelectorAll("#chat-list a")].filter((a) => {
		const at = a.getBoundingClientRect();
		return at.top >= list.top && at.bottom <= Math.min(list.bottom, innerHeight);
	}).length;
})()`

// shootWhole takes the whole page, however long it is, at both widths.
func (b *browser) shootWhole(name string) {
	b.t.Helper()
	for _, width := range []int64{1440, 390} {
		b.do("resize", chromedp.EmulateViewport(width, 900), until(fmt.Sprintf(`innerWidth === %d`, width)))
		height := ask[int64](b, `document.documentElement.scrollHeight`)
		b.do("resize", chromedp.EmulateViewport(width, height), until(fmt.Sprintf(`innerHeight === %d`, height)))
		png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			b.t.Fatal(err)
		}
		must(b.t, os.WriteFile(filepath.Join(artifacts(b.t), fmt.Sprintf("%s-%d.png", name, width)), png, 0o600))
	}
	b.do("back to the full width", chromedp.EmulateViewport(1440, 900), until(`innerWidth === 1440`))
}
