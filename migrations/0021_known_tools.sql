-- +goose Up
-- Tools from outside as they were accepted: what has changed since then is held back.
CREATE TABLE known_tools (
    source      TEXT NOT NULL,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    parameters  TEXT NOT NULL,
    claims      TEXT NOT NULL DEFAULT '',
    accepted_by TEXT NOT NULL DEFAULT '',
    accepted_at BIGINT NOT NULL,
    PRIMARY KEY (source, name)
);

-- +goose Down
DROP TABLE known_tools;
