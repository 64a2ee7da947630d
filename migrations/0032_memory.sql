-- +goose Up
-- What is remembered of people, for their own runs. same is the fingerprint of a text: a
-- person has it once. conversation_id is where a run remembered it, empty where the
-- person wrote it.
ALTER TABLE users ADD COLUMN memory_off BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE facts (
    id              TEXT PRIMARY KEY,
    user_id         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    text            TEXT NOT NULL,
    same            TEXT NOT NULL,
    conversation_id TEXT NOT NULL DEFAULT '',
    created_at      BIGINT NOT NULL,
    changed_at      BIGINT NOT NULL DEFAULT 0,
    UNIQUE (user_id, same)
);

-- +goose Down
DROP TABLE facts;
ALTER TABLE users DROP COLUMN memory_off;
