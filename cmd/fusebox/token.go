package main

import (
	"context"
	"fmt"

	"fusebox/agent/service"
)

const tokenUsage = `usage: fusebox token new --user E [flags]`

// token is fusebox token new.
func (p process) token(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "new" {
		return usagef("%s", tokenUsage)
	}
	var email string
	rest, err := split(args[1:], map[string]func(string){"user": once(&email)}, nil)
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
	var secret string
	err = p.withUsers(ctx, c, func(ctx context.Context, users *service.Users) error {
		u, _, err := users.Store.UserByEmail(ctx, email)
		if err != nil {
			return err
		}
		secret, err = users.CreateToken(ctx, u.ID, "command line")
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, secret)
	return err
}
