package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/text/language"

	"fusebox/agent"
	"fusebox/agent/guards"
	"fusebox/views/text"
	"fusebox/web/present"
)

// asks has a browser ask for languages in all of its requests.
func (b *browser) asks(languages string) *browser {
	next := b.client.Transport
	b.client.Transport = asking{languages, next}
	return b
}

type asking struct {
	languages string
	next      http.RoundTripper
}

func (a asking) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept-Language", a.languages)
	return a.next.RoundTrip(r)
}

// TestStrangersAreSpokenTo in the language of their browser, or of the link they came by.
func TestStrangersAreSpokenTo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.browser().asks("zh-CN,zh;q=0.9,en;q=0.8").get("/setup").check(t, want{
		status: http.StatusOK, has: []string{`<html lang="zh"`, "欢迎使用 Fusebox", `<a href="?lang=en" lang="en" hreflang="en">English</a>`},
	})
	ana := s.user("ana@example.org", agent.RoleAdmin)

	zh := s.browser().asks("zh-TW,zh;q=0.9,en;q=0.5")
	got := zh.get("/login?next=%2Fapprovals")
	got.check(t, want{status: http.StatusOK, has: []string{`<html lang="zh"`, "电子邮箱", `?lang=en&amp;next=%2Fapprovals`}, hasNot: []string{"Sign in"}})
	if !strings.Contains(strings.Join(got.header.Values("Vary"), ","), "Accept-Language") {
		t.Errorf("a cache may show it to others: Vary is %q", got.header.Values("Vary"))
	}
	zh.post("/login", form("email", ana.Email, "password", "wrong")).check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{"电子邮箱或密码错误。"},
	})
	zh.post("/nowhere", nil).check(t, want{status: http.StatusNotFound, has: []string{"此地址没有内容"}, hasNot: []string{"?lang="}})

	for _, languages := range []string{"fr", "en-US,zh;q=0.5", "", "x-!!"} {
		s.browser().asks(languages).get("/login").check(t, want{status: http.StatusOK, has: []string{`<html lang="en"`, "Sign in", `lang="zh" hreflang="zh">中文</a>`}})
	}

	b := s.browser().asks("en")
	b.get("/login?lang=zh-Hans").check(t, want{status: http.StatusOK, has: []string{`<html lang="zh"`}})
	b.get("/login").check(t, want{status: http.StatusOK, has: []string{`<html lang="zh"`}})
	b.get("/login?lang=tlh").check(t, want{status: http.StatusOK, has: []string{`<html lang="zh"`}})
	b.get("/reset/none").check(t, want{status: http.StatusNotFound, has: []string{`<html lang="zh"`, "未找到"}})
	b.get("/login?lang=en").check(t, want{status: http.StatusOK, has: []string{`<html lang="en"`}})
}

// TestPeopleAreSpokenTo in the language they have set, whatever the browser asks for.
// A link only offers another one: somebody else may have made it.
func TestPeopleAreSpokenTo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleAdmin)
	b := s.as(ana)
	b.get("/approvals?lang=zh&status=all").check(t, want{status: http.StatusOK, has: []string{
		`<html lang="en"`, "要用中文显示 Fusebox 吗？", `name="back" value="/approvals?status=all"`,
	}})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{`<html lang="en"`}, hasNot: []string{"中文"}})
	b.post("/settings/language", form("language", "zh", "back", "/approvals?status=all")).check(t, want{status: http.StatusSeeOther, location: "/approvals?status=all"})
	b.get("/approvals").check(t, want{status: http.StatusOK, has: []string{`<html lang="zh"`, "已保存。页面将以中文显示。"}, hasNot: []string{"Approvals"}})
	b.get("/settings/appearance?lang=en").check(t, want{status: http.StatusOK, has: []string{
		`<html lang="zh"`, "Show Fusebox in English?", `<option value="zh" selected>中文</option>`, `<option value="">自动（跟随浏览器）</option>`,
	}})
	b.get("/api/v1/users").check(t, want{status: http.StatusOK, has: []string{`"language":"zh"`}})
	b.get("/api/v1/runs/none").check(t, want{status: http.StatusNotFound, has: []string{"没有这次运行。"}})

	other := s.as(ana).asks("en")
	other.get("/").check(t, want{status: http.StatusOK, has: []string{`<html lang="zh"`, "需要我做什么？"}})
	other.get("/admin/nowhere").check(t, want{status: http.StatusNotFound, has: []string{`<html lang="zh"`}})
	b.post("/logout", nil)
	b.get("/login").check(t, want{status: http.StatusOK, has: []string{`<html lang="zh"`}}) // this browser keeps it

	other.post("/settings/language", form("language", "")).check(t, want{status: http.StatusSeeOther, location: "/settings/appearance"})
	other.get("/settings/appearance").check(t, want{status: http.StatusOK, has: []string{`<html lang="en"`, "Pages are in the language of your browser.", `<option value="" selected>`}})
	other.post("/settings/language", form("language", "tlh")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"is en, zh or empty"}})
	other.post("/settings/language", form("language", "en", "back", "//evil.example")).check(t, want{status: http.StatusSeeOther, location: "/"})
}

// TestLivePagesAreInTheirLanguage: each socket speaks the language of who opened it.
func TestLivePagesAreInTheirLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rita, rex := s.user("rita@example.org", agent.RoleReviewer), s.user("rex@example.org", agent.RoleReviewer)
	bob := s.user("bob@example.org", agent.RoleUser)
	s.ok(s.db.SetLanguage(t.Context(), rita.ID, "zh"))
	zh, en := s.socket(s.as(rita), "/ws/inbox?format=html"), s.socket(s.as(rex), "/ws/inbox?format=html")
	s.paused(bob, "first", shellCard(agent.RiskHigh, "rm one"))
	s.awaits(zh, "新审批：")
	s.awaits(en, "New approval: ")
}

// TestDatesInChinese: moments are written as the language writes them.
func TestDatesInChinese(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleAdmin)
	b := s.as(ana)
	now := s.clock.Now().UTC()
	b.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{now.Format(">2 Jan 2006 15:")}})
	b.post("/settings/language", url.Values{"language": {"zh"}})
	b.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{now.Format(">2006年1月2日 15:"), ">管理员<"}, hasNot: []string{now.Format("2 Jan")}})
	b.get("/settings/usage").check(t, want{status: http.StatusOK, has: []string{"你在" + now.Format("1月") + "的支出"}})
}

// TestBreakersAreExplained: the pages say of every detector and threshold what the command
// line and the API say, and say it in Chinese too.
func TestBreakersAreExplained(t *testing.T) {
	t.Parallel()
	en, zh := text.In(t.Context()), text.In(text.With(t.Context(), language.Chinese))
	for _, d := range guards.Detectors {
		if got := present.DetectorCatches(en, d.Name, ""); got != d.Catches {
			t.Errorf("%s is %q on the page, %q elsewhere", d.Name, got, d.Catches)
		}
		if got := present.DetectorCatches(zh, d.Name, d.Catches); got == d.Catches {
			t.Errorf("%s has no Chinese", d.Name)
		}
	}
	for _, n := range agent.GuardNumbers {
		if got, want := present.NumberHelp(en, n.Key, ""), present.SentenceCase(n.Help); got != want {
			t.Errorf("%s is %q on the page, %q elsewhere", n.Key, got, want)
		}
		if got := present.NumberHelp(zh, n.Key, n.Help); got == present.SentenceCase(n.Help) {
			t.Errorf("%s has no Chinese", n.Key)
		}
		if got, want := present.NumberAllowed(en, n), present.ShortSpans(n.Allowed()); got != want {
			t.Errorf("%s takes %q on the page, %q elsewhere", n.Key, got, want)
		}
	}
}
