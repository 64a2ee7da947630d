package main

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/cmd/fusebox/config"
)

// userRemove is fusebox user remove.
func (p process) userRemove(ctx context.Context, args []string) error {
	var email string
	c, err := p.userConfig("user remove", args, map[string]func(string){"email": once(&email)}, nil)
	if err != nil {
		return err
	}
	if email == "" {
		return usagef("%s", userUsage)
	}
	var gone agent.UserData
	err = p.withUsers(ctx, c, func(ctx context.Context, users *service.Users) error {
		u, err := accountOf(ctx, users, email)
		if err != nil {
			return err
		}
		gone, err = users.Remove(ctx, shell(), u.ID)
		return err
	})
	if err != nil {
		return err
	}
	p.say("removed %s: conversations %d, runs %d, API tokens %d", email, gone.Conversations, gone.Runs, gone.Tokens)
	return p.erase(ctx, c)
}

// How often, and how long apart, the text of what was deleted is tried to be taken out
// of the write-ahead log while a server reads there.
const (
	eraseTries = 20
	erasePause = 100 * time.Millisecond
)

// erase takes the text of what was deleted out of the database's files.
func (p process) erase(ctx context.Context, c config.Config) error {
	db, err := p.openStore(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for range eraseTries {
		if done, err := db.Erase(ctx); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(erasePause):
		}
	}
	p.say("The deleted text is still in the database's write-ahead log, because a server is reading there. It leaves it with the next deletion, or when the server stops.")
	return nil
}
