-- +goose Up
-- The line to the model: what providers want back, summaries of what no longer
-- fits, in which portions answers are shown, and raw exchanges for admins.

ALTER TABLE messages ADD COLUMN data TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN reasoning_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN pinned BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE conversations ADD COLUMN output_mode TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN output_mode TEXT NOT NULL DEFAULT '';

CREATE TABLE compactions (
    id              TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    run_id          TEXT NOT NULL,
    up_to           TEXT NOT NULL,
    leaf            TEXT NOT NULL,
    summary         TEXT NOT NULL,
    created_at      BIGINT NOT NULL
);
CREATE INDEX compactions_conversation ON compactions (conversation_id, id);

CREATE TABLE exchanges (
    id       TEXT PRIMARY KEY,
    run_id   TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    at       BIGINT NOT NULL,
    url      TEXT NOT NULL,
    request  TEXT NOT NULL,
    status   BIGINT NOT NULL,
    response TEXT NOT NULL,
    cut      BOOLEAN NOT NULL,
    error    TEXT NOT NULL
);
CREATE INDEX exchanges_run ON exchanges (run_id, id);

-- +goose Down
DROP TABLE exchanges;
DROP TABLE compactions;
ALTER TABLE users DROP COLUMN output_mode;
ALTER TABLE conversations DROP COLUMN output_mode;
ALTER TABLE messages DROP COLUMN pinned;
ALTER TABLE messages DROP COLUMN reasoning_ms;
ALTER TABLE messages DROP COLUMN data;
