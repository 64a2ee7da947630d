-- +goose Up
-- The sets of tools that a conversation's runs have, as JSON; empty text is all.
ALTER TABLE conversations ADD COLUMN tool_sets TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE conversations DROP COLUMN tool_sets;
