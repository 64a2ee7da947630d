-- +goose Up
-- Runs wait for a free place. Each person has a queue of their own, so that one
-- with many runs keeps nobody else waiting: the next run is found by looking at
-- the head of each queue, and not at the runs behind it.
DROP INDEX runs_ready;
CREATE INDEX runs_queued ON runs (user_id, id, wake_at) WHERE status = 'queued';
CREATE INDEX runs_running ON runs (user_id, lease_until, id) WHERE status = 'running';
-- A run that is to be aborted needs no place.
CREATE INDEX runs_aborting ON runs (id) WHERE status = 'queued' AND abort_by <> '';

-- +goose Down
DROP INDEX runs_aborting;
DROP INDEX runs_running;
DROP INDEX runs_queued;
CREATE INDEX runs_ready ON runs (id) WHERE status IN ('queued', 'running');
