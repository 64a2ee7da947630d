package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// key is one setting of the configuration file. Every key is also settable as
// FUSEBOX_ and its path in upper case with underscores.
type key struct {
	path, fallback string
	allowed        string // for people: the allowed values
	set            func(c *Config, text string) bool
}

func (k key) envName() string {
	return "FUSEBOX_" + strings.ToUpper(strings.ReplaceAll(k.path, ".", "_"))
}

// load takes a key's value from the environment, the file or its default.
func (k key) load(c *Config, f fileValues, env map[string]string) error {
	where, value := "default", k.fallback
	if v, ok := f.values[k.path]; ok {
		f.used[k.path] = true
		text := dump(v)
		if list, ok := v.([]any); ok { // as the environment would hold it
			parts := make([]string, len(list))
			for i, p := range list {
				parts[i] = dump(p)
			}
			text = strings.Join(parts, ",")
		}
		where, value = "config file "+f.path+", key "+k.path, text
	}
	if v := env[k.envName()]; v != "" {
		where, value = "environment variable "+k.envName(), v
	}
	if !k.set(c, value) {
		if slices.Contains(secretKeys, k.path) {
			return Errorf("%s: the value is not allowed; allowed: %s", where, k.allowed)
		}
		return Errorf("%s: %q is not allowed; allowed: %s", where, value, k.allowed)
	}
	return nil
}

// list reads names separated by commas or spaces.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func numberKey[N int | int64](path, fallback string, lo, hi N, field func(*Config) *N) key {
	return key{path, fallback, fmt.Sprintf("a whole number from %d to %d", lo, hi), func(c *Config, text string) bool {
		n, err := strconv.ParseInt(text, 10, 64)
		*field(c) = N(n)
		return err == nil && n >= int64(lo) && n <= int64(hi)
	}}
}

func durationKey(path, fallback string, lo, hi time.Duration, field func(*Config) *time.Duration) key {
	return key{path, fallback, "a duration such as 500ms, 30s or 10m, from " + lo.String() + " to " + hi.String(), func(c *Config, text string) bool {
		d, err := time.ParseDuration(text)
		*field(c) = d
		return err == nil && d >= lo && d <= hi
	}}
}

func boolKey(path, fallback string, field func(*Config) *bool) key {
	return key{path, fallback, "true or false", func(c *Config, text string) bool {
		*field(c) = text == "true"
		return text == "true" || text == "false"
	}}
}

func choiceKey(path, fallback string, choices []string, field func(*Config) *string) key {
	return key{path, fallback, strings.Join(choices, ", "), func(c *Config, text string) bool {
		*field(c) = text
		return slices.Contains(choices, text)
	}}
}

// anyKey takes any text, also an empty one.
func anyKey(path, allowed string, field func(*Config) *string) key {
	return key{path, "", allowed, func(c *Config, text string) bool {
		*field(c) = text
		return true
	}}
}

// textKey is a sentence or more, of a number of characters at most.
func textKey(path, fallback string, most int, field func(*Config) *string) key {
	return key{path, fallback, "a text of 1 to " + strconv.Itoa(most) + " characters", func(c *Config, text string) bool {
		*field(c) = strings.TrimSpace(text)
		return *field(c) != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= most
	}}
}

func urlKey(path, fallback string, field func(*Config) *string) key {
	return key{path, fallback, "an http or https URL", func(c *Config, text string) bool {
		*field(c) = strings.TrimSuffix(text, "/")
		_, ok := WebURL(text)
		return ok
	}}
}
