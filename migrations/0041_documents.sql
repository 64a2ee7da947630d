-- +goose Up
-- The documents of people, and what was read of their files. The bytes are files beside the
-- database. A version is the newest one of its document, the one that answers (that which is
-- searched and read), both, or an earlier one.
CREATE TABLE documents (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    version    BIGINT NOT NULL,
    answers    BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);
CREATE INDEX documents_user ON documents (user_id, id);

CREATE TABLE document_versions (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    version     BIGINT NOT NULL,
    bytes       BIGINT NOT NULL,
    hash        TEXT NOT NULL,
    file        TEXT NOT NULL,
    duplicate_of TEXT NOT NULL DEFAULT '',
    state       TEXT NOT NULL,
    tries       BIGINT NOT NULL DEFAULT 0,
    reading     TEXT NOT NULL DEFAULT '{}',
    text        TEXT NOT NULL DEFAULT '',
    sections    TEXT NOT NULL DEFAULT '',
    added_at    BIGINT NOT NULL,
    PRIMARY KEY (document_id, version)
);
CREATE INDEX document_versions_hash ON document_versions (hash);
CREATE INDEX document_versions_duplicate ON document_versions (duplicate_of) WHERE duplicate_of <> '';
CREATE UNIQUE INDEX document_versions_file ON document_versions (file);
CREATE INDEX document_versions_queue ON document_versions (added_at) WHERE state = 'reading';

-- Files of documents that were deleted, until they are gone from the disk.
CREATE TABLE document_leftovers (file TEXT PRIMARY KEY);

-- +goose Down
DROP TABLE document_leftovers;
DROP TABLE document_versions;
DROP TABLE documents;
