-- +goose Up
-- What people write while a run works: messages that wait for their turn, and, with a run_id,
-- those that steer that run. One that a run has taken in keeps its id, with the message that
-- it has become.
CREATE TABLE queued_messages (
    id              TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    user_id         TEXT NOT NULL,
    token_id        TEXT NOT NULL DEFAULT '',
    client_id       TEXT NOT NULL DEFAULT '',
    run_id          TEXT NOT NULL DEFAULT '',
    message_id      TEXT NOT NULL DEFAULT '',
    goes_in         TEXT NOT NULL DEFAULT '',
    position        BIGINT NOT NULL,
    held            BOOLEAN NOT NULL DEFAULT FALSE,
    content         TEXT NOT NULL,
    document_id     TEXT NOT NULL DEFAULT '',
    agent           TEXT NOT NULL DEFAULT '',
    workflow        TEXT NOT NULL DEFAULT '',
    -- What was filled in for the workflow, as JSON.
    inputs          TEXT NOT NULL DEFAULT '',
    created_at      BIGINT NOT NULL
);
CREATE INDEX queued_messages_waiting ON queued_messages (conversation_id, position) WHERE message_id = '';
CREATE INDEX queued_messages_steering ON queued_messages (run_id, position) WHERE run_id <> '' AND message_id = '';
CREATE INDEX queued_messages_ready ON queued_messages (conversation_id, position) WHERE run_id = '' AND NOT held;
CREATE UNIQUE INDEX queued_messages_client ON queued_messages (conversation_id, client_id) WHERE client_id <> '';

-- +goose Down
DROP TABLE queued_messages;
