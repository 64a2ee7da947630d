-- +goose Up
-- Documents that admins have uploaded for configured OpenAPI services.
CREATE TABLE openapi_documents (
    source      TEXT NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    body        BLOB NOT NULL,
    uploaded_by TEXT NOT NULL,
    uploaded_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE openapi_documents;
