-- +goose Up
-- What is counted of documents, and why some have no text, without reading what was read of them.
ALTER TABLE document_versions ADD COLUMN problem TEXT GENERATED ALWAYS AS (reading ->> 'problem') VIRTUAL;
CREATE INDEX document_versions_counted ON document_versions (document_id, version, state, bytes, added_at, problem);

-- What embedding has cost each person: 'embedding' by day, 'embedding_all' for ever.
INSERT INTO spend_sums SELECT 'embedding', ended_at / 86400000, user_id, COUNT(*), SUM(starts_run), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), SUM(NOT priced), SUM(estimated) FROM usage WHERE kind = 'embedding' GROUP BY 2, 3;
INSERT INTO spend_sums SELECT 'embedding_all', 0, user_id, COUNT(*), SUM(starts_run), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), SUM(NOT priced), SUM(estimated) FROM usage WHERE kind = 'embedding' GROUP BY user_id;

-- +goose Down
DELETE FROM spend_sums WHERE dim IN ('embedding', 'embedding_all');
DROP INDEX document_versions_counted;
ALTER TABLE document_versions DROP COLUMN problem;
