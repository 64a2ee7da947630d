package agent

import "time"

// ImportState is how far an import is.
type ImportState string

// The states of imports.
const (
	ImportRunning ImportState = "importing" // waits, or is being unpacked
	ImportDone    ImportState = "done"
	ImportFailed  ImportState = "failed" // Problem says why; what was added until then stays
)

// ImportProblem is why an import did not come to its end.
type ImportProblem string

// The problems of imports.
const (
	ImportBroken   ImportProblem = "broken"    // the archive is not whole
	ImportTooLarge ImportProblem = "too_large" // more comes out of the archive than is imported
	ImportEmpty    ImportProblem = "empty"     // there is nothing in it
	ImportStopped  ImportProblem = "stopped"   // the server ended each time
	ImportLost     ImportProblem = "lost"      // its file is missing on the server
)

// OmitReason is why a file of an import is no document.
type OmitReason string

// The reasons to leave a file out.
const (
	OmitType        OmitReason = "type"        // its type is not read
	OmitTooLarge    OmitReason = "too_large"   // it is larger than a document may be
	OmitLocked      OmitReason = "locked"      // it is encrypted
	OmitUnsafe      OmitReason = "unsafe"      // a link, a device, or a name that leads out of the folder
	OmitBroken      OmitReason = "broken"      // it is damaged
	OmitEmpty       OmitReason = "empty"       // there is nothing in it
	OmitDuplicate   OmitReason = "duplicate"   // another document has the same bytes, or another file the same path
	OmitLimit       OmitReason = "limit"       // the person, or the document, has as much as there may be
	OmitUnreachable OmitReason = "unreachable" // its address gave nothing
)

// Omitted is a file of an import that is no document.
type Omitted struct {
	Path string     `json:"path"`
	Why  OmitReason `json:"why"`
}

// ImportOutcome is what became of a file of an import.
type ImportOutcome string

// The outcomes.
const (
	ImportAdded     ImportOutcome = "added"
	ImportReplaced  ImportOutcome = "replaced" // a new version of the document that came from the same path
	ImportUnchanged ImportOutcome = "unchanged"
	ImportDuplicate ImportOutcome = "duplicate" // another document has the same bytes
)

// Import is what a person imports: many files at once, each a document.
type Import struct {
	ID, UserID string
	// CollectionID is where the documents go: the person's id for their own library.
	CollectionID string
	// Name and the path of a file say which document it is when it comes again.
	Name string
	// Source is what the file or folder is called, File the name under which its bytes are
	// kept as long as they are needed.
	Source, File string
	Bytes        int64
	// Fetch has the pages of bookmarks be fetched.
	Fetch     bool
	State     ImportState
	Problem   ImportProblem
	Tries     int
	Report    ImportReport
	CreatedAt time.Time
}

// ImportReport is what has become of the files of an import.
type ImportReport struct {
	// Total are all files, Done those that something has become of.
	Total     int `json:"total"`
	Done      int `json:"done"`
	Added     int `json:"added"`
	Replaced  int `json:"replaced"`
	Unchanged int `json:"unchanged"`
	LeftOut   int `json:"leftOut"`
	// Gone are those of earlier imports of the name that are not in this one. Their documents stay.
	Gone int `json:"gone"`
	// Out and Missing name the first of those that were left out, and that are gone.
	Out     []Omitted `json:"omitted,omitempty"`
	Missing []string  `json:"missing,omitempty"`
}

// The bounds of imports.
const (
	MaxImportBytes    = 1 << 30 // as they arrive
	MaxImportUnpacked = 2 << 30 // of all files of an import
	MaxImportEntries  = 20_000
	MaxImportPages    = 500 // that are fetched for bookmarks
	MaxImportName     = 120 // characters
	MaxImportsWaiting = 3   // of a person
	MaxImportTries    = 3   // without a file between them
	KeptImports       = 20  // of a person, which the page lists
	maxImportListed   = 100 // files that a report names
	maxImportPath     = 400 // bytes of a path in a report
)

// Count notes what has become of the next file.
func (r *ImportReport) Count(outcome ImportOutcome, path string) {
	switch outcome {
	case ImportAdded:
		r.Added++
	case ImportReplaced:
		r.Replaced++
	case ImportUnchanged:
		r.Unchanged++
	case ImportDuplicate:
		r.LeaveOut(path, OmitDuplicate)
		return
	}
	r.Done++
}

// LeaveOut notes that the next file is no document.
func (r *ImportReport) LeaveOut(path string, why OmitReason) {
	r.Done++
	r.LeftOut++
	if len(r.Out) < maxImportListed {
		r.Out = append(r.Out, Omitted{Clip(path, maxImportPath), why})
	}
}

// Miss notes a file of an earlier import that is not in this one.
func (r *ImportReport) Miss(path string) {
	r.Gone++
	if len(r.Missing) < maxImportListed {
		r.Missing = append(r.Missing, Clip(path, maxImportPath))
	}
}
