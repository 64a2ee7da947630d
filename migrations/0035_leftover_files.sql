-- +goose Up
-- Deleted conversations whose files could not be removed. Times are milliseconds since 1970.
CREATE TABLE leftover_files (
    conversation_id TEXT PRIMARY KEY,
    since           INTEGER NOT NULL,
    tried           INTEGER NOT NULL,
    problem         TEXT NOT NULL
);

-- +goose Down
DROP TABLE leftover_files;
