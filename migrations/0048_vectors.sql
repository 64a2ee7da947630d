-- +goose Up
-- The models whose vectors passages are compared by: the newest one, and earlier ones as long
-- as they have vectors. dimension is 0 until the model has answered, floor the similarity from
-- which on a passage answers a question.
CREATE TABLE vector_models (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    model     TEXT NOT NULL,
    dimension BIGINT NOT NULL DEFAULT 0,
    floor     REAL NOT NULL DEFAULT 0,
    -- Why nothing is embedded any more, after so many failures in a row.
    problem   TEXT NOT NULL DEFAULT '',
    failures  BIGINT NOT NULL DEFAULT 0
);

-- The model that has embedded a passage, 0 for none.
ALTER TABLE passages ADD COLUMN vector_model BIGINT NOT NULL DEFAULT 0;
CREATE INDEX passages_vector_model ON passages (vector_model, scope) WHERE gone = 0;

-- A vector goes with the text that it was made of.
CREATE TABLE passage_vectors (
    passage_id INTEGER PRIMARY KEY REFERENCES passage_texts (passage_id) ON DELETE CASCADE,
    vector     BLOB NOT NULL
);

-- +goose Down
DROP TABLE passage_vectors;
DROP INDEX passages_vector_model;
ALTER TABLE passages DROP COLUMN vector_model;
DROP TABLE vector_models;
