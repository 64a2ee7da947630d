package web_test

import (
	"net/url"
	"testing"

	"fusebox/agent"
)

// TestChatSetsItsOwnNumbers: a chat's owner makes its breakers stricter, takes
// a number back with an empty field, and hears what is allowed.
func TestChatSetsItsOwnNumbers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.as(s.user("bob@example.com", agent.RoleUser))
	bob.get("/")
	path := chatOf(t, bob, "Hello")
	save := func(warning, critical string) answer {
		return bob.post(path+"/settings", url.Values{
			"title": {"Hello"}, "mode": {"default"}, "guard.warning": {warning}, "guard.critical": {critical},
		})
	}
	bob.get(path).check(t, want{status: 200, has: []string{`name="guard.critical" value=""`, "Default 8, maximum 8."}})
	save("3", "4").check(t, want{status: 303, location: path})
	bob.get(path).check(t, want{status: 200, has: []string{`name="guard.warning" value="3"`, `name="guard.critical" value="4"`}})
	save("3", "9").check(t, want{status: 422, has: []string{"guards.guard.critical", "more than an admin allows here; at most 8"}})
	save("5", "4").check(t, want{status: 422, has: []string{"must be below"}})
	save("", "").check(t, want{status: 303, location: path})
	bob.get(path).check(t, want{status: 200, has: []string{`name="guard.critical" value=""`}})
}
