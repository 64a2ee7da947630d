package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/documents"
	"fusebox/agent/service"
	"fusebox/agent/tools"
	"fusebox/cmd/fusebox/config"
)

const userUsage = `usage: fusebox user add --email E --role user|reviewer|admin [--group G] [--password-stdin] [flags]
       fusebox user passwd --email E [--password-stdin] [--keep-tokens] [flags]
       fusebox user remove --email E [flags]`

var userCommands = map[string]func(process, context.Context, []string) error{
	"add":    process.userAdd,
	"passwd": process.userPasswd,
	"remove": process.userRemove,
}

func (p process) user(ctx context.Context, args []string) error {
	if len(args) == 0 || userCommands[args[0]] == nil {
		return usagef("%s", userUsage)
	}
	return userCommands[args[0]](p, ctx, args[1:])
}

func (p process) userConfig(name string, args []string, own map[string]func(string), switches map[string]*bool) (config.Config, error) {
	rest, err := split(args, own, switches)
	if err != nil {
		return config.Config{}, err
	}
	return p.loadAlone(name, userUsage, rest)
}

func (p process) userAdd(ctx context.Context, args []string) error {
	var in service.NewUser
	var role string
	var fromStdin bool
	own := map[string]func(string){"email": once(&in.Email), "role": once(&role), "group": once(&in.Group)}
	c, err := p.userConfig("user add", args, own, map[string]*bool{"password-stdin": &fromStdin})
	if err != nil {
		return err
	}
	if in.Role = agent.Role(role); !in.Role.Valid() {
		return usagef("flag --role: %q is not allowed; allowed: user, reviewer, admin", role)
	}
	if in.Group, err = agent.GroupName("flag --group", in.Group); err != nil {
		return usagef("%s", agent.MessageOf(err))
	}
	if in.Password, err = p.newPassword(fromStdin); err != nil {
		return err
	}
	if err := checkAccount(in.Email, in.Password); err != nil {
		return usagef("%s", agent.MessageOf(err))
	}
	err = p.withUsers(ctx, c, func(ctx context.Context, users *service.Users) error {
		_, err := users.Create(ctx, in)
		return err
	})
	if err != nil {
		return err
	}
	p.say("added %s as %s", in.Email, in.Role)
	return p.showPassword(in.Password, fromStdin)
}

func (p process) userPasswd(ctx context.Context, args []string) error {
	var email string
	var fromStdin, keepTokens bool
	c, err := p.userConfig("user passwd", args, map[string]func(string){"email": once(&email)},
		map[string]*bool{"password-stdin": &fromStdin, "keep-tokens": &keepTokens})
	if err != nil {
		return err
	}
	if email == "" {
		return usagef("%s", userUsage)
	}
	password, err := p.newPassword(fromStdin)
	if err != nil {
		return err
	}
	if err := service.CheckPassword(password); err != nil {
		return usagef("%s", agent.MessageOf(err))
	}
	err = p.withAccount(ctx, c, email, func(ctx context.Context, users *service.Users, id string) error {
		return users.SetPassword(ctx, id, password, keepTokens)
	})
	if err != nil {
		return err
	}
	p.say("%s has a new password and is signed out everywhere", email)
	return p.showPassword(password, fromStdin)
}

// withUsers calls do with the commands about accounts, on behalf of the person at the
// command line.
func (p process) withUsers(ctx context.Context, c config.Config, do func(context.Context, *service.Users) error) error {
	db, err := p.openStore(ctx, c)
	if err != nil {
		return err
	}
	clock, log := agent.SystemClock{}, slog.New(slog.NewTextHandler(p.stderr, nil))
	shelf, err := documents.OpenShelf(c.Data)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	leftovers := &service.Leftovers{Store: db, Files: tools.Files{DataDir: c.Data}, Clock: clock, Log: log}
	users := &service.Users{
		Store: db, Clock: clock, NewID: newID, Log: log, Conversations: &service.Conversations{Store: db, Leftovers: leftovers, Log: log},
		Documents: &service.Documents{Store: db, Shelf: shelf, Clock: clock, NewID: newID, Log: log},
	}
	err = do(agent.WithViewer(ctx, shell()), users)
	return errors.Join(shown(err), db.Close())
}

// How long, and how often, a database without accounts is looked at again: a server
// that starts for the first time takes its port before it has made its admin.
const (
	firstAccountWait = 3 * time.Second
	firstAccountLook = 20 * time.Millisecond
)

// withAccount is withUsers for the account with an address.
func (p process) withAccount(ctx context.Context, c config.Config, email string, do func(ctx context.Context, users *service.Users, id string) error) error {
	return p.withUsers(ctx, c, func(ctx context.Context, users *service.Users) error {
		for end := time.Now().Add(firstAccountWait); ; time.Sleep(firstAccountLook) {
			// Counted first: an account that is made between the two looks is found by the second.
			n, err := users.Store.CountUsers(ctx)
			if err != nil {
				return err
			}
			u, _, err := users.Store.UserByEmail(ctx, email)
			if err == nil {
				return do(ctx, users, u.ID)
			}
			if n > 0 || ctx.Err() != nil || time.Now().After(end) {
				return err
			}
		}
	})
}

// newPassword is the first line of standard input, or a generated one.
func (p process) newPassword(fromStdin bool) (string, error) {
	if !fromStdin {
		return rand.Text(), nil
	}
	line, err := bufio.NewReader(io.LimitReader(p.stdin, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func (p process) showPassword(password string, fromStdin bool) error {
	if fromStdin {
		return nil
	}
	_, err := fmt.Fprintln(p.stdout, password)
	return err
}

const maxPasswordLine = 64 << 10

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
	err = p.withAccount(ctx, c, email, func(ctx context.Context, users *service.Users, id string) (err error) {
		gone, err = users.Remove(ctx, shell(), id)
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
