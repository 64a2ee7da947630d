-- +goose Up
-- Deltas are most of all events, and each of them wrote a page of three indexes.
-- Only what makes deltas dispensable, and what frames a run, has to be found: the
-- deltas of a run are between those, by their numbers.
DROP INDEX events_run;
DROP INDEX events_subject;
CREATE INDEX events_run ON events (run_id, seq)
    WHERE type NOT IN ('text-delta', 'reasoning-delta', 'tool-call-delta', 'tool-result-delta');
-- An OR, because SQLite sees that one of its terms implies it.
CREATE INDEX events_subject ON events (conversation_id, subject, type)
    WHERE type = 'message' OR type = 'tool-call-state' OR type = 'tool-call-result';

-- +goose Down
DROP INDEX events_run;
DROP INDEX events_subject;
CREATE INDEX events_run ON events (run_id, seq);
CREATE INDEX events_subject ON events (conversation_id, subject, type) WHERE subject <> '';
