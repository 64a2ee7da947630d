// Package config reads what can be configured from outside: defaults, the
// configuration file, the environment and flags, in rising order of precedence,
// into a Config. Load is its only door; nothing else reads the environment.
//
//	config.go, check.go        the settings, and whether they fit each other
//	flags.go, keys.go          which settings there are;  key_kinds.go: of which kinds
//	file.go                    the configuration file
//	providers.go, prices.go, policy_rules.go   its tables
//	notify.go, telemetry.go, alerts.go         settings of one part each
//
// A new setting is one row of keys and one in the manual. Every error is an
// Error: one line that says where, what, and what is allowed.
//
// It imports agent and those of its parts whose values settings name. It must
// not import store, web or views: what is made of the settings is cmd/fusebox's.
package config
