-- +goose Up
-- Agents, each with the number of its newest version. Of one that was deleted the versions
-- stay: runs name them.
CREATE TABLE agents (
    name    TEXT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    deleted BOOLEAN NOT NULL DEFAULT FALSE
);

CREATE TABLE agent_versions (
    name       TEXT NOT NULL REFERENCES agents (name),
    version    BIGINT NOT NULL,
    -- What it says, as JSON.
    definition TEXT NOT NULL,
    source     TEXT NOT NULL,
    updated_by TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (name, version)
);

-- The agent that answers in a conversation, '' for none.
ALTER TABLE conversations ADD COLUMN agent TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE conversations DROP COLUMN agent;
DROP TABLE agent_versions;
DROP TABLE agents;
