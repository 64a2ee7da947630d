-- +goose Up
-- A run that hands a task over makes a child run in the same conversation. A root has no
-- parent and no root_run_id; descendants counts the runs below it.
ALTER TABLE runs ADD COLUMN parent_run_id TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN parent_call_id TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN root_run_id TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN depth BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN descendants BIGINT NOT NULL DEFAULT 0;
-- The definition that the run works by, '' for none.
ALTER TABLE runs ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN agent_version BIGINT NOT NULL DEFAULT 0;
CREATE INDEX runs_tree ON runs (root_run_id, id) WHERE root_run_id <> '';
CREATE INDEX runs_children ON runs (parent_run_id, id) WHERE parent_run_id <> '';
-- One answer of a conversation at a time; the children of its run come beside it.
DROP INDEX runs_active;
CREATE UNIQUE INDEX runs_active ON runs (conversation_id) WHERE parent_run_id = '' AND status IN ('queued', 'running', 'paused');

CREATE INDEX runs_children_open ON runs (conversation_id) WHERE parent_run_id <> '' AND status IN ('queued', 'running', 'paused');

-- Whose bill a line is on: the root's of the run, '' for its own, and by which agent.
ALTER TABLE usage ADD COLUMN root_run_id TEXT NOT NULL DEFAULT '';
ALTER TABLE usage ADD COLUMN agent TEXT NOT NULL DEFAULT '';
CREATE INDEX usage_tree ON usage (root_run_id) WHERE root_run_id <> '';

ALTER TABLE events ADD COLUMN parent_run_id TEXT NOT NULL DEFAULT '';

-- The definition by which the asking run works, and the way to it from its root.
ALTER TABLE approvals ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN path TEXT NOT NULL DEFAULT '';

-- +goose Down
-- Roots that wait for children, or work by a definition, end: nothing would wake them, or hold
-- them to it. The server closes them as it does what a person aborts.
UPDATE runs SET abort_by = 'system', wake_at = 0, status = CASE WHEN status = 'paused' THEN 'queued' ELSE status END
    WHERE parent_run_id = '' AND abort_by = '' AND status IN ('queued', 'running', 'paused') AND (agent <> ''
        OR EXISTS (SELECT 1 FROM tool_calls c WHERE c.run_id = runs.id AND c.name = 'delegate' AND c.state = 'executing'));
-- One that was to end after its children is claimable at once.
UPDATE runs SET wake_at = 0, status = 'queued' WHERE parent_run_id = '' AND abort_by <> '' AND status = 'paused';
-- Children go with all that is theirs. The bill and the ledger stay.
DELETE FROM outbox WHERE approval_id IN (SELECT a.id FROM approvals a JOIN runs r ON r.id = a.run_id WHERE r.parent_run_id <> '');
DELETE FROM approval_looks WHERE approval_id IN (SELECT a.id FROM approvals a JOIN runs r ON r.id = a.run_id WHERE r.parent_run_id <> '');
DELETE FROM approvals WHERE run_id IN (SELECT id FROM runs WHERE parent_run_id <> '');
DELETE FROM tool_calls WHERE run_id IN (SELECT id FROM runs WHERE parent_run_id <> '');
DELETE FROM guard_verdicts WHERE run_id IN (SELECT id FROM runs WHERE parent_run_id <> '');
DELETE FROM exchanges WHERE run_id IN (SELECT id FROM runs WHERE parent_run_id <> '');
DELETE FROM compactions WHERE run_id IN (SELECT id FROM runs WHERE parent_run_id <> '');
DELETE FROM messages WHERE run_id IN (SELECT id FROM runs WHERE parent_run_id <> '');
DELETE FROM events WHERE run_id IN (SELECT id FROM runs WHERE parent_run_id <> '');
DELETE FROM runs WHERE parent_run_id <> '';
ALTER TABLE approvals DROP COLUMN path;
ALTER TABLE approvals DROP COLUMN agent;
ALTER TABLE events DROP COLUMN parent_run_id;
DROP INDEX usage_tree;
ALTER TABLE usage DROP COLUMN agent;
ALTER TABLE usage DROP COLUMN root_run_id;
DROP INDEX runs_children_open;
DROP INDEX runs_active;
CREATE UNIQUE INDEX runs_active ON runs (conversation_id) WHERE status IN ('queued', 'running', 'paused');
DROP INDEX runs_children;
DROP INDEX runs_tree;
ALTER TABLE runs DROP COLUMN agent_version;
ALTER TABLE runs DROP COLUMN agent;
ALTER TABLE runs DROP COLUMN descendants;
ALTER TABLE runs DROP COLUMN depth;
ALTER TABLE runs DROP COLUMN root_run_id;
ALTER TABLE runs DROP COLUMN parent_call_id;
ALTER TABLE runs DROP COLUMN parent_run_id;
