-- +goose Up
-- The answer of a person who took a run over, named in abort_by; '' where it is to abort.
ALTER TABLE runs ADD COLUMN takeover TEXT NOT NULL DEFAULT '';

-- What a chat's outputs are for, by name; how its model thinks, '' for the model's own
-- way; and what each of its runs may cost in micro-USD, 0 for no limit of its own.
ALTER TABLE conversations ADD COLUMN output_purposes TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN thinking TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN thinking_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN run_cost_limit BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE conversations DROP COLUMN run_cost_limit;
ALTER TABLE conversations DROP COLUMN thinking_tokens;
ALTER TABLE conversations DROP COLUMN thinking;
ALTER TABLE conversations DROP COLUMN output_purposes;
ALTER TABLE runs DROP COLUMN takeover;
