package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/user"
	"strings"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// openStore opens the database while a server may be running: SQLite
// serialises the two writers.
func (p process) openStore(ctx context.Context, c config.Config) (*store.Store, error) {
	return store.Open(ctx, store.Options{Path: c.Database, Clock: systemClock{}, NewID: newID, Logger: slog.New(slog.DiscardHandler)})
}

// split takes the flags of a subcommand out of its arguments and leaves the
// general ones, which loadConfig reads.
func split(args []string, own map[string]func(string), switches map[string]*bool) (rest []string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		isFlag := strings.HasPrefix(args[i], "-")
		if on, ok := switches[name]; ok && isFlag {
			*on = true
			continue
		}
		take, ok := own[name]
		if !ok || !isFlag {
			rest = append(rest, args[i])
			continue
		}
		if !given {
			if i++; i == len(args) {
				return nil, usagef("flag --%s needs a value", name)
			}
			value = args[i]
		}
		take(value)
	}
	return rest, nil
}

// once keeps the last value of a flag, each all of them.
func once(field *string) func(string) { return func(value string) { *field = value } }

func each(field *[]string) func(string) {
	return func(value string) { *field = append(*field, value) }
}

// shell is the person at the command line: anyone who may write the database. What
// the system calls them is only a hint.
func shell() agent.Viewer {
	v := agent.Viewer{Email: agent.System, Place: "command line"}
	if u, err := user.Current(); err == nil {
		v.Place += " " + u.Username
	}
	return v
}

// user is fusebox user add.
func (p process) user(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "add" {
		return usagef("usage: fusebox user add --email E --role user|reviewer|admin [--group G] [--password-stdin]")
	}
	var email, role, group string
	var fromStdin bool
	own := map[string]func(string){"email": once(&email), "role": once(&role), "group": once(&group)}
	rest, err := split(args[1:], own, map[string]*bool{"password-stdin": &fromStdin})
	if err != nil {
		return err
	}
	c, rest, err := p.loadConfig("user add", rest)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usagef("unexpected argument %q", rest[0])
	}
	if !agent.Role(role).Valid() {
		return usagef("flag --role: %q is not allowed; allowed: user, reviewer, admin", role)
	}
	if group, err = agent.GroupName("flag --group", group); err != nil {
		return usagef("%s", agent.MessageOf(err))
	}
	password := rand.Text()
	if fromStdin {
		if password, err = readLine(p.stdin); err != nil {
			return err
		}
	}
	if err := checkAccount(email, password); err != nil {
		return usagef("%s", agent.MessageOf(err))
	}
	return p.addUser(ctx, c, agent.User{Email: email, Role: agent.Role(role), Group: group}, password, !fromStdin)
}

func (p process) addUser(ctx context.Context, c config.Config, u agent.User, password string, show bool) error {
	db, err := p.openStore(ctx, c)
	if err != nil {
		return err
	}
	users := &service.Users{Store: db, Clock: systemClock{}, NewID: newID}
	_, err = users.Create(agent.WithViewer(ctx, shell()), service.NewUser{Email: u.Email, Password: password, Role: u.Role, Group: u.Group})
	if err := errors.Join(shown(err), db.Close()); err != nil {
		return err
	}
	p.say("added %s as %s", u.Email, u.Role)
	if show {
		_, err = fmt.Fprintln(p.stdout, password)
	}
	return err
}

// shown keeps of a domain error what a person is to read.
func shown(err error) error {
	var e *agent.Error
	if errors.As(err, &e) && e.Err == nil {
		return errors.New(e.Message)
	}
	return err
}

// maxPasswordLine bounds what is read from standard input.
const maxPasswordLine = 64 << 10

func readLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// token is fusebox token new.
func (p process) token(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "new" {
		return usagef("usage: fusebox token new --user E")
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
		return usagef("usage: fusebox token new --user E")
	}
	db, err := p.openStore(ctx, c)
	if err != nil {
		return err
	}
	secret, err := newToken(agent.WithViewer(ctx, shell()), db, email)
	if err := errors.Join(shown(err), db.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, secret)
	return err
}

func newToken(ctx context.Context, db *store.Store, email string) (string, error) {
	u, _, err := db.UserByEmail(ctx, email)
	if err != nil {
		return "", err
	}
	users := &service.Users{Store: db, Clock: systemClock{}, NewID: newID}
	return users.CreateToken(ctx, u.ID, "command line")
}
