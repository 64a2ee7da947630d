-- +goose Up
-- The money: prices, budgets, reservations, the ledger in double entry, and sums
-- of the bill that make a year quick to read.

-- What a line of the bill leads to, beside run, step, model and user. tools are
-- those that its answer called (JSON). priced is false where no price was known:
-- its cost is 0 because nobody knows it. The first line of a run, and of a model
-- in a run, are marked, so that runs can be added up over any span of time.
ALTER TABLE usage ADD COLUMN group_name TEXT NOT NULL DEFAULT '';
ALTER TABLE usage ADD COLUMN provider TEXT NOT NULL DEFAULT '';
ALTER TABLE usage ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE usage ADD COLUMN tools TEXT NOT NULL DEFAULT '';
ALTER TABLE usage ADD COLUMN priced BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE usage ADD COLUMN reservation_id TEXT NOT NULL DEFAULT '';
ALTER TABLE usage ADD COLUMN starts_run BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE usage ADD COLUMN starts_model BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX usage_user ON usage (user_id, ended_at);
CREATE INDEX usage_group ON usage (group_name, ended_at) WHERE group_name <> '';
UPDATE usage SET starts_run = NOT EXISTS (SELECT 1 FROM usage e WHERE e.run_id = usage.run_id AND (e.step, e.kind) < (usage.step, usage.kind)),
    starts_model = NOT EXISTS (SELECT 1 FROM usage e WHERE e.run_id = usage.run_id AND e.model = usage.model AND (e.step, e.kind) < (usage.step, usage.kind));

-- Sums of usage. dim says of what: 'all' by hour, 'hour' by hour and model, 'model',
-- 'user', 'conversation', 'tool' by day, 'user28' and 'conversation28' by 28 days,
-- 'total' for ever by model. slot counts hours, days or 28 days since 1970 in UTC.
-- runs are counted where they began.
CREATE TABLE spend_sums (
    dim              TEXT NOT NULL,
    slot             BIGINT NOT NULL,
    key              TEXT NOT NULL,
    lines            BIGINT NOT NULL,
    runs             BIGINT NOT NULL,
    input_tokens     BIGINT NOT NULL,
    cached_tokens    BIGINT NOT NULL,
    output_tokens    BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    cost_micros      BIGINT NOT NULL,
    unpriced         BIGINT NOT NULL,
    estimated        BIGINT NOT NULL,
    PRIMARY KEY (dim, slot, key)
) WITHOUT ROWID;
INSERT INTO spend_sums SELECT 'all', ended_at / 3600000, '', COUNT(*), SUM(starts_run), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), 0, SUM(estimated) FROM usage GROUP BY 2, 3;
INSERT INTO spend_sums SELECT 'hour', ended_at / 3600000, model, COUNT(*), SUM(starts_model), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), 0, SUM(estimated) FROM usage GROUP BY 2, 3;
INSERT INTO spend_sums SELECT 'model', ended_at / 86400000, model, COUNT(*), SUM(starts_model), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), 0, SUM(estimated) FROM usage GROUP BY 2, 3;
INSERT INTO spend_sums SELECT 'user', ended_at / 86400000, user_id, COUNT(*), SUM(starts_run), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), 0, SUM(estimated) FROM usage GROUP BY 2, 3;
INSERT INTO spend_sums SELECT 'conversation', ended_at / 86400000, conversation_id, COUNT(*), SUM(starts_run), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), 0, SUM(estimated) FROM usage GROUP BY 2, 3;
INSERT INTO spend_sums SELECT 'user28', ended_at / 2419200000, user_id, COUNT(*), SUM(starts_run), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), 0, SUM(estimated) FROM usage GROUP BY 2, 3;
INSERT INTO spend_sums SELECT 'conversation28', ended_at / 2419200000, conversation_id, COUNT(*), SUM(starts_run), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), 0, SUM(estimated) FROM usage GROUP BY 2, 3;
INSERT INTO spend_sums SELECT 'tool', ended_at / 86400000, '', COUNT(*), 0, SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), 0, SUM(estimated) FROM usage GROUP BY 2, 3;
INSERT INTO spend_sums SELECT 'total', 0, model, COUNT(*), SUM(starts_model), SUM(input_tokens), SUM(cached_tokens),
    SUM(output_tokens), SUM(reasoning_tokens), SUM(cost_micros), 0, SUM(estimated) FROM usage GROUP BY 2, 3;

-- What a model costs from a day on, in micro-USD per million tokens. provider ''
-- is any endpoint. known is false where a price was taken back.
CREATE TABLE prices (
    provider   TEXT NOT NULL,
    model      TEXT NOT NULL,
    valid_from BIGINT NOT NULL,
    known      BOOLEAN NOT NULL,
    input      BIGINT NOT NULL,
    cached     BIGINT NOT NULL,
    output     BIGINT NOT NULL,
    reasoning  BIGINT NOT NULL,
    source     TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (provider, model, valid_from)
);

-- Budgets beside those of each run and conversation in the configuration. A
-- budget is never deleted, it ends: accounts and entries lead to it.
CREATE TABLE budgets (
    id           TEXT PRIMARY KEY,
    who          TEXT NOT NULL,
    subject      TEXT NOT NULL,
    span         TEXT NOT NULL,
    limit_tokens BIGINT NOT NULL,
    limit_micros BIGINT NOT NULL,
    soft         BOOLEAN NOT NULL,
    at_limit     TEXT NOT NULL,
    model        TEXT NOT NULL,
    created_by   TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    ended_by     TEXT NOT NULL DEFAULT '',
    ended_at     BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX budgets_active ON budgets (id) WHERE ended_at = 0;

-- How a budget stands for one subject (a user, a run, …) in one window. opening
-- is what was used in the window before the account was opened; told is the
-- highest share, in per cent, that people were told of.
CREATE TABLE budget_accounts (
    budget_id       TEXT NOT NULL,
    subject         TEXT NOT NULL,
    starts_at       BIGINT NOT NULL,
    opening_tokens  BIGINT NOT NULL,
    opening_micros  BIGINT NOT NULL,
    used_tokens     BIGINT NOT NULL DEFAULT 0,
    used_micros     BIGINT NOT NULL DEFAULT 0,
    reserved_tokens BIGINT NOT NULL DEFAULT 0,
    reserved_micros BIGINT NOT NULL DEFAULT 0,
    raised_tokens   BIGINT NOT NULL DEFAULT 0,
    raised_micros   BIGINT NOT NULL DEFAULT 0,
    told            BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (budget_id, starts_at, subject)
);

-- The reservations that are open: one model call at a time for each run.
CREATE TABLE reservations (
    run_id   TEXT PRIMARY KEY,
    id       TEXT NOT NULL,
    epoch    BIGINT NOT NULL,
    step     BIGINT NOT NULL,
    kind     TEXT NOT NULL,
    tokens   BIGINT NOT NULL,
    micros   BIGINT NOT NULL,
    accounts TEXT NOT NULL,
    at       BIGINT NOT NULL,
    group_name TEXT NOT NULL
);

-- The ledger: each row moves an amount from the account credit to the account
-- debit, so that all rows together sum to nothing. accounts are the budgets'
-- accounts that it was booked on (JSON).
CREATE TABLE ledger (
    seq            INTEGER PRIMARY KEY,
    at             BIGINT NOT NULL,
    kind           TEXT NOT NULL,
    reservation_id TEXT NOT NULL,
    run_id         TEXT NOT NULL,
    step           BIGINT NOT NULL,
    step_kind      TEXT NOT NULL,
    debit          TEXT NOT NULL,
    credit         TEXT NOT NULL,
    tokens         BIGINT NOT NULL,
    micros         BIGINT NOT NULL,
    accounts       TEXT NOT NULL
);
CREATE INDEX ledger_run ON ledger (run_id, seq);
-- Lines from before there were reservations are booked as they stood.
INSERT INTO ledger (at, kind, reservation_id, run_id, step, step_kind, debit, credit, tokens, micros, accounts)
    SELECT ended_at, 'correction', '', run_id, step, kind, 'spent', 'available', input_tokens + output_tokens, cost_micros, ''
    FROM usage ORDER BY ended_at, run_id, step, kind;
-- +goose StatementBegin
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER ledger_no_replace BEFORE INSERT ON ledger WHEN EXISTS (SELECT 1 FROM ledger WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER usage_no_update BEFORE UPDATE ON usage
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER usage_no_delete BEFORE DELETE ON usage
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
-- +goose StatementEnd

ALTER TABLE users ADD COLUMN group_name TEXT NOT NULL DEFAULT '';
-- A card about a budget that refills knows which and when.
ALTER TABLE approvals ADD COLUMN raise_micros_by BIGINT NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN budget_id TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN refill_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX approvals_refill ON approvals (refill_at, id) WHERE status IN ('pending', 'expired') AND refill_at > 0;

-- What admins set for the whole house, beside the configuration.
CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- What people are told inside: budgets that run out, spending that runs away.
-- id keeps one from being told twice. user_id '' is for admins.
CREATE TABLE alerts (
    id      TEXT PRIMARY KEY,
    kind    TEXT NOT NULL,
    user_id TEXT NOT NULL,
    at      BIGINT NOT NULL,
    message TEXT NOT NULL,
    path    TEXT NOT NULL
);
CREATE INDEX alerts_at ON alerts (at);
ALTER TABLE users ADD COLUMN alerts_seen_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE users DROP COLUMN alerts_seen_at;
DROP TABLE alerts;
DROP TABLE settings;
DROP INDEX approvals_refill;
ALTER TABLE approvals DROP COLUMN refill_at;
ALTER TABLE approvals DROP COLUMN budget_id;
ALTER TABLE approvals DROP COLUMN raise_micros_by;
ALTER TABLE users DROP COLUMN group_name;
DROP TRIGGER usage_no_delete;
DROP TRIGGER usage_no_update;
DROP TABLE ledger;
DROP TABLE reservations;
DROP TABLE budget_accounts;
DROP TABLE budgets;
DROP TABLE prices;
DROP TABLE spend_sums;
DROP INDEX usage_group;
DROP INDEX usage_user;
ALTER TABLE usage DROP COLUMN starts_model;
ALTER TABLE usage DROP COLUMN starts_run;
ALTER TABLE usage DROP COLUMN reservation_id;
ALTER TABLE usage DROP COLUMN priced;
ALTER TABLE usage DROP COLUMN tools;
ALTER TABLE usage DROP COLUMN request_id;
ALTER TABLE usage DROP COLUMN provider;
ALTER TABLE usage DROP COLUMN group_name;
