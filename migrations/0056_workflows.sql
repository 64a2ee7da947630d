-- +goose Up
-- Workflows, each with the number of its newest version. Of one that was deleted the versions
-- stay: runs name them.
CREATE TABLE workflows (
    name    TEXT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    deleted BOOLEAN NOT NULL DEFAULT FALSE
);

CREATE TABLE workflow_versions (
    name       TEXT NOT NULL REFERENCES workflows (name),
    version    BIGINT NOT NULL,
    -- What it says, as JSON.
    definition TEXT NOT NULL,
    source     TEXT NOT NULL,
    updated_by TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (name, version)
);

-- The workflow that answers in a conversation, '' for none, and what was filled in for it, as JSON.
ALTER TABLE conversations ADD COLUMN workflow TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN inputs TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE conversations DROP COLUMN inputs;
ALTER TABLE conversations DROP COLUMN workflow;
DROP TABLE workflow_versions;
DROP TABLE workflows;
