-- +goose Up
-- The breakers: what they said, how they are set, and how runs wait.

ALTER TABLE conversations ADD COLUMN guards TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN outputs TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN n BIGINT NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN not_loop BOOLEAN NOT NULL DEFAULT FALSE;

-- A step may have further lines in the ledger, for what judged it.
CREATE TABLE usage_kinds (
    run_id           TEXT NOT NULL,
    step             BIGINT NOT NULL,
    kind             TEXT NOT NULL,
    conversation_id  TEXT NOT NULL,
    user_id          TEXT NOT NULL,
    model            TEXT NOT NULL,
    input_tokens     BIGINT NOT NULL,
    cached_tokens    BIGINT NOT NULL,
    output_tokens    BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    estimated        BOOLEAN NOT NULL,
    cost_micros      BIGINT NOT NULL,
    finish_reason    TEXT NOT NULL,
    started_at       BIGINT NOT NULL,
    ended_at         BIGINT NOT NULL,
    PRIMARY KEY (run_id, step, kind)
);
INSERT INTO usage_kinds SELECT run_id, step, '', conversation_id, user_id, model, input_tokens, cached_tokens, output_tokens,
    reasoning_tokens, estimated, cost_micros, finish_reason, started_at, ended_at FROM usage;
DROP TABLE usage;
ALTER TABLE usage_kinds RENAME TO usage;
CREATE INDEX usage_time ON usage (ended_at);
CREATE INDEX usage_conversation ON usage (conversation_id);

-- Every verdict of a run, those of detectors that are switched off included.
CREATE TABLE guard_verdicts (
    id              TEXT PRIMARY KEY,
    run_id          TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL,
    step            BIGINT NOT NULL,
    tool_call_id    TEXT NOT NULL,
    tool_name       TEXT NOT NULL,
    detector        TEXT NOT NULL,
    level           TEXT NOT NULL,
    is_off          BOOLEAN NOT NULL,
    count           BIGINT NOT NULL,
    threshold       BIGINT NOT NULL,
    message         TEXT NOT NULL,
    calls           TEXT NOT NULL,
    tokens          BIGINT NOT NULL,
    cost_micros     BIGINT NOT NULL,
    saved_tokens    BIGINT NOT NULL,
    saved_micros    BIGINT NOT NULL,
    at              BIGINT NOT NULL
);
CREATE INDEX guard_verdicts_run ON guard_verdicts (run_id, id);
CREATE INDEX guard_verdicts_at ON guard_verdicts (at);

-- What admins have changed, beside the configuration of the process.
CREATE TABLE guard_numbers (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    most  TEXT NOT NULL
);
CREATE TABLE guard_switches (
    detector TEXT PRIMARY KEY,
    is_on    BOOLEAN NOT NULL
);
-- Rules for tools: proposed from cards that were no loops, in force, or dismissed.
CREATE TABLE guard_rules (
    id          TEXT PRIMARY KEY,
    tool        TEXT NOT NULL,
    rule        TEXT NOT NULL,
    state       TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    actor       TEXT NOT NULL,
    at          BIGINT NOT NULL
);
CREATE UNIQUE INDEX guard_rules_active ON guard_rules (tool) WHERE state = 'active';

CREATE INDEX runs_created ON runs (created_at, id);

-- +goose Down
DROP INDEX runs_created;
DROP TABLE guard_rules;
DROP TABLE guard_switches;
DROP TABLE guard_numbers;
DROP TABLE guard_verdicts;
CREATE TABLE usage_steps (
    run_id           TEXT NOT NULL,
    step             BIGINT NOT NULL,
    conversation_id  TEXT NOT NULL,
    user_id          TEXT NOT NULL,
    model            TEXT NOT NULL,
    input_tokens     BIGINT NOT NULL,
    cached_tokens    BIGINT NOT NULL,
    output_tokens    BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    estimated        BOOLEAN NOT NULL,
    cost_micros      BIGINT NOT NULL,
    finish_reason    TEXT NOT NULL,
    started_at       BIGINT NOT NULL,
    ended_at         BIGINT NOT NULL,
    PRIMARY KEY (run_id, step)
);
INSERT INTO usage_steps SELECT run_id, step, MIN(conversation_id), MIN(user_id), MIN(model), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), MAX(estimated), SUM(cost_micros), MIN(finish_reason), MIN(started_at), MAX(ended_at)
    FROM usage GROUP BY run_id, step;
DROP TABLE usage;
ALTER TABLE usage_steps RENAME TO usage;
CREATE INDEX usage_time ON usage (ended_at);
CREATE INDEX usage_conversation ON usage (conversation_id);
ALTER TABLE approvals DROP COLUMN not_loop;
ALTER TABLE approvals DROP COLUMN n;
ALTER TABLE conversations DROP COLUMN outputs;
ALTER TABLE conversations DROP COLUMN guards;
