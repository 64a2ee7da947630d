-- +goose Up
-- The passages of documents. The terms of each person's passages are an index of their own:
-- a language of the full-text table, the scope. It keeps the terms too, so that SQLite's own
-- checks can compare them, and a passage can be taken out whatever terms are then.
CREATE TABLE passage_scopes (
    id       INTEGER PRIMARY KEY,
    user_id  TEXT NOT NULL UNIQUE,
    passages BIGINT NOT NULL DEFAULT 0,
    length   BIGINT NOT NULL DEFAULT 0,
    -- Whether the index still has something of passages that are gone.
    residue  BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX passage_scopes_residue ON passage_scopes (id) WHERE residue;

CREATE TABLE passages (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    public_id   TEXT NOT NULL UNIQUE,
    scope       BIGINT NOT NULL,
    document_id TEXT NOT NULL,
    version     BIGINT NOT NULL,
    ordinal     BIGINT NOT NULL,
    starts      BIGINT NOT NULL,
    ends        BIGINT NOT NULL,
    section     BIGINT NOT NULL,
    length      BIGINT NOT NULL,
    -- Where it is, as people say it: p. 3.
    place       TEXT NOT NULL DEFAULT '',
    -- 1 where it is to be taken out of the index, 2 where that is done: the row of a version
    -- that is not searched any more stays as long as its document, so that citations lead there.
    gone        BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX passages_document ON passages (document_id, version, ordinal);

-- What a passage is found by: its text, and what stands above it.
CREATE TABLE passage_texts (
    passage_id INTEGER PRIMARY KEY REFERENCES passages (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    headings   TEXT NOT NULL,
    head       TEXT NOT NULL,
    text       TEXT NOT NULL
);

CREATE INDEX passages_gone ON passages (id) WHERE gone = 1;

CREATE VIRTUAL TABLE passage_index USING fts4(terms, languageid="scope", matchinfo="fts3", tokenize=simple);
-- Parts are merged a little with each write, so that none waits for a large merge.
INSERT INTO passage_index (passage_index) VALUES ('automerge=4');
CREATE VIRTUAL TABLE passage_vocabulary USING fts4aux(passage_index);

-- +goose Down
DROP TABLE passage_vocabulary;
DROP TABLE passage_index;
DROP TABLE passage_texts;
DROP TABLE passages;
DROP TABLE passage_scopes;
