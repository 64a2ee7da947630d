package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"fusebox/agent"
	"fusebox/agent/service"
)

const tokenUsage = `usage: fusebox token new --user E [--scope S]... [--expires 90d] [flags]`

func (p process) token(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "new" {
		return usagef("%s", tokenUsage)
	}
	var email, expires string
	var scopes []string
	rest, err := split(args[1:], map[string]func(string){"user": once(&email), "scope": each(&scopes), "expires": once(&expires)}, nil)
	if err != nil {
		return err
	}
	c, rest, err := p.loadConfig("token new", rest)
	if err != nil {
		return err
	}
	if len(rest) > 0 || email == "" {
		return usagef("%s", tokenUsage)
	}
	in, err := tokenInput(scopes, expires)
	if err != nil {
		return err
	}
	var secret string
	err = p.withAccount(ctx, c, email, func(ctx context.Context, users *service.Users, id string) (err error) {
		in.UserID = id
		_, secret, err = users.CreateToken(ctx, in)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, secret)
	return err
}

// tokenInput is what the flags say of a new token: without --scope it may do everything
// that its owner may, without --expires it lasts until it is deleted.
func tokenInput(scopes []string, expires string) (service.TokenInput, error) {
	in := service.TokenInput{Name: "command line", Scopes: scopes}
	if len(scopes) == 0 {
		in.Scopes = allScopes()
	}
	if _, err := agent.ParseTokenScopes("flag --scope", in.Scopes); err != nil {
		return in, usagef("%s", agent.MessageOf(err))
	}
	if expires == "" || expires == "never" {
		return in, nil
	}
	digits, isDays := strings.CutSuffix(expires, "d")
	days, err := strconv.Atoi(digits)
	if err != nil || !isDays || days < 1 || days > service.MaxTokenDays {
		return in, usagef("flag --expires: %q is not allowed; allowed: 1d to %dd, or never", expires, service.MaxTokenDays)
	}
	in.Days = days
	return in, nil
}

func allScopes() []string {
	var names []string
	for _, s := range agent.AllTokenScopes() {
		names = append(names, string(s))
	}
	return names
}
