-- +goose Up
-- What an endpoint itself says that a call cost; 0 where it does not.
ALTER TABLE usage ADD COLUMN named_micros BIGINT NOT NULL DEFAULT 0;
CREATE INDEX usage_named ON usage (ended_at) WHERE named_micros > 0;

-- +goose Down
DROP INDEX usage_named;
ALTER TABLE usage DROP COLUMN named_micros;
