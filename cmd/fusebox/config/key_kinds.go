package config

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

func intKey(path, fallback string, lo, hi int, field func(*Config) *int) key {
	return key{path, fallback, "a whole number from " + strconv.Itoa(lo) + " to " + strconv.Itoa(hi), func(c *Config, text string) bool {
		n, err := strconv.Atoi(text)
		*field(c) = n
		return err == nil && n >= lo && n <= hi
	}}
}

func int64Key(path, fallback string, lo, hi int64, field func(*Config) *int64) key {
	allowed := "a whole number from " + strconv.FormatInt(lo, 10) + " to " + strconv.FormatInt(hi, 10)
	return key{path, fallback, allowed, func(c *Config, text string) bool {
		n, err := strconv.ParseInt(text, 10, 64)
		*field(c) = n
		return err == nil && n >= lo && n <= hi
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

// textKey is a sentence or more, of a number of characters at most.
func textKey(path, fallback string, most int, field func(*Config) *string) key {
	return key{path, fallback, "a text of 1 to " + strconv.Itoa(most) + " characters", func(c *Config, text string) bool {
		*field(c) = strings.TrimSpace(text)
		return *field(c) != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= most
	}}
}

func urlKey(path, fallback string, field func(*Config) *string) key {
	return key{path, fallback, "an http or https URL", func(c *Config, text string) bool {
		u, err := url.Parse(text)
		*field(c) = strings.TrimSuffix(text, "/")
		return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
	}}
}
