package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/cmd/fusebox/config"
	"fusebox/store"
)

// firstAccount makes the admin that the environment names, or a code for
// /setup, as long as there is no account.
func firstAccount(ctx context.Context, c config.Config, log *slog.Logger, db *store.Store) (code string, err error) {
	n, err := db.CountUsers(ctx)
	if err != nil || n > 0 {
		return "", err
	}
	if c.AdminEmail == "" && c.AdminPassword == "" {
		code = rand.Text()[:10]
		log.Info("no accounts yet: open /setup and enter this code", "setup_code", code)
		return code, nil
	}
	if err := checkAccount(c.AdminEmail, c.AdminPassword); err != nil {
		return "", usagef("environment variables FUSEBOX_ADMIN_EMAIL and FUSEBOX_ADMIN_PASSWORD: %s", agent.MessageOf(err))
	}
	u := agent.User{ID: newID(), Email: c.AdminEmail, Role: agent.RoleAdmin, CreatedAt: time.Now()}
	ctx = agent.WithViewer(ctx, agent.Viewer{Email: agent.System, Place: "environment"})
	if err := db.CreateFirstUser(ctx, u, service.HashPassword(c.AdminPassword)); err != nil {
		return "", err
	}
	log.Info("admin account created", "email", c.AdminEmail)
	return "", nil
}

func checkAccount(email, password string) error {
	if err := service.CheckEmail(email); err != nil {
		return err
	}
	return service.CheckPassword(password)
}
