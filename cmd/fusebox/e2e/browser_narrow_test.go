package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserQuestionsFitPhones: what a page asks before it deletes or stops something is
// in the window as a whole, with the button that does it.
func TestBrowserQuestionsFitPhones(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	b.signIn(adminEmail)
	b.say("test approval")
	b.do("see a card", visible("[data-card]"))
	run := ask[string](b, `"/runs/" + document.querySelector("[data-run]").dataset.run`)
	p.admin().must("POST", "/api/v1/budgets", `{"who":"everybody","window":"day","limitMicros":5000000,"atLimit":"pause"}`)
	for _, path := range []string{run, "/admin/budgets"} {
		for _, phone := range []size{{390, 844}, {320, 640}} {
			b.resized(phone)
			b.open(path)
			b.do("ask", click("main .confirm > summary"), visible("main .confirm-box"))
			if off := ask[string](b, `(() => {
				const { left, right } = document.querySelector("main .confirm-box").getBoundingClientRect();
				return left < 0 || right > innerWidth ? left + " to " + right : "";
			})()`); off != "" {
				t.Errorf("%s in %v: the question goes from %s", path, phone, off)
			}
		}
	}
}

// TestBrowserChoicesOnPhones: among many models, a new chat's choices can be read on a phone.
func TestBrowserChoicesOnPhones(t *testing.T) {
	needsBrowser(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		models := make([]string, 300)
		for i := range models {
			models[i] = fmt.Sprintf(`{"id":"vendor/model-%03d"}`, i)
		}
		_, _ = fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(models, ",")) // the test fails where it is cut
	}))
	t.Cleanup(srv.Close)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+srv.URL+"/v1")...)
	b := newBrowser(t, p.url)
	b.signIn(adminEmail)
	for _, phone := range []size{{390, 844}, {320, 640}} {
		b.resized(phone)
		b.do("see the field", chromedp.Reload(), visible("#model-button"))
		if wide := ask[int](b, `document.scrollingElement.scrollWidth`); wide > int(phone.width) {
			t.Errorf("the page is %d pixels wide in %v", wide, phone)
		}
		for _, choice := range []string{"#model-button", "#chat-mode"} {
			if wide := ask[float64](b, fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().width`, choice)); wide < 100 {
				t.Errorf("%s is %.0f pixels wide in %v", choice, wide, phone)
			}
		}
	}
}
