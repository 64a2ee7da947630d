-- +goose Up
-- How a version is to be read, as its person says: '' is found out.
ALTER TABLE document_versions ADD COLUMN encoding TEXT NOT NULL DEFAULT '';
ALTER TABLE document_versions ADD COLUMN separator TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE document_versions DROP COLUMN separator;
ALTER TABLE document_versions DROP COLUMN encoding;
