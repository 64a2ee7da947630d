// Package config reads what can be configured from outside: defaults, the
// configuration file, the environment and flags, in rising order of precedence,
// into a Config. Load is its only door; nothing else reads the environment.
//
//	settings.go, keys.go       the settings, and the kinds of their values
//	load.go, file.go           where they come from, and whether they fit each other
//	providers.go, policy_rules.go, agents.go, workflows.go, tool_sources.go, tool_tables.go   tables of the file
//	notify.go, telemetry.go, web.go                                  settings of one part each
//
// A new setting is a field and a row in settings.go, and a row in the manual. Every error
// is an Error: one line that says where, what, and what is allowed.
//
// It imports agent and those of its parts whose values settings name. It must
// not import store, web or views: what is made of the settings is cmd/fusebox's.
package config
