-- +goose Up
-- The language of a person's pages; '' is what the browser asks for.
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE users DROP COLUMN language;
