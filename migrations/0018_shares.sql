-- +goose Up
-- The API token that started a run, '' for a browser: a person's tokens and browsers
-- each have a queue of their own.
ALTER TABLE runs ADD COLUMN token_id TEXT NOT NULL DEFAULT '';
DROP INDEX runs_queued;
DROP INDEX runs_running;
CREATE INDEX runs_queued ON runs (user_id, token_id, id, wake_at) WHERE status = 'queued';
CREATE INDEX runs_running ON runs (user_id, token_id, lease_until, id) WHERE status = 'running';

-- Whose run asked: how many approvals of a person wait, and which calls of theirs were
-- started last.
ALTER TABLE approvals ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
UPDATE approvals SET user_id = (SELECT r.user_id FROM runs r WHERE r.id = approvals.run_id);
CREATE INDEX approvals_person ON approvals (user_id) WHERE status = 'pending';
ALTER TABLE tool_calls ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
UPDATE tool_calls SET user_id = (SELECT r.user_id FROM runs r WHERE r.id = tool_calls.run_id);
DROP INDEX tool_calls_recent;
CREATE INDEX tool_calls_recent ON tool_calls (user_id, name, started_at) WHERE started_at > 0;

-- +goose Down
DROP INDEX tool_calls_recent;
CREATE INDEX tool_calls_recent ON tool_calls (name, started_at);
ALTER TABLE tool_calls DROP COLUMN user_id;
DROP INDEX approvals_person;
ALTER TABLE approvals DROP COLUMN user_id;
DROP INDEX runs_running;
DROP INDEX runs_queued;
CREATE INDEX runs_running ON runs (user_id, lease_until, id) WHERE status = 'running';
CREATE INDEX runs_queued ON runs (user_id, id, wake_at) WHERE status = 'queued';
ALTER TABLE runs DROP COLUMN token_id;
