package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Settings keeps what admins have set for the whole instance.
type Settings struct{ *core }

// Setting is what an admin has set for the whole instance, "" for nothing.
func (s *Settings) Setting(ctx context.Context, key string) (value string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT value FROM settings WHERE key = $1`, key).Scan(&value)
	return value, sqlite.OrNone(err)
}

// secretKey is the setting that no admin sets.
const secretKey = "secret"

// Secret is random and stays the same for as long as the database does. It signs what
// browsers carry.
func (s *Settings) Secret(ctx context.Context) ([]byte, error) {
	if err := s.db.Exec(ctx, true, `INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING`, secretKey,
		rand.Text()); err != nil {
		return nil, err
	}
	secret, err := s.Setting(ctx, secretKey)
	return []byte(secret), err
}

// SetSetting sets something for the whole instance; "" takes it back.
func (s *Settings) SetSetting(ctx context.Context, actor, key, value string) error {
	return s.audited(ctx, actor, "setting."+key, key, map[string]string{"value": value}, func(t *sqlite.Tx) error {
		if value == "" {
			_, err := t.Exec(`DELETE FROM settings WHERE key = $1`, key)
			return err
		}
		_, err := t.Exec(`INSERT INTO settings (key, value) VALUES ($1, $2)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
		return err
	})
}

// LastBackup is what backup.Note was told last; nil for nothing.
func (s *Settings) LastBackup(ctx context.Context) (*agent.Backup, error) {
	text, err := s.Setting(ctx, agent.LastBackupKey)
	if err != nil || text == "" {
		return nil, err
	}
	var made agent.Backup
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		return nil, fmt.Errorf("read the setting %s: %w", agent.LastBackupKey, err)
	}
	return &made, nil
}
