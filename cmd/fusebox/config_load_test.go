package main

import (
	"testing"

	"fusebox/cmd/fusebox/config"
)

func load(t *testing.T, env []string, args ...string) (config.Config, error) {
	t.Helper()
	c, _, err := config.Load("serve", "", append(env, "FUSEBOX_DATA="+t.TempDir()), args)
	return c, err
}
