-- +goose Up
-- Searching titles reads them in this index: it looks up only those that match.
DROP INDEX conversations_owner;
CREATE INDEX conversations_owner ON conversations (owner_id, updated_at, id, title);

-- +goose Down
DROP INDEX conversations_owner;
CREATE INDEX conversations_owner ON conversations (owner_id, updated_at, id);
