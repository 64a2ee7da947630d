-- +goose Up
-- Collections of documents: those of one person, shared with groups or with everybody, to read
-- or to write. The documents of a person that are in none of them are a collection too: its id
-- is that of the person.
CREATE TABLE collections (
    id         TEXT PRIMARY KEY,
    owner_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    visibility TEXT NOT NULL,
    access     TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX collections_owner ON collections (owner_id, name COLLATE NOCASE);
CREATE INDEX collections_everybody ON collections (id) WHERE visibility = 'everybody';

-- The groups that a collection is shared with.
CREATE TABLE collection_groups (
    group_name    TEXT NOT NULL,
    collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    PRIMARY KEY (group_name, collection_id)
) WITHOUT ROWID;
CREATE INDEX collection_groups_collection ON collection_groups (collection_id);

-- What people may do in collections: 1 read, 2 write too, 3 all. Who has no row has no right.
CREATE VIEW collection_rights (user_id, collection_id, level) AS
    SELECT id, id, 3 FROM users
    UNION ALL SELECT owner_id, id, 3 FROM collections
    UNION ALL SELECT u.id, c.id, CASE c.access WHEN 'write' THEN 2 ELSE 1 END
        FROM users AS u JOIN collections AS c ON c.visibility = 'everybody' AND c.owner_id <> u.id
    UNION ALL SELECT u.id, c.id, CASE c.access WHEN 'write' THEN 2 ELSE 1 END
        FROM users AS u JOIN collection_groups AS g ON g.group_name = u.group_name AND u.group_name <> ''
        JOIN collections AS c ON c.id = g.collection_id AND c.visibility = 'group' AND c.owner_id <> u.id;

-- A document belongs to the owner of its collection, whoever added it.
ALTER TABLE documents ADD COLUMN collection_id TEXT NOT NULL DEFAULT '';
UPDATE documents SET collection_id = user_id;
CREATE INDEX documents_collection ON documents (collection_id, id);
ALTER TABLE document_versions ADD COLUMN added_by TEXT NOT NULL DEFAULT '';

ALTER TABLE deleted_documents ADD COLUMN collection_id TEXT NOT NULL DEFAULT '';
UPDATE deleted_documents SET collection_id = user_id;
CREATE INDEX deleted_documents_id ON deleted_documents (id);

-- Each collection's terms are an index of their own, so that a search reads what is open to a
-- person alone.
ALTER TABLE passage_scopes RENAME TO person_scopes;
CREATE TABLE passage_scopes (
    id            INTEGER PRIMARY KEY,
    collection_id TEXT NOT NULL UNIQUE,
    user_id       TEXT NOT NULL,
    passages      BIGINT NOT NULL DEFAULT 0,
    length        BIGINT NOT NULL DEFAULT 0,
    -- Whether the index still has something of passages that are gone.
    residue       BOOLEAN NOT NULL DEFAULT FALSE
);
INSERT INTO passage_scopes SELECT id, user_id, user_id, passages, length, residue FROM person_scopes;
DROP TABLE person_scopes;
CREATE INDEX passage_scopes_residue ON passage_scopes (id) WHERE residue;
CREATE INDEX passage_scopes_user ON passage_scopes (user_id);

-- The collections that a conversation searches, as JSON; '' for all that are open to its owner.
ALTER TABLE conversations ADD COLUMN collections TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE conversations DROP COLUMN collections;
DELETE FROM documents WHERE collection_id <> user_id;
ALTER TABLE passage_scopes RENAME TO collection_scopes;
CREATE TABLE passage_scopes (
    id       INTEGER PRIMARY KEY,
    user_id  TEXT NOT NULL UNIQUE,
    passages BIGINT NOT NULL DEFAULT 0,
    length   BIGINT NOT NULL DEFAULT 0,
    residue  BOOLEAN NOT NULL DEFAULT FALSE
);
INSERT INTO passage_scopes SELECT id, user_id, passages, length, residue FROM collection_scopes WHERE collection_id = user_id;
DROP TABLE collection_scopes;
CREATE INDEX passage_scopes_residue ON passage_scopes (id) WHERE residue;
DROP INDEX deleted_documents_id;
ALTER TABLE deleted_documents DROP COLUMN collection_id;
ALTER TABLE document_versions DROP COLUMN added_by;
DROP INDEX documents_collection;
DROP VIEW collection_rights;
ALTER TABLE documents DROP COLUMN collection_id;
DROP TABLE collection_groups;
DROP TABLE collections;
