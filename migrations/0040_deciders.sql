-- +goose Up
-- What waits for a person is counted in the index: who may decide depends on these columns.
DROP INDEX approvals_pending;
CREATE INDEX approvals_pending ON approvals (id, requested_at, kind, risk, user_id, budget_id, author, votes) WHERE status = 'pending';
-- Whether somebody else can decide, too.
CREATE INDEX users_deciders ON users (role, email) WHERE NOT disabled;

-- +goose Down
DROP INDEX users_deciders;
DROP INDEX approvals_pending;
CREATE INDEX approvals_pending ON approvals (id, requested_at) WHERE status = 'pending';
