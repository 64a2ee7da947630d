-- +goose Up
-- What a token may be used for, and until when; 0 is for ever. Tokens from before
-- keep everything.
ALTER TABLE tokens ADD COLUMN scopes TEXT NOT NULL DEFAULT '';
UPDATE tokens SET scopes = 'read chat approve admin metrics';
ALTER TABLE tokens ADD COLUMN expires_at BIGINT NOT NULL DEFAULT 0;

-- Links with which people set a new password, one a person. The secret in the link
-- is not kept.
CREATE TABLE password_resets (
    user_id    TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    hash       BLOB NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE password_resets;
ALTER TABLE tokens DROP COLUMN expires_at;
ALTER TABLE tokens DROP COLUMN scopes;
