package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserPrices sets a price, takes it back, and imports one instead.
func TestBrowserPrices(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")

	b.open("/admin/models")
	b.do("open the price", click(`a[aria-label="Price of demo:kimi"]`))
	b.sees(".price-now", "$0.15")
	b.do("type another", put("#price-input", "0.95"), put("#price-cached", "0.19"), put("#price-output", "4"),
		put("#price-source", "https://example.org/prices"), click(`.rule-form button[type=submit]`))
	b.sees(".table.prices", "example.org")
	b.do("take it back", click(".table.prices .confirm > summary"), visible(".table.prices .confirm-box"))
	b.shoot("price")
	b.fits("a price")
	b.do("for good", click(".table.prices .confirm-box button"))
	b.sees(".badge-warm", "no price")
	b.open("/admin/models")
	b.sees(".no-price", "hard spending budgets block it")
	b.shoot("models-no-price")
	b.fits("the models")

	b.open("/admin/models/import")
	b.do("paste a list", put("#list-text", `{"demo:kimi":{"mode":"chat","input_cost_per_token":6e-7,"output_cost_per_token":2.5e-6},`+
		`"demo":{"mode":"chat","input_cost_per_token":"2e-7","output_cost_per_token":6e-7},"other":{"mode":"chat"},"pictures":{"mode":"image_generation"}}`),
		click(`.rule-form button[type=submit]`))
	b.sees("#preview", "model_prices_and_context_window.json")
	b.do("see what is skipped", click(".decide-more > summary"))
	b.shoot("price-import")
	b.fits("what a list would change")
	b.do("import it", click(`form[action$="/confirm"] button`))
	b.sees(".table.models", "$0.6")
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// fits reports a page that has to be moved sideways on a phone.
func (b *browser) fits(what string) {
	b.t.Helper()
	b.do("a phone", chromedp.EmulateViewport(390, 900), until(`innerWidth === 390`))
	if over := ask[float64](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		b.t.Errorf("%s: at 390 px the page is %v px too wide", what, over)
	}
	b.do("back to the full width", chromedp.EmulateViewport(1440, 900), until(`innerWidth === 1440`))
}

// put is what is in a field, in place of what stood there.
func put(selector, text string) chromedp.Action[chromedp.Void] {
	return until(fmt.Sprintf(`(() => { const f = document.querySelector(%q); if (!f) return false; f.value = %q; return true })()`, selector, text))
}
