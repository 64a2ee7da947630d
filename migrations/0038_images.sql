-- +goose Up
-- The pictures of a result, as JSON; empty text is none.
ALTER TABLE tool_calls ADD COLUMN images TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN images TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE messages DROP COLUMN images;
ALTER TABLE tool_calls DROP COLUMN images;
