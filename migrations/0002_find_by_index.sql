-- +goose Up
-- Queries and deletions that read a whole table find their rows by an index.

-- What is ready is few rows, in the order in which it is claimed.
DROP INDEX runs_ready;
CREATE INDEX runs_ready ON runs (id) WHERE status IN ('queued', 'running');
CREATE INDEX runs_conversation ON runs (conversation_id, id);

-- The one index over events that holds deltas against what makes them
-- dispensable: a partial one is not used where the subject comes from a join.
DROP INDEX events_subject;
CREATE INDEX events_subject ON events (conversation_id, subject, type);

-- A run whose deltas are pruned is never looked at again.
ALTER TABLE runs ADD COLUMN pruned BOOLEAN NOT NULL DEFAULT FALSE;
DROP INDEX runs_ended;
CREATE INDEX runs_unpruned ON runs (ended_at, id) WHERE NOT pruned;

-- The inbox, and what hangs on a conversation.
DROP INDEX approvals_status;
DROP INDEX approvals_grants;
CREATE INDEX approvals_pending ON approvals (id) WHERE status = 'pending';
CREATE INDEX approvals_conversation ON approvals (conversation_id, id);

-- +goose Down
DROP INDEX approvals_conversation;
DROP INDEX approvals_pending;
CREATE INDEX approvals_grants ON approvals (conversation_id, scope) WHERE status = 'decided';
CREATE INDEX approvals_status ON approvals (status, id);
DROP INDEX runs_unpruned;
CREATE INDEX runs_ended ON runs (ended_at, id);
ALTER TABLE runs DROP COLUMN pruned;
DROP INDEX events_subject;
CREATE INDEX events_subject ON events (conversation_id, subject, type) WHERE subject <> '';
DROP INDEX runs_conversation;
DROP INDEX runs_ready;
CREATE INDEX runs_ready ON runs (status, wake_at, lease_until, id) WHERE status IN ('queued', 'running');
