package e2e

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// backup is one that was made while the server was killed again and again.
type backup struct {
	file, fresh string             // the folder that it is restored to
	promised    map[*talk]promised // before it was begun
	tally       tally
}

// promised is what a talk was promised before some moment.
type promised struct {
	messages []acknowledged
	uploads  []acknowledgedFile
}

// backUp makes a backup and restores it. All files are there that were acknowledged, and
// what is booked and audited adds up.
func (o *outages) backUp(b *backup) {
	b.promised = map[*talk]promised{}
	o.mu.Lock()
	for _, t := range o.talks {
		t.mu.Lock()
		b.promised[t] = promised{t.messages, t.uploads}
		t.mu.Unlock()
	}
	o.mu.Unlock()
	for _, step := range []struct {
		data string
		args []string
	}{{o.data, []string{"backup", b.file}}, {b.fresh, []string{"restore", b.file}}, {b.fresh, []string{"ledger", "verify"}}, {b.fresh, []string{"audit", "verify"}}} {
		if status, out, said := fusebox(o.t, step.data, "", step.args...); status != exitOK {
			o.t.Errorf("%q: status %d: %s%s", step.args, status, out, said)
		}
	}
	for t, p := range b.promised {
		t.checkUploads(b.fresh, p.uploads, &b.tally)
	}
	for _, name := range []string{b.file, filepath.Join(b.fresh, "workspaces")} { // the database is looked at in the end
		must(o.t, os.RemoveAll(name))
	}
}

// checkBackup starts a server on what was restored, and wants the messages that were
// acknowledged before.
func (o *outages) checkBackup(b *backup, sum *tally) {
	o.t.Helper()
	p := startProgram(o.t, b.fresh, append(o.env, "FUSEBOX_ADDR=127.0.0.1:0")...)
	defer p.kill()
	for t, promised := range b.promised {
		res, err := o.openAt(o.ctx, p.url+"/api/v1/conversations/"+t.id+"/events?follow=false", "", t.name, http.MethodGet, nil)
		must(o.t, err)
		log, err := io.ReadAll(res.Body)
		must(o.t, errors.Join(err, res.Body.Close()))
		for _, m := range promised.messages {
			sum.restored++
			if !strings.Contains(string(log), m.MessageID) {
				sum.lost++
				o.t.Errorf("%s: message %s was acknowledged before the backup, which lacks it", t.id, m.MessageID)
			}
		}
	}
}
