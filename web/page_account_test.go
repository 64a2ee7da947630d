package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

func TestSetupMakesTheFirstAdminOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	b.get("/").check(t, want{status: http.StatusSeeOther, location: "/setup"})
	b.get("/setup").check(t, want{status: http.StatusOK, has: []string{"One-time code", "At least 10 characters"}, hasNot: []string{setupCode}})

	b.post("/setup", form("code", "wrong", "email", "ana@example.com", "password", "short")).check(t, want{
		status: http.StatusUnprocessableEntity,
		has:    []string{`id="code-error"`, `id="password-error"`, `value="ana@example.com"`, `aria-describedby="code-hint code-error"`},
		hasNot: []string{"short\"", setupCode, `id="email-error"`},
	})
	b.post("/setup", form("code", setupCode, "email", "Ana@Example.com", "password", goodPassword)).check(t, want{status: http.StatusSeeOther, location: "/"})
	b.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{"ana@example.com", "you"}})

	late := s.browser()
	late.get("/setup").check(t, want{status: http.StatusSeeOther, location: "/login"})
	late.get("/login")
	late.post("/setup", form("code", setupCode, "email", "eve@example.com", "password", goodPassword)).check(t, want{status: http.StatusSeeOther, location: "/login"})
	if n, err := s.db.CountUsers(t.Context()); err != nil || n != 1 {
		t.Errorf("%d users, %v", n, err)
	}
}

func TestSetupCodeIsThrottled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	b.get("/setup")
	for range 5 {
		b.post("/setup", form("code", "guess")).check(t, want{status: http.StatusUnprocessableEntity})
	}
	got := b.post("/setup", form("code", setupCode, "email", "ana@example.com", "password", goodPassword))
	got.check(t, want{status: http.StatusTooManyRequests, has: []string{"Too many failed attempts. Try again in"}})
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.clock.Advance(time.Minute)
	b.post("/setup", form("code", setupCode, "email", "ana@example.com", "password", goodPassword)).check(t, want{status: http.StatusSeeOther, location: "/"})
}

func TestLogin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ana@example.com", agent.RoleAdmin)
	gone := s.user("gone@example.com", agent.RoleUser)
	s.ok(s.db.PatchUser(t.Context(), gone.ID, agent.UserPatch{Role: new(agent.RoleUser), Disabled: new(true)}))

	b := s.browser()
	b.get("/approvals?kind=loop").check(t, want{status: http.StatusSeeOther, location: "/login?next=%2Fapprovals%3Fkind%3Dloop"})
	b.get("/login?next=%2Fapprovals%3Fkind%3Dloop").check(t, want{status: http.StatusOK, has: []string{`value="/approvals?kind=loop"`}})
	refused := want{
		status: http.StatusUnprocessableEntity, has: []string{"Wrong email or password.", `role="alert"`}, hasNot: []string{"wrong password", goodPassword},
	}
	for _, try := range []url.Values{
		form("email", "ana@example.com", "password", "wrong password"),
		form("email", "nobody@example.com", "password", goodPassword),
		form("email", "gone@example.com", "password", goodPassword),
	} {
		b.post("/login", try).check(t, refused)
	}
	b.post("/login", form("email", "ANA@example.com", "password", goodPassword, "next", "//evil.example")).check(t, want{status: http.StatusSeeOther, location: "/"})
	b.get("/login?next=/settings").check(t, want{status: http.StatusSeeOther, location: "/settings"})
	b.get("/settings/account")
	b.post("/logout", nil).check(t, want{status: http.StatusSeeOther, location: "/login"})
	b.get("/settings/account").check(t, want{status: http.StatusSeeOther, location: "/login?next=%2Fsettings%2Faccount"})
}

// TestKeptPagesEndWithTheSession: a browser may keep what its buttons back and forward
// lead to, and the page can tell that its session has ended.
func TestKeptPagesEndWithTheSession(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("ana@example.com", agent.RoleAdmin))
	home, err := url.Parse(s.url)
	s.ok(err)
	visit := func() string {
		for _, c := range b.client.Jar.Cookies(home) {
			if c.Name == "fusebox_visit" {
				return c.Value
			}
		}
		return ""
	}
	page := b.get("/")
	page.check(t, want{status: http.StatusOK, has: []string{`<meta name="visit" content="` + visit() + `">`}})
	if kept := page.header.Get("Cache-Control"); kept != "private,no-cache" || visit() == "" {
		t.Errorf("a chat: %s, session %q", kept, visit())
	}
	if kept := b.get("/settings/tokens").header.Get("Cache-Control"); kept != "no-store" {
		t.Errorf("a page that shows secrets: %s", kept)
	}
	b.post("/logout", nil)
	if visit() != "" {
		t.Error("the session's name outlives it")
	}
}

func TestLoginSaysHowLongToWait(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	b := s.browser()
	b.get("/login")
	for range 5 {
		b.post("/login", form("email", ana.Email, "password", "no")).check(t, want{status: http.StatusUnprocessableEntity})
	}
	got := b.post("/login", form("email", ana.Email, "password", goodPassword))
	got.check(t, want{status: http.StatusTooManyRequests, has: []string{"Too many failed attempts. Try again in", `value="ana@example.com"`}})
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.clock.Advance(61 * time.Second)
	b.post("/login", form("email", ana.Email, "password", goodPassword)).check(t, want{status: http.StatusSeeOther, location: "/"})
}

func TestUsersPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	bob := s.user("bob@example.com", agent.RoleUser)
	b := s.as(ana)
	for _, row := range []struct {
		name, path string
		form       url.Values
		want       want
	}{
		{"bad input comes back at its fields", "/admin/users", form("email", "nobody", "password", "x", "role", "reviewer"), want{
			status: http.StatusUnprocessableEntity, has: []string{`id="email-error"`, `id="password-error"`, `value="nobody"`, `<option value="reviewer" selected`},
		}},
		{"a role that is none", "/admin/users", form("email", "c@example.com", "password", goodPassword, "role", "root"), want{
			status: http.StatusUnprocessableEntity, has: []string{`id="role-error"`},
		}},
		{"a taken address", "/admin/users", form("email", "BOB@example.com", "password", goodPassword, "role", "user"), want{
			status: http.StatusConflict, has: []string{"An account with this email already exists."},
		}},
		{"a new reviewer", "/admin/users", form("email", "rita@example.com", "password", goodPassword, "role", "reviewer"), want{
			status: http.StatusSeeOther, location: "/admin/users",
		}},
		{"the last admin stays", "/admin/users/" + ana.ID, form("role", "user"), want{
			status: http.StatusConflict, has: []string{"ana@example.com is the last admin."},
		}},
		{"the last admin is not disabled", "/admin/users/" + ana.ID, form("role", "admin", "disabled", "true"), want{status: http.StatusConflict}},
		{"nobody", "/admin/users/none", form("role", "user"), want{status: http.StatusNotFound}},
		{"promotion", "/admin/users/" + bob.ID, form("role", "reviewer"), want{status: http.StatusSeeOther, location: "/admin/users"}},
	} {
		b.post(row.path, row.form).check(t, row.want)
	}
	b.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{"rita@example.com", "bob@example.com is now reviewer (was user)"}})
	rows, _, err := s.db.AuditRows(t.Context(), agent.AuditFilter{}, agent.Page{Limit: 10})
	s.ok(err)
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.Action+" "+r.Actor] = true
	}
	if !seen["user.create ana@example.com"] || !seen["user.update ana@example.com"] {
		t.Errorf("audit log: %v", rows)
	}
}

func TestDisabledUserIsOutAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	b := s.as(bob)
	s.as(ana).post("/admin/users/"+bob.ID, form("role", "user", "disabled", "true")).check(t, want{status: http.StatusSeeOther, location: "/admin/users"})
	b.get("/settings/account").check(t, want{status: http.StatusSeeOther, location: "/login?next=%2Fsettings%2Faccount"})
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.com", agent.RoleAdmin)
	s.finished(ana, "numbers")
	b := s.as(ana)
	b.get("/settings").check(t, want{status: http.StatusSeeOther, location: "/settings/account"})
	b.get("/settings/usage").check(t, want{status: http.StatusOK, has: []string{"Your spending in", "$0.0050", `aria-current="page">Usage<`}})
	b.get("/settings/tokens").check(t, want{status: http.StatusOK, has: []string{"No tokens yet."}, hasNot: []string{"Your spending in"}})

	b.post("/settings/tokens", form("name", " ", "scope", "read", "expires", "30")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`id="token-name-error"`}})
	b.post("/settings/tokens", form("name", "ci", "scope", "read", "expires", "30")).check(t, want{status: http.StatusCreated, has: []string{"fbx_", "<strong>ci</strong>", "won’t be shown again"}})
	b.get("/settings/tokens").check(t, want{status: http.StatusOK, has: []string{"<strong>ci</strong>", "never used"}, hasNot: []string{"fbx_"}})
	b.post("/settings/tokens", form("name", "ci", "scope", "read", "expires", "30")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{"is the name of another token of yours"}})
	tokens, err := s.db.Tokens(t.Context(), ana.ID)
	s.ok(err)
	other := s.as(s.user("bob@example.com", agent.RoleUser))
	other.post("/settings/tokens/"+tokens[0].ID+"/delete", nil).check(t, want{status: http.StatusNotFound})
	b.post("/settings/tokens/"+tokens[0].ID+"/delete", nil).check(t, want{status: http.StatusSeeOther, location: "/settings/tokens"})

	b.post("/settings/appearance", form("theme", "sepia", "language", "zh")).check(t, want{status: http.StatusUnprocessableEntity})
	b.post("/settings/appearance", form("theme", "dark", "language", "zh", "output", "whole")).check(t, want{status: http.StatusSeeOther, location: "/settings/appearance"})
	b.get("/settings/appearance").check(t, want{status: http.StatusOK, has: []string{`data-theme="dark"`, `<html lang="zh"`, "已保存。", `<option value="whole" selected>`}})
	b.post("/settings/appearance", form("theme", "dark", "language", "en")).check(t, want{status: http.StatusSeeOther, location: "/settings/appearance"})
	b.get("/settings/tokens").check(t, want{status: http.StatusOK, hasNot: []string{"<strong>ci</strong>"}})

	b.post("/settings/password", form("old", "wrong", "password", "short")).check(t, want{
		status: http.StatusUnprocessableEntity, has: []string{`id="old-error"`, `id="password-error"`}, hasNot: []string{`value="wrong"`},
	})
	elsewhere := s.as(ana)
	b.get("/settings/account")
	b.post("/settings/password", form("old", goodPassword, "password", "another sentence")).check(t, want{status: http.StatusSeeOther, location: "/settings/account"})
	b.get("/settings/account").check(t, want{status: http.StatusOK, has: []string{"Other browsers are signed out"}})
	elsewhere.get("/settings/account").check(t, want{status: http.StatusSeeOther, location: "/login?next=%2Fsettings%2Faccount"})
	again := s.browser()
	again.get("/login")
	again.post("/login", form("email", ana.Email, "password", goodPassword)).check(t, want{status: http.StatusUnprocessableEntity})
	again.post("/login", form("email", ana.Email, "password", "another sentence")).check(t, want{status: http.StatusSeeOther, location: "/"})
}

func TestErrorPageIsForPeople(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana, bob := s.user("ana@example.com", agent.RoleAdmin), s.user("bob@example.com", agent.RoleUser)
	s.as(ana).get("/nowhere").check(t, want{status: http.StatusNotFound, has: []string{"404", `id="sidebar"`, "Back to chat"}})
	s.as(bob).get("/admin/spend").check(t, want{status: http.StatusForbidden, has: []string{"admins only", "403"}, hasNot: []string{"Tokens in"}})
}

// TestNewPasswordEndsTokens, unless the person keeps them.
func TestNewPasswordEndsTokens(t *testing.T) {
	t.Parallel()
	for keep, status := range map[string]int{"": http.StatusUnauthorized, "true": http.StatusOK} {
		s := newSite(t)
		ana := s.user("ana@example.com", agent.RoleAdmin)
		c, b := s.client(ana), s.as(ana)
		b.get("/settings/account").check(t, want{status: http.StatusOK, has: []string{`name="keep_tokens"`}})
		b.post("/settings/password", form("old", goodPassword, "password", "another sentence", "keep_tokens", keep)).check(t, want{status: http.StatusSeeOther, location: "/settings/account"})
		c.call(http.MethodGet, "/api/v1/models", "").check(t, want{status: status})
	}
}

// TestSignOutEverywhere: a person, or an admin for them, ends what is open in other
// browsers; API tokens and other people's sessions stay.
func TestSignOutEverywhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, bob := s.user("admin@example.org", agent.RoleAdmin), s.user("bob@example.org", agent.RoleUser)
	boss, here, there := s.as(admin), s.as(bob), s.as(bob)
	program := s.client(bob)

	here.get("/settings/account").check(t, want{status: http.StatusOK, has: []string{`action="/settings/sign-out"`}})
	here.post("/settings/sign-out", nil).check(t, want{status: http.StatusSeeOther, location: "/login"})
	for _, b := range []*browser{here, there} {
		b.get("/settings/account").check(t, want{status: http.StatusSeeOther, location: "/login?next=%2Fsettings%2Faccount"})
	}

	again := s.as(bob)
	again.post("/admin/users/"+admin.ID+"/sign-out", nil).check(t, want{status: http.StatusForbidden})
	boss.get("/admin/users")
	boss.post("/admin/users/none/sign-out", nil).check(t, want{status: http.StatusNotFound})
	boss.post("/admin/users/"+bob.ID+"/sign-out", nil).check(t, want{status: http.StatusSeeOther, location: "/admin/users"})
	boss.get("/admin/users").check(t, want{status: http.StatusOK, has: []string{"bob@example.org is signed out everywhere."}})
	again.get("/settings/account").check(t, want{status: http.StatusSeeOther, location: "/login?next=%2Fsettings%2Faccount"})
	program.call(http.MethodGet, "/api/v1/models", "").check(t, want{status: http.StatusOK})
	boss.get("/admin/audit?action=user.sign_out").check(t, want{status: http.StatusOK, has: []string{"user.sign_out"}})
}

// TestInvitation: a person who is added without a password chooses it, behind a link that
// works once.
func TestInvitation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(s.user("admin@example.org", agent.RoleAdmin))
	b.get("/admin/users")
	made := b.post("/admin/users", form("email", "new@example.org", "role", "reviewer"))
	made.check(t, want{status: http.StatusCreated, has: []string{"new@example.org is invited.", "/reset/"}})
	_, link, _ := strings.Cut(made.body, "/reset/")
	link, _, _ = strings.Cut(link, `"`)
	b.post("/admin/users", form("email", "new@example.org", "role", "user")).check(t, want{status: http.StatusConflict, has: []string{`id="email-error"`}, hasNot: []string{"is invited"}})
	b.post("/admin/users", form("email", "nobody", "role", "user")).check(t, want{status: http.StatusUnprocessableEntity, has: []string{`id="email-error"`}})

	guest := s.browser()
	guest.get("/login")
	guest.post("/login", form("email", "new@example.org", "password", "")).check(t, want{status: http.StatusUnprocessableEntity})
	guest.get("/reset/"+link).check(t, want{status: http.StatusOK, has: []string{"new@example.org"}})
	guest.post("/reset/"+link, form("password", goodPassword)).check(t, want{status: http.StatusOK})
	guest.get("/login")
	guest.post("/login", form("email", "new@example.org", "password", goodPassword)).check(t, want{status: http.StatusSeeOther, location: "/"})
	guest.get("/reset/"+link).check(t, want{status: http.StatusNotFound})
}
