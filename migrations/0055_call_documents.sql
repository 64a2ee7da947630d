-- +goose Up
-- Which documents a tool call has read: what it has brought is shown, and sent to a model, as long
-- as they are open to the conversation's owner.
CREATE TABLE call_documents (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    run_id          TEXT NOT NULL,
    call_id         TEXT NOT NULL,
    document_id     TEXT NOT NULL,
    PRIMARY KEY (conversation_id, run_id, call_id, document_id)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE call_documents;
