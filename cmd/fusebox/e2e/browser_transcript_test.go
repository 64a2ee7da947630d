package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/device"
)

// hovering moves the mouse over an element, without a click.
func hovering(selector string) chromedp.Action[chromedp.Void] {
	place := chromedp.Evaluate[[]float64](fmt.Sprintf(`(() => {
		const el = document.querySelector(%q);
		el.scrollIntoView({ block: "center" });
		const box = el.getBoundingClientRect();
		return [box.x + 8, box.y + box.height / 2];
	})()`, selector))
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		at, err := place(ctx, t)
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, t, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: chromedp.MouseMoved, X: at[0], Y: at[1]})
		return err
	})
}

// TestBrowserTranscript: what is known about a message is shown while it is looked at, or
// reached by key, in a place that is kept for it; and what is wider than its place says so.
func TestBrowserTranscript(t *testing.T) {
	needsBrowser(t)
	columns := strings.Repeat("|a_long_word_in_a_cell", 12) + "|\n"
	wide := columns + strings.Repeat("|-", 12) + "|\n" + columns + "\n```\n" + strings.Repeat("wide ", 60) + "\n```\n\n```text\nnarrow\n```\n\n|a|\n|-|\n|b|\n\nמרחבא `git`\n\n这是*重点*。"
	model := saying(t, func() string { return wide })
	p := startProgram(t, t.TempDir(), "OPENAI_BASE_URL="+model+"/v1", "FUSEBOX_MODEL=scripted")
	b := newBrowser(t, p.url)
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.say("Write something wide")
	b.sees(".end", "Done")
	b.shoot("transcript")

	shown := func(selector string, want bool) {
		t.Helper()
		b.do(fmt.Sprintf("see %s: %t", selector, want), until(fmt.Sprintf(`(getComputedStyle(document.querySelector(%q)).opacity === "1") === %t`, selector, want)))
	}
	height := ask[float64](b, `document.querySelector("#transcript").offsetHeight`)
	b.do("look away", hovering("#composer-text"))
	for _, selector := range []string{".end-bill", ".said .pin", ".said time"} {
		shown(selector, false)
	}
	b.do("look at the answer", hovering(".answer"))
	shown(".end-bill", true)
	shown(".said .pin", false)
	b.do("look at the message", hovering(".said"))
	shown(".said .pin", true)
	shown(".end-bill", false)
	b.do("look away", hovering("#composer-text"))
	b.do("reach the pin by key", until(`(document.querySelector(".said .pin button").focus(), true)`))
	shown(".said .pin", true)
	b.do("reach the trace by key", until(`(document.querySelector(".end-bill a").focus(), true)`))
	shown(".end-bill", true)
	if now := ask[float64](b, `document.querySelector("#transcript").offsetHeight`); now != height {
		t.Errorf("the transcript is %v high, then %v", height, now)
	}

	const fades = `JSON.stringify([...document.querySelectorAll(".prose table, .prose pre")].map((el) => {
		const style = getComputedStyle(el);
		return ["--fade-start", "--fade-end"].map((edge) => parseFloat(style.getPropertyValue(edge)) > 0 ? "…" : "|").join("");
	}))`
	for place, want := range map[string]string{"0": `["|…","|…","||","||"]`, "el.scrollWidth / 3": `["……","……","||","||"]`, "el.scrollWidth": `["…|","…|","||","||"]`} {
		b.do("scroll to "+place, until(fmt.Sprintf(`(document.querySelectorAll(".prose table, .prose pre").forEach((el) => el.scrollLeft = %s), %s === %q)`, place, fades, want)))
	}
	for js, want := range map[string]string{
		`getComputedStyle([...document.querySelectorAll(".prose p")].find((p) => p.innerText.includes("git"))).direction`: "rtl",
		`getComputedStyle(document.querySelector(".prose p code")).direction`:                                             "ltr",
		`getComputedStyle(document.querySelector(".prose pre")).direction`:                                                "ltr",
		`getComputedStyle(document.querySelector(".prose em")).fontStyle`:                                                 "normal",
		`getComputedStyle(document.querySelector(".prose em")).textEmphasisStyle`:                                         "dot",
	} {
		if got := ask[string](b, js); got != want {
			t.Errorf("%s is %s, want %s", js, got, want)
		}
	}
	b.do("touch a phone", chromedp.Emulate(device.IPhone14), chromedp.Reload(), until(`matchMedia("(pointer: coarse)").matches`))
	for _, selector := range []string{".end-bill", ".said .pin", ".said time"} {
		shown(selector, true)
	}
}
