-- +goose Up
-- What a person wants to be called; '' is their e-mail address.
ALTER TABLE users ADD COLUMN name TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE users DROP COLUMN name;
