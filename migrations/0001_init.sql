-- +goose Up
-- Times are integer milliseconds UTC, 0 where there is none. JSON is text that
-- the program reads. Ids are opaque text that sorts by time.

CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    email         TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    role          TEXT NOT NULL,
    disabled      BOOLEAN NOT NULL DEFAULT FALSE,
    session_epoch BIGINT NOT NULL DEFAULT 0,
    created_at    BIGINT NOT NULL
);

CREATE TABLE tokens (
    id           TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    hash         BLOB NOT NULL UNIQUE,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX tokens_user ON tokens (user_id, id);

CREATE TABLE sessions (
    hash       TEXT PRIMARY KEY,
    data       BLOB NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_expires ON sessions (expires_at);

CREATE TABLE conversations (
    id              TEXT PRIMARY KEY,
    owner_id        TEXT NOT NULL REFERENCES users (id),
    title           TEXT NOT NULL,
    model           TEXT NOT NULL,
    system          TEXT NOT NULL,
    approval_mode   TEXT NOT NULL,
    run_token_limit BIGINT NOT NULL DEFAULT 0,
    leaf_id         TEXT NOT NULL DEFAULT '',
    last_seq        BIGINT NOT NULL DEFAULT 0,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL
);
CREATE INDEX conversations_owner ON conversations (owner_id, updated_at, id);

CREATE TABLE messages (
    id              TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    parent_id       TEXT NOT NULL DEFAULT '',
    role            TEXT NOT NULL,
    content         TEXT NOT NULL,
    reasoning       TEXT NOT NULL DEFAULT '',
    tool_calls      TEXT NOT NULL DEFAULT '',
    tool_call_id    TEXT NOT NULL DEFAULT '',
    run_id          TEXT NOT NULL DEFAULT '',
    usage           TEXT NOT NULL DEFAULT '',
    created_at      BIGINT NOT NULL
);
CREATE INDEX messages_conversation ON messages (conversation_id, id);
CREATE INDEX messages_run ON messages (run_id);

CREATE TABLE runs (
    id              TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    user_id         TEXT NOT NULL,
    client_id       TEXT NOT NULL DEFAULT '',
    message_id      TEXT NOT NULL,
    status          TEXT NOT NULL,
    stop_reason     TEXT NOT NULL DEFAULT '',
    model           TEXT NOT NULL,
    steps           BIGINT NOT NULL DEFAULT 0,
    usage           TEXT NOT NULL DEFAULT '{}',
    cost_micros     BIGINT NOT NULL DEFAULT 0,
    limits          TEXT NOT NULL,
    state           TEXT NOT NULL DEFAULT '{}',
    active_ms       BIGINT NOT NULL DEFAULT 0,
    created_at      BIGINT NOT NULL,
    started_at      BIGINT NOT NULL DEFAULT 0,
    ended_at        BIGINT NOT NULL DEFAULT 0,
    owner           TEXT NOT NULL DEFAULT '',
    epoch           BIGINT NOT NULL DEFAULT 0,
    lease_until     BIGINT NOT NULL DEFAULT 0,
    wake_at         BIGINT NOT NULL DEFAULT 0,
    abort_by        TEXT NOT NULL DEFAULT ''
);
-- One run of a conversation at a time: this index decides the race of two messages.
CREATE UNIQUE INDEX runs_active ON runs (conversation_id) WHERE status IN ('queued', 'running', 'paused');
CREATE UNIQUE INDEX runs_client ON runs (conversation_id, client_id) WHERE client_id <> '';
CREATE INDEX runs_ready ON runs (status, wake_at, lease_until, id) WHERE status IN ('queued', 'running');
CREATE INDEX runs_ended ON runs (ended_at, id);

CREATE TABLE tool_calls (
    run_id          TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id              TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    message_id      TEXT NOT NULL,
    step            BIGINT NOT NULL,
    idx             BIGINT NOT NULL,
    name            TEXT NOT NULL,
    args            TEXT NOT NULL,
    args_hash       TEXT NOT NULL,
    state           TEXT NOT NULL,
    result          TEXT NOT NULL DEFAULT '',
    result_hash     TEXT NOT NULL DEFAULT '',
    error_type      TEXT NOT NULL DEFAULT '',
    truncated       BOOLEAN NOT NULL DEFAULT FALSE,
    blocked         BOOLEAN NOT NULL DEFAULT FALSE,
    rule            TEXT NOT NULL DEFAULT '',
    attempt         BIGINT NOT NULL DEFAULT 0,
    generation      BIGINT NOT NULL DEFAULT 0,
    tokens          BIGINT NOT NULL DEFAULT 0,
    cost_micros     BIGINT NOT NULL DEFAULT 0,
    started_at      BIGINT NOT NULL DEFAULT 0,
    ended_at        BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, id)
);
CREATE INDEX tool_calls_order ON tool_calls (run_id, step, idx);

CREATE TABLE approvals (
    id              TEXT PRIMARY KEY,
    kind            TEXT NOT NULL,
    risk            TEXT NOT NULL,
    run_id          TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    tool_call_id    TEXT NOT NULL DEFAULT '',
    tool_name       TEXT NOT NULL DEFAULT '',
    args            TEXT NOT NULL DEFAULT '',
    args_hash       TEXT NOT NULL DEFAULT '',
    evidence        TEXT NOT NULL,
    message         TEXT NOT NULL,
    options         TEXT NOT NULL DEFAULT '',
    status          TEXT NOT NULL,
    generation      BIGINT NOT NULL,
    requested_at    BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    decision        TEXT NOT NULL DEFAULT '',
    decided_by      TEXT NOT NULL DEFAULT '',
    decided_at      BIGINT NOT NULL DEFAULT 0,
    comment         TEXT NOT NULL DEFAULT '',
    answer          TEXT NOT NULL DEFAULT '',
    scope           TEXT NOT NULL DEFAULT '',
    edited_args     TEXT NOT NULL DEFAULT '',
    raise_tokens_by BIGINT NOT NULL DEFAULT 0,
    applied         BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX approvals_run ON approvals (run_id, id);
CREATE INDEX approvals_status ON approvals (status, id);
CREATE INDEX approvals_overdue ON approvals (expires_at, id) WHERE status = 'pending';
CREATE INDEX approvals_grants ON approvals (conversation_id, scope) WHERE status = 'decided';

-- subject is the message or call that a delta belongs to, '' for other events.
CREATE TABLE events (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    seq             BIGINT NOT NULL,
    run_id          TEXT NOT NULL,
    step            BIGINT NOT NULL,
    type            TEXT NOT NULL,
    subject         TEXT NOT NULL DEFAULT '',
    at              BIGINT NOT NULL,
    data            TEXT NOT NULL,
    PRIMARY KEY (conversation_id, seq)
);
CREATE INDEX events_run ON events (run_id, seq);
CREATE INDEX events_subject ON events (conversation_id, subject, type) WHERE subject <> '';

-- The ledger: one line per model call, append only. It has no foreign keys,
-- because the bill outlives the conversation.
CREATE TABLE usage (
    run_id           TEXT NOT NULL,
    step             BIGINT NOT NULL,
    conversation_id  TEXT NOT NULL,
    user_id          TEXT NOT NULL,
    model            TEXT NOT NULL,
    input_tokens     BIGINT NOT NULL,
    cached_tokens    BIGINT NOT NULL,
    output_tokens    BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    estimated        BOOLEAN NOT NULL,
    cost_micros      BIGINT NOT NULL,
    finish_reason    TEXT NOT NULL,
    started_at       BIGINT NOT NULL,
    ended_at         BIGINT NOT NULL,
    PRIMARY KEY (run_id, step)
);
CREATE INDEX usage_time ON usage (ended_at);
CREATE INDEX usage_conversation ON usage (conversation_id);

CREATE TABLE audit (
    id     TEXT PRIMARY KEY,
    at     BIGINT NOT NULL,
    actor  TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL
);

-- +goose Down
DROP TABLE audit;
DROP TABLE usage;
DROP TABLE events;
DROP TABLE approvals;
DROP TABLE tool_calls;
DROP TABLE runs;
DROP TABLE messages;
DROP TABLE conversations;
DROP TABLE sessions;
DROP TABLE tokens;
DROP TABLE users;
