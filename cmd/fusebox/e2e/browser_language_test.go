package e2e

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// speaks has the browser ask for a language, as one that was installed in it.
func (b *browser) speaks(languages string) {
	b.t.Helper()
	b.do("ask for "+languages, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": languages}})
		return err
	}))
}

// TestBrowserChinese: somebody whose browser is Chinese reads Chinese, also what arrives
// live and what scripts write; and chooses English, for good.
func TestBrowserChinese(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	b.speaks("zh-CN,zh;q=0.9")
	b.open("/login")
	b.sees("h1", "登录")
	b.sees(".languages", "English")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "需要我做什么？")
	b.say("测试审批")
	b.sees("[data-card]", "批准")
	b.open("/approvals")
	b.sees("main time[data-when]", "刚刚")
	got := ask[string](b, `(() => {
		const asked = document.querySelector("main time[data-when]");
		asked.dateTime = new Date(Date.now() - 150000).toISOString();
		document.dispatchEvent(new Event("fragments"));
		return asked.textContent;
	})()`)
	if got != "3 分钟前" && got != "2 分钟前" {
		t.Errorf("two and a half minutes ago are %q", got)
	}
	b.open("/approvals?lang=en")
	b.sees(".offer", "Show Fusebox in English?")
	b.do("take it", click(".offer button"))
	b.sees("h1", "Approvals")
	if got := ask[string](b, `document.documentElement.lang + " " + location.search`); got != "en " {
		t.Errorf("after the choice: %q", got)
	}
}
