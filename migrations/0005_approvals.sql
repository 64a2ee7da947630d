-- +goose Up
-- Approvals one can rely on: votes, undo, reminders, standing rules, what people
-- were told of, and an audit log whose rows carry the hash of the one before.

-- needs is how many approving votes a card takes, votes those it has (JSON).
-- author is who edited the arguments: another one has to approve them.
-- effective_at is when an approving decision takes effect; until then it can be undone.
-- due_at is when the scheduler looks at a card next, stage how far it has come:
-- 0 asked, 1 reminded, 2 escalated.
-- version rises with each change: who writes names the one he has read.
ALTER TABLE approvals ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN needs BIGINT NOT NULL DEFAULT 1;
ALTER TABLE approvals ADD COLUMN votes TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN author TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN original_args TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN pattern TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN effective_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN stage BIGINT NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN escalated_to TEXT NOT NULL DEFAULT '';
-- What a decision covers beyond its call can be taken back.
ALTER TABLE approvals ADD COLUMN covers TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN revoked_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN revoked_by TEXT NOT NULL DEFAULT '';
UPDATE approvals SET due_at = expires_at WHERE status = 'pending';
DROP INDEX approvals_overdue;
CREATE INDEX approvals_due ON approvals (due_at, id) WHERE status = 'pending';
CREATE INDEX approvals_decided ON approvals (decided_at, id) WHERE status = 'decided';

-- source is 'human' where a person gave the result; schema_hash is that of the
-- tool when the call was decided on.
ALTER TABLE tool_calls ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE tool_calls ADD COLUMN schema_hash TEXT NOT NULL DEFAULT '';
CREATE INDEX tool_calls_recent ON tool_calls (name, started_at);

-- Who has looked at which card: unread marks, "Ana is looking", and whether the
-- arguments were opened before the decision.
CREATE TABLE approval_looks (
    approval_id TEXT NOT NULL REFERENCES approvals (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL,
    email       TEXT NOT NULL,
    first_at    BIGINT NOT NULL,
    last_at     BIGINT NOT NULL,
    opened      BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (approval_id, user_id)
);
-- What is unread is counted on every page: the index over what waits holds all it needs.
DROP INDEX approvals_pending;
CREATE INDEX approvals_pending ON approvals (id, requested_at) WHERE status = 'pending';
CREATE INDEX approval_looks_recent ON approval_looks (last_at, approval_id);

-- Rules of admins, and standing rules that grew out of approvals. Nothing is
-- deleted: a rule that no longer holds is revoked.
CREATE TABLE policy_rules (
    id          TEXT PRIMARY KEY,
    rule        TEXT NOT NULL,
    approval_id TEXT NOT NULL DEFAULT '',
    created_by  TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL DEFAULT 0,
    revoked_at  BIGINT NOT NULL DEFAULT 0,
    revoked_by  TEXT NOT NULL DEFAULT ''
);
CREATE INDEX policy_rules_active ON policy_rules (id) WHERE revoked_at = 0;

-- What people outside are to be told, written with what it is about. One row is
-- one delivery to one receiver; id is its idempotency key.
CREATE TABLE outbox (
    id              TEXT PRIMARY KEY,
    event           TEXT NOT NULL,
    approval_id     TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    channel         TEXT NOT NULL,
    receiver        TEXT NOT NULL,
    payload         TEXT NOT NULL,
    state           TEXT NOT NULL,
    attempts        BIGINT NOT NULL DEFAULT 0,
    next_at         BIGINT NOT NULL,
    problem         TEXT NOT NULL DEFAULT '',
    created_at      BIGINT NOT NULL,
    sent_at         BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX outbox_due ON outbox (next_at, id) WHERE state = 'pending';
CREATE INDEX outbox_conversation ON outbox (conversation_id);
ALTER TABLE users ADD COLUMN notify BOOLEAN NOT NULL DEFAULT TRUE;

-- The chain. Rows from before it are put into it when the program starts.
ALTER TABLE audit ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN place TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN shown TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN before_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX audit_chain ON audit (seq) WHERE seq > 0;
CREATE INDEX audit_unchained ON audit (id) WHERE hash = '';
CREATE INDEX audit_target ON audit (target, seq);
CREATE INDEX audit_actor ON audit (actor, seq);
CREATE INDEX audit_at ON audit (at);

-- A row in the chain stays as it is. REPLACE would delete without a trigger's
-- notice, so a row that is there already is refused before.
-- +goose StatementBegin
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit WHEN OLD.hash <> ''
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit WHEN OLD.hash <> ''
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq AND seq > 0)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER audit_no_replace;
DROP TRIGGER audit_no_delete;
DROP TRIGGER audit_no_update;
DROP INDEX audit_at;
DROP INDEX audit_actor;
DROP INDEX audit_target;
DROP INDEX audit_unchained;
DROP INDEX audit_chain;
ALTER TABLE audit DROP COLUMN hash;
ALTER TABLE audit DROP COLUMN before_hash;
ALTER TABLE audit DROP COLUMN shown;
ALTER TABLE audit DROP COLUMN place;
ALTER TABLE audit DROP COLUMN role;
ALTER TABLE audit DROP COLUMN seq;
ALTER TABLE users DROP COLUMN notify;
DROP TABLE outbox;
DROP TABLE policy_rules;
DROP TABLE approval_looks;
DROP INDEX approvals_pending;
CREATE INDEX approvals_pending ON approvals (id) WHERE status = 'pending';
DROP INDEX tool_calls_recent;
ALTER TABLE tool_calls DROP COLUMN schema_hash;
ALTER TABLE tool_calls DROP COLUMN source;
DROP INDEX approvals_decided;
DROP INDEX approvals_due;
CREATE INDEX approvals_overdue ON approvals (expires_at, id) WHERE status = 'pending';
ALTER TABLE approvals DROP COLUMN revoked_by;
ALTER TABLE approvals DROP COLUMN revoked_at;
ALTER TABLE approvals DROP COLUMN covers;
ALTER TABLE approvals DROP COLUMN escalated_to;
ALTER TABLE approvals DROP COLUMN stage;
ALTER TABLE approvals DROP COLUMN due_at;
ALTER TABLE approvals DROP COLUMN effective_at;
ALTER TABLE approvals DROP COLUMN pattern;
ALTER TABLE approvals DROP COLUMN original_args;
ALTER TABLE approvals DROP COLUMN author;
ALTER TABLE approvals DROP COLUMN votes;
ALTER TABLE approvals DROP COLUMN needs;
ALTER TABLE approvals DROP COLUMN version;
