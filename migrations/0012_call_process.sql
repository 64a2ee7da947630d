-- +goose Up
-- Which program a call has started: a server that finds the call cut off ends what is
-- left of it before it asks what happened.
ALTER TABLE tool_calls ADD COLUMN process TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE tool_calls DROP COLUMN process;
