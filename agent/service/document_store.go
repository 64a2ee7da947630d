package service

import (
	"context"
	"time"

	"fusebox/agent"
)

// CollectionStore has the collections of documents. Methods with a user's id are about those that
// are open to that person: others are NotFound. What changes one is for its owner, else Forbidden.
type CollectionStore interface {
	// Collections has the person's own first.
	Collections(ctx context.Context, userID string) ([]agent.Collection, error)
	Collection(ctx context.Context, userID, id string) (agent.Collection, error)
	// CreateCollection and UpdateCollection answer Conflict where the owner has another of that name.
	CreateCollection(ctx context.Context, c agent.Collection) error
	UpdateCollection(ctx context.Context, userID string, c agent.Collection) error
	// DeleteCollection makes its documents the owner's own again.
	DeleteCollection(ctx context.Context, userID, id string) error
	// UserGroup is the group of a person, "" for none.
	UserGroup(ctx context.Context, userID string) (string, error)
}

// DocumentReader reads one document of a person, or one that is open to them.
type DocumentReader interface {
	// Document is a version of a document, the newest for 0.
	Document(ctx context.Context, userID, id string, version int) (agent.Document, error)
}

// DocumentStore has the documents of people. Methods with a user's id are about what is open to
// that person: all else is NotFound, and what they may only read Forbidden to change.
type DocumentStore interface {
	DocumentReader
	// AddDocument stores a document to be read; one that the collection has already waits for
	// a decision instead. Conflict where its owner has as many as they may.
	AddDocument(ctx context.Context, d agent.Document) (agent.Document, error)
	AddDocumentVersion(ctx context.Context, d agent.Document) (agent.Document, error)
	// DocumentText is the text of a version, and its sections.
	DocumentText(ctx context.Context, userID, id string, version int) (string, []agent.Section, error)
	// Documents lists them, the newest first.
	Documents(ctx context.Context, f agent.DocumentFilter, p agent.Page) ([]agent.Document, string, error)
	DocumentVersions(ctx context.Context, userID, id string) ([]agent.Document, error)
	CountDocuments(ctx context.Context, userID string, in agent.CollectionChoice) (agent.DocumentCounts, error)
	// MoveDocument moves a document to another collection, and to its owner.
	MoveDocument(ctx context.Context, userID, id, collectionID string) error
	RenameDocument(ctx context.Context, userID, id, name string) error
	// DeleteDocument leaves the files to DocumentLeftovers.
	DeleteDocument(ctx context.Context, userID, id string) error
	// OwnMessage is a message of a person or the model, in one of the viewer's conversations, and cites
	// documents as they are now: Forbidden for others who may see it.
	OwnMessage(ctx context.Context, v agent.Viewer, id string) (agent.Message, error)
	// SameDocument is the person's own that has a file with this SHA-256, in hex.
	SameDocument(ctx context.Context, userID, hash string) (agent.Document, error)
	// ReadDocumentAgain answers Conflict where the newest version waits to be read, or has been read
	// and nothing is chosen: neither is nil where it is.
	ReadDocumentAgain(ctx context.Context, userID, id string, encoding, separator *string) error
	// Passage is where a passage is, without its text; of earlier versions, too.
	Passage(ctx context.Context, userID, id string) (agent.Found, error)
	// DocumentDeletedAt is when a document was deleted, NotFound for any other.
	DocumentDeletedAt(ctx context.Context, userID, id string) (time.Time, error)
	DocumentLeftovers(ctx context.Context, after string, limit int) ([]string, error)
	ForgetDocumentLeftovers(ctx context.Context, files []string) error
	// DocumentsState leaves out what is embedded; busy are all documents that are being read.
	DocumentsState(ctx context.Context, userID string, busy map[string]time.Time) (agent.DocumentsState, error)
	// DocumentUse is of all people.
	DocumentUse(ctx context.Context) ([]agent.DocumentUse, error)
	// FailedDocuments lists those whose newest version has a problem, the newest first.
	FailedDocuments(ctx context.Context, userID string, problem agent.DocumentProblem, p agent.Page) ([]agent.Document, string, error)
	// ReadFailedAgain has all of those read once more.
	ReadFailedAgain(ctx context.Context, userID string, problem agent.DocumentProblem) (int64, error)
	// BeginDeletingDocuments audits that all of a person go up to the last one, and DeleteSomeDocuments
	// deletes some of them in one write, none once all are gone.
	BeginDeletingDocuments(ctx context.Context, userID string) (last string, err error)
	DeleteSomeDocuments(ctx context.Context, userID, last string) (ids []string, err error)
}

// ImportStore has imports, and where documents came from by them.
type ImportStore interface {
	// AddImport answers Conflict where too many of the person's wait.
	AddImport(ctx context.Context, in agent.Import) error
	Import(ctx context.Context, userID, id string) (agent.Import, error)
	// Imports are the person's newest, the newest first.
	Imports(ctx context.Context, userID string) ([]agent.Import, error)
	// AddImported makes a file of an import a document, or a version of the one that its path has become
	// before, and notes that in the import. The document has no version where nothing is added.
	AddImported(ctx context.Context, d agent.Document, in agent.Import, path string) (agent.Document, agent.Import, error)
	// DocumentSource is the name of an import and a path in it, "" for a document of none.
	DocumentSource(ctx context.Context, userID, id string) (name, path string, err error)
}
