package config

import (
	"slices"
	"strings"
)

// IsSetting reports whether an environment variable configures the program.
func IsSetting(name string) bool {
	switch {
	case strings.HasPrefix(name, "OPENAI_"), strings.HasPrefix(name, "OTEL_"):
		return true
	case name == "FUSEBOX_CONFIG", name == "FUSEBOX_ADMIN_EMAIL", name == "FUSEBOX_ADMIN_PASSWORD":
		return true
	}
	for _, f := range topLevel {
		if f.env == name {
			return true
		}
	}
	return slices.ContainsFunc(keys, func(k key) bool { return k.envName() == name })
}
