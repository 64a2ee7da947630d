-- +goose Up
-- Who typed a message on a card of a run; '' where a run answers the message. What a person
-- wrote along with arguments that another one has to approve.
ALTER TABLE messages ADD COLUMN said_by TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN author_note TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE approvals DROP COLUMN author_note;
ALTER TABLE messages DROP COLUMN said_by;
