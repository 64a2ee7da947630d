-- +goose Up
-- The message at the end of the branch under which a queued message was written, '' for the chosen one.
ALTER TABLE queued_messages ADD COLUMN parent_id TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE queued_messages DROP COLUMN parent_id;
