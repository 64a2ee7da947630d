-- +goose Up
-- Few messages are pinned, and each run of a chat asks which.
CREATE INDEX messages_pinned ON messages (conversation_id, id) WHERE pinned;

-- +goose Down
DROP INDEX messages_pinned;
