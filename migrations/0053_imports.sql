-- +goose Up
-- What people import, many files at once, out of a file on the shelf; and where documents came
-- from that way. The library of a person has their id as its collection.
CREATE TABLE imports (
    id            TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    collection_id TEXT NOT NULL,
    name          TEXT NOT NULL,
    source        TEXT NOT NULL,
    file          TEXT NOT NULL,
    bytes         BIGINT NOT NULL,
    fetch         BOOLEAN NOT NULL DEFAULT FALSE,
    state         TEXT NOT NULL,
    problem       TEXT NOT NULL DEFAULT '',
    tries         BIGINT NOT NULL DEFAULT 0,
    report        TEXT NOT NULL DEFAULT '{}',
    created_at    BIGINT NOT NULL
);
CREATE INDEX imports_user ON imports (user_id, id);
CREATE INDEX imports_queue ON imports (id) WHERE state = 'importing';
CREATE INDEX imports_file ON imports (file) WHERE file <> '';

CREATE TABLE document_sources (
    collection_id TEXT NOT NULL,
    name          TEXT NOT NULL,
    path          TEXT NOT NULL,
    document_id   TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    hash          TEXT NOT NULL,
    PRIMARY KEY (collection_id, name, path)
) WITHOUT ROWID;
CREATE INDEX document_sources_document ON document_sources (document_id);

-- +goose Down
DROP TABLE document_sources;
DROP TABLE imports;
