package main

import "testing"

func load(t *testing.T, env []string, args ...string) (Config, error) {
	t.Helper()
	c, _, err := loadFrom("serve", "", append(env, "FUSEBOX_DATA="+t.TempDir()), args)
	return c, err
}
