-- +goose Up
-- Endpoints that admins have connected. Of one that was removed, only its name is left.
CREATE TABLE endpoints (
    name       TEXT NOT NULL PRIMARY KEY,
    base_url   TEXT NOT NULL,
    sealed_key TEXT NOT NULL,
    version    BIGINT NOT NULL,
    removed    BOOLEAN NOT NULL DEFAULT FALSE,
    changed_by TEXT NOT NULL,
    changed_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE endpoints;
