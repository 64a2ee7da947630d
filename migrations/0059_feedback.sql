-- +goose Up
-- What the owner of a chat says of an answer.
CREATE TABLE feedback (
    message_id TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    rating     TEXT NOT NULL,
    reason     TEXT NOT NULL DEFAULT '',
    at         BIGINT NOT NULL
);
CREATE INDEX feedback_newest ON feedback (at, message_id);

-- +goose Down
DROP TABLE feedback;
