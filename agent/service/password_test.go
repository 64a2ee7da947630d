package service_test

import (
	"strings"
	"testing"

	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// TestPasswordFits: a hash opens for its own password, with the work that it names; one
// that is damaged opens for none. Those of less work were made by the reference
// implementation.
func TestPasswordFits(t *testing.T) {
	t.Parallel()
	const (
		password = "a good sentence"
		earlier  = "$argon2id$v=19$m=64,t=1,p=1$c2FsdCBvZiBzaXh0ZWVuIQ$"
		key      = "lbG/OZwI7nwRKz6nWyEDljg5ppOXX5KED7BmaSYnOYY"
	)
	own := service.HashPassword(password)
	for _, test := range []struct {
		name, hash, password string
		fits                 bool
	}{
		{"its own", own, password, true},
		{"another password", own, password + "!", false},
		{"of less work", earlier + key, password, true},
		{"of less work, another password", earlier + key, "another sentence", false},
		{"without a key", earlier, password, false},
		{"with a part of the key", earlier + key[:4], password, false},
		{"without passes", strings.Replace(earlier, "t=1", "t=0", 1) + key, password, false},
		{"without lanes", strings.Replace(earlier, "p=1", "p=0", 1) + key, password, false},
		{"cut in the middle", own[:40], password, false},
		{"of another kind", "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", password, false},
		{"none", "", password, false},
	} {
		if fits, err := service.PasswordFits(agenttest.Context(t), test.password, test.hash, true); err != nil || fits != test.fits {
			t.Errorf("%s: fits %v, %v", test.name, fits, err)
		}
	}
}
