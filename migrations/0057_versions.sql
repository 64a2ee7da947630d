-- +goose Up
-- The messages that follow a message: several are versions. Found from above, where a branch
-- goes on, and where all below a message is deleted.
CREATE INDEX messages_children ON messages (conversation_id, parent_id, id);
-- When what the run said was deleted, 0 where it was not. Its bill and its calls stay.
ALTER TABLE runs ADD COLUMN deleted_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE runs DROP COLUMN deleted_at;
DROP INDEX messages_children;
