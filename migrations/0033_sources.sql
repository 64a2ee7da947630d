-- +goose Up
-- What an answer cites and which hosts it may link to, as JSON; empty text is nothing.
ALTER TABLE messages ADD COLUMN sources TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE messages DROP COLUMN sources;
