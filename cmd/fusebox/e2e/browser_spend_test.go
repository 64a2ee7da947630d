package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"fusebox/store/storetest"
)

// TestBrowserSpend: the charts of a day, a month and a year, of one model and of
// many, have room for all that they say, on a desktop and on a phone.
func TestBrowserSpend(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.signIn(adminEmail)
	y, m, d := time.Now().UTC().Date()
	end := time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
	for _, models := range []int{1, 14} {
		bill := storetest.Bill{Lines: 30_000, Days: 365, End: end, Models: models, Users: 30, Conversations: 400, Tools: 12}
		if err := bill.Fill(t.Context(), filepath.Join(p.data, "fusebox.db")); err != nil {
			t.Fatal(err)
		}
		for _, days := range []int{1, 3, 31, 365} {
			b.looksAtSpend(models, days, end)
		}
	}
	b.open("/admin/spend")
	b.sees(".totals", "Forecast")
	b.shoot("spend-month")
	b.open("/")
	b.sees("h1", "What should I work on?")
	b.say("What is the weather in Guangzhou?")
	b.sees(".end-bill", "tokens in")
	b.shoot("end-of-run")
	b.open("/settings/usage")
	b.sees("#my-spend", "Your spending in")
	b.sees(".own-spend .legend", "demo")
	b.shoot("own-spend")
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// looksAtSpend opens the page over so many days and checks what it draws against
// the room that it has.
func (b *browser) looksAtSpend(models, days int, end time.Time) {
	b.t.Helper()
	b.do("a wide window", chromedp.EmulateViewport(1440, 900))
	b.open(fmt.Sprintf("/admin/spend?from=%s&to=%s", end.AddDate(0, 0, -days).Format(time.DateOnly), end.AddDate(0, 0, -1).Format(time.DateOnly)))
	b.sees("#by-model", "By model")
	name := fmt.Sprintf("spend-%d-days-%d-models", days, models)
	if n := b.count(".legend li"); n != min(models, 7) {
		b.t.Errorf("%s: %d colours in the legend", name, n)
	}
	b.shoot(name)
	for _, width := range []int64{1440, 390} {
		b.do("a window", chromedp.EmulateViewport(width, 900))
		if over := ask[float64](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
			b.t.Errorf("%s: at %d px the page is %v px too wide", name, width, over)
		}
		if over := ask[bool](b, `(() => {
			const marks = [...document.querySelectorAll(".chart-marks text")].filter((el) => el.checkVisibility()).map((el) => el.getBoundingClientRect());
			return marks.length === 0 || marks.some((box, i) => i > 0 && box.left < marks[i - 1].right + 4);
		})()`); over {
			b.t.Errorf("%s: at %d px the axis has no labels, or they run into each other", name, width)
		}
	}
}
