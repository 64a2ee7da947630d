-- +goose Up
-- A reservation is made and taken out in each step: in one tree instead of two.
CREATE TABLE reservations_one (
    run_id     TEXT PRIMARY KEY,
    id         TEXT NOT NULL,
    epoch      BIGINT NOT NULL,
    step       BIGINT NOT NULL,
    kind       TEXT NOT NULL,
    tokens     BIGINT NOT NULL,
    micros     BIGINT NOT NULL,
    accounts   TEXT NOT NULL,
    at         BIGINT NOT NULL,
    group_name TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO reservations_one SELECT run_id, id, epoch, step, kind, tokens, micros, accounts, at, group_name FROM reservations;
DROP TABLE reservations;
ALTER TABLE reservations_one RENAME TO reservations;

-- +goose Down
CREATE TABLE reservations_two (
    run_id     TEXT PRIMARY KEY,
    id         TEXT NOT NULL,
    epoch      BIGINT NOT NULL,
    step       BIGINT NOT NULL,
    kind       TEXT NOT NULL,
    tokens     BIGINT NOT NULL,
    micros     BIGINT NOT NULL,
    accounts   TEXT NOT NULL,
    at         BIGINT NOT NULL,
    group_name TEXT NOT NULL
);
INSERT INTO reservations_two SELECT run_id, id, epoch, step, kind, tokens, micros, accounts, at, group_name FROM reservations;
DROP TABLE reservations;
ALTER TABLE reservations_two RENAME TO reservations;
