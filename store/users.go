package store

import (
	"context"
	"sync"
	"time"

	"fusebox/agent"
	"fusebox/agent/lru"
	"fusebox/store/sqlite"
)

// Users keeps people's accounts and their API tokens.
type Users struct {
	*core
	uses tokenUses
}

const userColumns = `u.id, u.email, u.role, u.disabled, u.created_at, u.session_epoch, u.output_mode, u.notify, u.group_name, u.language, u.name, u.memory_off`

func scanUser(r sqlite.Scanner) (u agent.User, err error) {
	err = r.Scan(&u.ID, &u.Email, &u.Role, &u.Disabled, sqlite.Time(&u.CreatedAt), &u.SessionEpoch, &u.OutputMode, &u.Notify,
		&u.Group, &u.Language, &u.Name, &u.MemoryOff)
	return u, err
}

// CreateUser adds an account; Conflict where the e-mail address is taken.
func (s *Users) CreateUser(ctx context.Context, u agent.User, passwordHash string) error {
	return s.audited(ctx, "", "user.create", u.ID, accountOf(u), func(t *sqlite.Tx) error { return insertUser(t, u, passwordHash) })
}

// CreateFirstUser is CreateUser, and Conflict where there is any account already.
func (s *Users) CreateFirstUser(ctx context.Context, u agent.User, passwordHash string) error {
	return s.audited(ctx, "", "user.create", u.ID, accountOf(u), func(t *sqlite.Tx) error {
		var n int
		if err := t.Row(`SELECT COUNT(*) FROM users`).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return agent.Errorf(agent.Conflict, "Fusebox is already set up. Sign in instead.")
		}
		return insertUser(t, u, passwordHash)
	})
}

// account is what the audit log keeps of a user.
type account struct {
	Email    string     `json:"email"`
	Role     agent.Role `json:"role"`
	Disabled bool       `json:"disabled"`
	Group    string     `json:"group,omitempty"`
}

func accountOf(u agent.User) account {
	return account{normalEmail(u.Email), u.Role, u.Disabled, u.Group}
}

// with is the account after a change.
func (a account) with(p agent.UserPatch) account {
	if p.Role != nil {
		a.Role = *p.Role
	}
	if p.Disabled != nil {
		a.Disabled = *p.Disabled
	}
	if p.Group != nil {
		a.Group = *p.Group
	}
	return a
}

func insertUser(t *sqlite.Tx, u agent.User, hash string) error {
	email := normalEmail(u.Email)
	taken := &agent.Error{
		Code: agent.Conflict, Message: "There is an account for " + email + " already.",
		Fields: []agent.FieldError{{Field: "email", Detail: "is taken; use another address"}},
	}
	return t.ExecOr(taken, `INSERT INTO users (id, email, password_hash, role, disabled, created_at, group_name)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`, u.ID, email, hash, u.Role, u.Disabled, sqlite.MS(u.CreatedAt), u.Group)
}

// UserByID returns an account; NotFound if there is none.
func (s *Users) UserByID(ctx context.Context, id string) (*agent.User, error) {
	return userByID(ctx, s.db, id)
}

func userByID(ctx context.Context, from sqlite.Reader, id string) (*agent.User, error) {
	return sqlite.One(from.QueryRowContext(ctx, `SELECT `+userColumns+` FROM users u WHERE u.id = $1`, id), scanUser,
		"There is no such account.")
}

// UserByEmail returns an account and its password hash; NotFound if there is none.
func (s *Users) UserByEmail(ctx context.Context, email string) (*agent.User, string, error) {
	var hash string
	row := s.db.QueryRowContext(ctx, `SELECT `+userColumns+`, u.password_hash FROM users u WHERE u.email = $1`, normalEmail(email))
	u, err := scanUser(beside{row, []any{&hash}})
	if err != nil {
		return nil, "", sqlite.NotFound(err, "There is no account for %s.", email)
	}
	return &u, hash, nil
}

// Users lists accounts, oldest first; search is a part of the address, the name, or the
// group, ignoring case.
func (s *Users) Users(ctx context.Context, search string, p agent.Page) ([]agent.User, string, error) {
	from, err := cursorOf(p, oldestFirst)
	if err == nil {
		err = checkSearch(search)
	}
	if err != nil {
		return nil, "", err
	}
	limit := limitOf(p)
	users, err := sqlite.List(ctx, s.db, scanUser, `SELECT `+userColumns+` FROM users u
		WHERE u.id > $1 AND LOWER(u.email || ' ' || u.name || ' ' || u.group_name) LIKE $2 ESCAPE '!' ORDER BY u.id LIMIT $3`, from.id, containing(search), limit+1)
	return page(users, err, limit, func(u agent.User) cursor { return cursor{id: u.ID} })
}

// maxCompared bounds how many accounts are compared with each other.
const maxCompared = 20_000

// UserNames are all accounts, with nothing but their ids, addresses, and names.
func (s *Users) UserNames(ctx context.Context) ([]agent.User, error) {
	return sqlite.List(ctx, s.db, func(row sqlite.Scanner) (u agent.User, err error) {
		err = row.Scan(&u.ID, &u.Email, &u.Name)
		return u, err
	}, `SELECT id, email, name FROM users ORDER BY id LIMIT $1`, maxCompared)
}

// CountUsers returns how many accounts there are.
func (s *Users) CountUsers(ctx context.Context) (n int, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM users`).Scan(&n)
	return n, err
}

// PatchUser changes an account; Conflict where no enabled admin would be left.
func (s *Users) PatchUser(ctx context.Context, id string, p agent.UserPatch) error {
	var change struct {
		From account `json:"from"`
		To   account `json:"to"`
		// Yolo counts the conversations that need no approvals, which only admins' may.
		Yolo int64 `json:"yoloEnded,omitempty"`
	}
	return s.audited(ctx, "", "user.update", id, &change, func(t *sqlite.Tx) error {
		from := &change.From
		err := t.Row(`SELECT email, role, disabled, group_name FROM users WHERE id = $1`, id).
			Scan(&from.Email, &from.Role, &from.Disabled, &from.Group)
		if err != nil {
			return sqlite.NotFound(err, "There is no such account.")
		}
		to := from.with(p)
		change.To = to
		if _, err := t.Exec(`UPDATE users SET role = $1, disabled = $2, group_name = $3 WHERE id = $4`, to.Role, to.Disabled, to.Group, id); err != nil {
			return err
		}
		if to.Role != agent.RoleAdmin {
			change.Yolo, err = t.Exec(`UPDATE conversations SET approval_mode = 'default' WHERE owner_id = $1 AND approval_mode = 'yolo'`, id)
			if err != nil {
				return err
			}
		}
		if to.Group != from.Group {
			if err := recheckUser(t, id); err != nil {
				return err
			}
		}
		return adminLeft(t)
	})
}

// adminLeft refuses a change after which no admin would be left.
func adminLeft(t *sqlite.Tx) error {
	var admins int
	err := t.Row(`SELECT COUNT(*) FROM users WHERE role = 'admin' AND NOT disabled`).Scan(&admins)
	if err == nil && admins == 0 {
		err = agent.Errorf(agent.Conflict, "This is the last admin. Make someone else an admin first.")
	}
	return err
}

// SetOutputMode sets in which portions answers are shown to a person; "" as configured.
func (s *Users) SetOutputMode(ctx context.Context, userID string, m agent.OutputMode) error {
	return s.setOfUser(ctx, `UPDATE users SET output_mode = $1 WHERE id = $2`, m, userID)
}

// SetNotify sets whether a person gets e-mails about approvals.
func (s *Users) SetNotify(ctx context.Context, userID string, on bool) error {
	return s.setOfUser(ctx, `UPDATE users SET notify = $1 WHERE id = $2`, on, userID)
}

// SetLanguage sets the language of a person's pages; "" as the browser asks for.
func (s *Users) SetLanguage(ctx context.Context, userID, language string) error {
	return s.setOfUser(ctx, `UPDATE users SET language = $1 WHERE id = $2`, language, userID)
}

// SetName sets what a person wants to be called; "" for nothing but the address.
func (s *Users) SetName(ctx context.Context, userID, name string) error {
	return s.setOfUser(ctx, `UPDATE users SET name = $1 WHERE id = $2`, name, userID)
}

// setOfUser changes a setting of one person; NotFound where there is no such account.
func (c *core) setOfUser(ctx context.Context, update string, value any, userID string) error {
	return c.db.Write(ctx, true, func(t *sqlite.Tx) error {
		return t.ExecOr(agent.Errorf(agent.NotFound, "There is no such account."), update, value, userID)
	})
}

// CountDeciders counts the enabled reviewers and admins, without some by e-mail address.
func (s *Users) CountDeciders(ctx context.Context, without []string) (int, error) {
	return countDeciders(ctx, s.db, without)
}

func countDeciders(ctx context.Context, from sqlite.Reader, without []string) (int, error) {
	w := &where{}
	w.Also(`role IN ('reviewer', 'admin') AND NOT disabled`)
	for _, email := range without {
		w.And(`email <> `, normalEmail(email), ``)
	}
	var n int
	err := from.QueryRowContext(ctx, `SELECT COUNT(*) FROM users `+w.String(), w.Args...).Scan(&n)
	return n, err
}

// tokenUses remembers of which tokens this process has written down a use, so that of
// many requests at once only one writes.
type tokenUses struct {
	mu    *sync.Mutex
	noted *lru.Cache[time.Time]
}

func newTokenUses() tokenUses {
	return tokenUses{&sync.Mutex{}, lru.New[time.Time](maxTokenUses)}
}

// first reports whether a use is the first one within the grain.
func (x tokenUses) first(id string, now time.Time) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if now.Sub(x.noted.Get(id)) < tokenUseGrain {
		return false
	}
	x.noted.Put(id, now, 1)
	return true
}

// tokenUseGrain is how exactly the last use of a token is kept: a write per
// request would be too much.
const tokenUseGrain = time.Hour

// maxTokenUses bounds how many tokens tokenUses remembers.
const maxTokenUses = 10_000
