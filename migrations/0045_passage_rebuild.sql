-- +goose Up
-- While there is a row, the index of passages is being rebuilt from their texts: first what is
-- left of it goes, then passages come in, in the order of their ids.
CREATE TABLE passage_rebuild (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    -- Whether the index is new; before, some of the old one may be left.
    emptied BOOLEAN NOT NULL DEFAULT FALSE,
    -- The id of the last passage that is in it, and how many are.
    passed  BIGINT NOT NULL DEFAULT 0,
    done    BIGINT NOT NULL DEFAULT 0
);
-- Terms are cut in another way than those of before.
INSERT INTO passage_rebuild (id) SELECT 1 WHERE EXISTS (SELECT 1 FROM passages);

-- Whether passages are still indexed with the name that the document had before.
ALTER TABLE documents ADD COLUMN renamed BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX documents_renamed ON documents (id) WHERE renamed;
UPDATE documents SET renamed = TRUE WHERE EXISTS (SELECT 1 FROM passages AS p JOIN passage_texts AS x ON x.passage_id = p.id
    WHERE p.document_id = documents.id AND p.gone = 0 AND x.name <> documents.name);

-- Nobody asks for it: the place of a passage is kept as people say it.
ALTER TABLE passages DROP COLUMN section;

-- +goose Down
DROP INDEX documents_renamed;
ALTER TABLE documents DROP COLUMN renamed;
ALTER TABLE passages ADD COLUMN section BIGINT NOT NULL DEFAULT 0;
DROP TABLE passage_rebuild;
