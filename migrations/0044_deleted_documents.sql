-- +goose Up
-- When a person's documents were deleted that answers may cite: nothing else is left of them.
CREATE TABLE deleted_documents (
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    deleted_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE deleted_documents;
